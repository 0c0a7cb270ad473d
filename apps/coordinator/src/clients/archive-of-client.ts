/** What of the archive may answer a client's request without a fetch, where their rights are not at hand. */
import { OPERATOR } from '@minga/fleet'
import type { Sql } from '@minga/store'
import { limitSql } from '../accounts/visibility/limited-sql.ts'

/** What is public, and what they asked for themselves; whether they also read what is shared is not known here. */
export async function archiveOfClient(sql: Sql, client: string): Promise<Sql> {
  return client === OPERATOR ? sql : limitSql(sql, { account: client, isReader: false })
}
