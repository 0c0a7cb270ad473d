/**
 * Events of a query for clients that watch it: rows as tasks commit them, in no order, and its
 * progress.
 */
import type { LakeFiles, Scheduler } from '@minga/lake'
import type { Clock, QueryNews, QueryRows, QueryView } from '@minga/protocol'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import { readCursor, writeCursor, type Cursor } from '../tables/rows-cursor.ts'
import type { RowsReader } from '../tables/rows-reader.ts'

export interface NewsParts {
  scheduler: Scheduler
  files: LakeFiles
  reader: RowsReader
  news: ConditionVariable
  clock: Clock
}

export interface RowsAsked {
  id: string
  after: string
  /** Only this one's; all if null. */
  query: string | null
  most: number
}

export interface RowsPage {
  /** Each with where to go on behind it: a line may break between any two. */
  batches: { rows: QueryRows; after: string }[]
  after: string
  /** There will be no more. */
  isEnded: boolean
}

/** Files read for one page: there may be many empty ones. */
const OUTPUTS_MOST = 200

/** The next rows. */
export async function nextRows(parts: NewsParts, asked: RowsAsked): Promise<RowsPage> {
  const { id, query, most } = asked
  const batches: RowsPage['batches'] = []
  let cursor = readCursor(asked.after)
  let left = most
  const page = { id, after: cursor.upTo, most: OUTPUTS_MOST }
  const { outputs, isEnded } = await parts.scheduler.outputs(page)
  for (const output of outputs) {
    const isWanted = output.rows > 0 && (query === null || query === output.query)
    if (isWanted && left === 0) return { batches, after: writeCursor(cursor), isEnded: false }
    const rows = isWanted ? await rowsOf(parts, { id, output, cursor, most: left }) : null
    cursor = rows?.cursor ?? { upTo: output.number, within: null, rows: 0 }
    if (rows === null) continue
    batches.push({ rows: rows.rows, after: writeCursor(cursor) })
    left -= rows.rows.rows.length
    if (cursor.within !== null) return { batches, after: writeCursor(cursor), isEnded: false }
  }
  const isAll = isEnded && outputs.length < OUTPUTS_MOST
  return { batches, after: writeCursor(cursor), isEnded: isAll }
}

type Output = Awaited<ReturnType<Scheduler['outputs']>>['outputs'][number]

/** Some rows of one file, and how far it is read with them. */
async function rowsOf(
  { scheduler, files, reader }: NewsParts,
  { id, output, cursor, most }: { id: string; output: Output; cursor: Cursor; most: number },
): Promise<{ rows: QueryRows; cursor: Cursor }> {
  const { results } = await scheduler.plan(id)
  const { columns } = results.find(({ query }) => query === output.query)!
  const told = { query: output.query, columns }
  const skip = cursor.within === output.number ? cursor.rows : 0
  // Outputs are removed after the query's end: a client that wants the rows reads the result.
  const isThere = (await files.size(output.file)) !== null
  const rows = isThere
    ? (await reader.ofFile(files.at(output.file), { columns, skip, most })).rows
    : []
  const isRead = rows.length === 0 || skip + rows.length >= output.rows
  return {
    rows: { ...told, rows },
    cursor: isRead
      ? { upTo: output.number, within: null, rows: 0 }
      : { upTo: cursor.upTo, within: output.number, rows: skip + rows.length },
  }
}

/** Other coordinators ring no bell here, and progress is worth a line a second. */
const LOOK_EVERY_MS = 1_000
const ROWS_AT_ONCE = 1_000

/** Until the query has ended and all its rows were sent, or the signal aborts. */
export async function* watchQuery(
  parts: NewsParts,
  { after: from, view, id }: { id: string; after: string; view: () => Promise<QueryView> },
  signal: AbortSignal,
): AsyncGenerator<QueryNews> {
  let after = from
  let told = ''
  while (!signal.aborted) {
    // Read before the rows: when it has ended, no rows come after those that are read now.
    const now = await view()
    const page = await nextRows(parts, { id, after, query: null, most: ROWS_AT_ONCE })
    after = page.after
    yield* page.batches
    if (now.state !== 'running' && page.isEnded) {
      yield { ended: now }
      return
    }
    const text = JSON.stringify(now)
    if (text !== told) yield { progress: now }
    told = text
    // A full page: there is more at once.
    if (page.batches.length > 0 && !page.isEnded) continue
    await parts.news.waitFor(LOOK_EVERY_MS, parts.clock, signal)
  }
}
