/**
 * Texts with certain words, those that came last first, in blocks: a filter that fits little must
 * not walk through all of them in one go. The order is that of the index's own numbers, so that a
 * page costs what it shows and the next one continues exactly where it ended, however much is added
 * in the meantime.
 */
import type { Sql, Value } from '@minga/store'
import { isLimited } from '../../accounts/visibility/limited-sql.ts'
import { forPostgres, forSqlite, type TextQuery } from './text-query.ts'

/** Texts read in one call, where a filter may reject most of them. */
const BLOCK_TEXTS = 500
const CAPTURES_COUNTED_MOST = 1_000

export interface TextFilter {
  collectionId: number | null
  /** As the table of hosts has it. */
  host: string | null
  /** Both included. */
  fromAt: number
  toAt: number
}

export interface SearchTexts {
  query: TextQuery
  filter: TextFilter
  /** The number of the last text that was shown. */
  after: number | null
  limit: number
}

export interface FoundText {
  captureId: number
  url: string
  title: string | null
  capturedAt: number
  collectionId: number
  mime: string
  /** How many captures have this very text, as far as it is counted. */
  captures: number
  bytes: Uint8Array
}

export interface TextBlock {
  texts: FoundText[]
  /** Null when there are no more. */
  next: number | null
}

export async function searchTexts(sql: Sql, args: SearchTexts): Promise<TextBlock> {
  const { limit } = args
  const wanted = conditionsOf(args.filter)
  // One more than is shown tells whether there are more.
  const size = wanted.where === '' ? limit + 1 : Math.max(limit + 1, BLOCK_TEXTS)
  const block = blockOf(sql, args, size)
  const found = await sql.all<{ id: number; captureId: number | null }>(
    `SELECT f.id, (SELECT m.capture_id FROM text_captures m JOIN captures c ON c.id = m.capture_id
       WHERE m.text_id = f.id ${wanted.where} ORDER BY m.capture_id DESC LIMIT 1) AS "captureId"
     FROM (${block.sql}) AS f ORDER BY f.id DESC`,
    [...wanted.params, ...block.params],
  )
  const fitting = found.filter(({ captureId }) => captureId !== null)
  const shown = fitting.slice(0, limit)
  const texts = await textsOf(sql, shown as { id: number; captureId: number }[])
  const isCut = fitting.length > limit || found.length === size
  const last = fitting.length >= limit ? shown.at(-1) : found.at(-1)
  return { texts, next: isCut ? (last?.id ?? null) : null }
}

/** How many texts have the words, whatever else is asked of them; at most `most`. */
export async function countTexts(
  sql: Sql,
  { query, most }: { query: TextQuery; most: number },
): Promise<number> {
  const matching = matchingOf(sql, query)
  // A reader from whom something is hidden does not get the number of occurrences.
  const seen = isLimited(sql)
    ? `SELECT f.id FROM (${matching.sql}) AS f
       WHERE EXISTS (SELECT 1 FROM text_captures m WHERE m.text_id = f.id)`
    : matching.sql
  const row = await sql.get<{ n: number }>(`SELECT COUNT(*) AS n FROM (${seen} LIMIT ?) AS f`, [
    ...matching.params,
    most,
  ])
  return row!.n
}

interface Part {
  sql: string
  params: Value[]
}

function matchingOf(sql: Sql, query: TextQuery): Part {
  return sql.dialect === 'sqlite'
    ? {
        sql: 'SELECT rowid AS id FROM text_words WHERE text_words MATCH ?',
        params: [forSqlite(query)],
      }
    : {
        sql: 'SELECT id FROM capture_texts WHERE words @@ ?::tsquery',
        params: [forPostgres(query)],
      }
}

function blockOf(sql: Sql, { query, after }: SearchTexts, size: number): Part {
  const matching = matchingOf(sql, query)
  const before = after ?? Number.MAX_SAFE_INTEGER
  const params = [...matching.params, before, size]
  // FTS5 walks backwards by itself; PostgreSQL, left to choose, may walk through all texts in their order.
  const text =
    sql.dialect === 'sqlite'
      ? `${matching.sql} AND rowid < ? ORDER BY rowid DESC LIMIT ?`
      : `WITH matching AS MATERIALIZED (${matching.sql})
         SELECT id FROM matching WHERE id < ? ORDER BY id DESC LIMIT ?`
  return { sql: text, params }
}

function conditionsOf({ collectionId, host, fromAt, toAt }: TextFilter): {
  where: string
  params: Value[]
} {
  const where: string[] = []
  const params: Value[] = []
  if (collectionId !== null) {
    where.push('AND c.collection_id = ?')
    params.push(collectionId)
  }
  if (host !== null) {
    where.push('AND c.host_id IN (SELECT id FROM hosts WHERE name IN (?, ?))')
    params.push(host, `www.${host}`)
  }
  if (fromAt > 0 || toAt < Number.MAX_SAFE_INTEGER) {
    where.push('AND c.captured_at BETWEEN ? AND ?')
    params.push(fromAt, toAt)
  }
  return { where: where.join(' '), params }
}

interface CaptureFacts {
  url: string
  title: string | null
  captured_at: number
  collection_id: number
  mime: string
}

async function textsOf(
  sql: Sql,
  found: readonly { id: number; captureId: number }[],
): Promise<FoundText[]> {
  const captures = await sql.selectMany<CaptureFacts>({
    table: 'captures',
    keys: ['id'],
    rows: found.map(({ captureId }) => [captureId]),
    columns: ['url', 'title', 'captured_at', 'collection_id', 'mime'],
  })
  const texts = await sql.selectMany<{ bytes: Uint8Array }>({
    table: 'capture_texts',
    keys: ['id'],
    rows: found.map(({ id }) => [id]),
    columns: ['bytes'],
  })
  const shown: FoundText[] = []
  for (const [i, { id, captureId }] of found.entries()) {
    const { url, title, captured_at: capturedAt, collection_id: collectionId, mime } = captures[i]!
    const facts = { url, title, capturedAt, collectionId, mime, bytes: texts[i]!.bytes }
    shown.push({ captureId, ...facts, captures: await countCaptures(sql, id) })
  }
  return shown
}

async function countCaptures(sql: Sql, textId: number): Promise<number> {
  const row = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM
       (SELECT 1 FROM text_captures WHERE text_id = ? LIMIT ${CAPTURES_COUNTED_MOST}) AS counted`,
    [textId],
  )
  return row!.n
}
