import type { Sql } from '@minga/store'

/** Visits up to this one have happened. */
export async function newestVisit(sql: Sql): Promise<number> {
  const row = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM visits')
  return row?.id ?? 0
}
