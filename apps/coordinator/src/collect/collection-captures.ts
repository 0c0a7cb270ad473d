/** Captures of a collection, newest first, as far as they match. */
import type { CollectionCaptures, CaptureRow } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { CAPTURE_COLUMNS } from '../archive/captures/captures.ts'

export interface CaptureListQuery {
  id: number
  text: string | null
  /** Classes of statuses: 2 for 200 to 299. */
  statuses: readonly number[]
  /** Beginnings of media types. */
  types: readonly string[]
  /** The page continues below this capture. */
  before: number | null
  limit: number
}

export async function collectionCaptures(
  sql: Sql,
  query: CaptureListQuery,
): Promise<CollectionCaptures> {
  const conditions = ['c.collection_id = ?', 'c.id < ?']
  const params: Value[] = [query.id, query.before ?? Number.MAX_SAFE_INTEGER]
  if (query.text !== null && query.text !== '') {
    const pattern = `%${query.text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(`(LOWER(c.url) LIKE ? ESCAPE '\\' OR LOWER(c.title) LIKE ? ESCAPE '\\')`)
    params.push(pattern, pattern)
  }
  if (query.statuses.length > 0) {
    conditions.push(`(${query.statuses.map(() => 'c.status BETWEEN ? AND ?').join(' OR ')})`)
    for (const hundred of query.statuses) params.push(hundred * 100, hundred * 100 + 99)
  }
  if (query.types.length > 0) {
    conditions.push(`(${query.types.map(() => 'c.mime LIKE ?').join(' OR ')})`)
    for (const type of query.types) params.push(`${type}%`)
  }
  const rows = await sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c WHERE ${conditions.join(' AND ')}
     ORDER BY c.id DESC LIMIT ?`,
    [...params, query.limit + 1],
  )
  const shown = rows.slice(0, query.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return { rows: shown, cursor: last === undefined ? null : String(last.id) }
}
