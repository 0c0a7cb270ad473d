/** The settings that operators changed, as they are stored; read also where the rest of the frontier is not loaded. */
import type { Sql } from '@minga/store'

export interface StoredSetting {
  name: string
  /** JSON. */
  value: string
  changedAt: number
  changedBy: string | null
}

export function storedSettings(sql: Sql): Promise<StoredSetting[]> {
  return sql.all<StoredSetting>(
    `SELECT name, value, changed_at AS "changedAt", changed_by AS "changedBy" FROM settings
     ORDER BY name`,
  )
}
