/** Reserved URLs that ended without being fetched: no device brings news of them. */
import type { Sql } from '@minga/store'

export interface UnfetchedEnd {
  tag: string
  /** Why: robots.txt, no address, a closed host. */
  code: string
}

/** Of all tags that begin so; they are of letters, digits and points. */
export async function unfetchedEnds(
  sql: Sql,
  args: { tagsFrom: string; limit: number },
): Promise<UnfetchedEnd[]> {
  return sql.all<UnfetchedEnd>(
    `SELECT r.tag, COALESCE(u.code, u.outcome) AS code
     FROM reserved_urls r JOIN urls u
       ON u.collection_id = r.collection_id AND u.host_id = r.host_id AND u.hash = r.hash
     WHERE r.tag >= ? AND r.tag < ? AND u.outcome IN ('denied', 'failed', 'cancelled')
     ORDER BY r.tag LIMIT ?`,
    [args.tagsFrom, `${args.tagsFrom}~`, args.limit],
  )
}
