/** Which versions of watches a user has seen; later ones are unread for them. */
import type { Sql } from '@minga/store'

/** Null: all watches. Answers how many that are. */
export async function markSeen(
  sql: Sql,
  args: { account: string; ids: readonly number[] | null; now: number },
): Promise<number> {
  const { account, ids, now } = args
  const only =
    ids === null ? '' : `WHERE collection_id IN (${ids.map(() => '?').join(', ') || 'NULL'})`
  const watches = await sql.all<{ id: number }>(
    `SELECT collection_id AS id FROM watches ${only}`,
    ids === null ? [] : [...ids],
  )
  await sql.insertMany({
    table: 'watch_seen',
    columns: ['account', 'collection_id', 'seen_at'],
    rows: watches.map(({ id }) => [account, id, now]),
    onConflict: { keys: ['account', 'collection_id'], update: ['seen_at'] },
  })
  return watches.length
}
