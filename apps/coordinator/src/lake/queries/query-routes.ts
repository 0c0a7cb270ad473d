/** Queries over HTTP: asked, watched, cancelled; their rows as they come and their results as files. */
import { randomUUID } from 'node:crypto'
import { Readable, finished } from 'node:stream'
import {
  QUERY_STATES,
  queryMessage,
  queryQuestion,
  sqlQuestion,
  type Clock,
  type QueryNews,
  type QueryRows,
  type QueryView,
  type ResultFormat,
} from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { LakeFiles, Scheduler } from '@minga/lake'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import { may } from '../../accounts/access.ts'
import { idParams } from '../../accounts/fields.ts'
import type { LakeContext } from '../create-lake.ts'
import { lakeCaller, type LakeCaller } from '../workers/lake-caller.ts'
import { NoSuchResult, NotRepeatable } from '../lake-errors.ts'
import {
  cursorField,
  readCursor,
  writeCursor,
  type Cursor,
  type RowsReader,
} from '../tables/rows-reader.ts'
import { sendFile } from '../uploads/send-file.ts'

const listQuery = z.object({
  state: z.enum(QUERY_STATES).optional(),
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const resultParams = idParams.extend({ name: z.string().min(1).max(200) })
const rowsQuery = z.object({
  query: z.string().min(1).max(200).optional(),
  after: cursorField.default('0'),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})
const resultRowsQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
})
const streamQuery = z.object({ after: cursorField.optional() })
const RUN = may('queries:run')
const READ = may('queries:read')
const EVENTS = 'text/event-stream'

const FILE_TYPES: Record<ResultFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

export function queryRoutes(app: FastifyInstance, context: LakeContext): void {
  const { access, lake } = context
  const runner = (request: FastifyRequest): LakeCaller => lakeCaller(access, request, 'queries:run')
  const reader = (request: FastifyRequest): LakeCaller =>
    lakeCaller(access, request, 'queries:read')
  const idOf = (request: FastifyRequest): string => idParams.parse(request.params).id
  app.post('/queries', RUN, async (request, reply) => {
    void reply.status(202)
    return lake.queries.submit(runner(request), queryMessage.parse(request.body))
  })
  app.post('/queries/explain', RUN, (request) =>
    lake.queries.explain(runner(request), queryQuestion.parse(request.body)),
  )
  app.get('/queries/shipped', READ, () => lake.queries.shipped())
  app.get('/queries', READ, (request) => {
    const { state, before, limit: most } = listQuery.parse(request.query)
    const states = state === undefined ? undefined : [state]
    return lake.queries.list(reader(request), { states, before, most })
  })
  app.get('/queries/:id', READ, (request) => lake.queries.view(reader(request), idOf(request)))
  app.get('/queries/:id/plan', READ, (request) =>
    lake.queries.planOf(reader(request), idOf(request)),
  )
  app.post('/queries/:id/cancel', RUN, (request) =>
    lake.queries.cancel(runner(request), idOf(request)),
  )
  app.post('/queries/:id/again', RUN, async (request, reply) => {
    void reply.status(202)
    return askAgain(context, runner(request), idOf(request))
  })
  resultRoute(app, context)
  resultRowsRoute(app, context)
  rowsRoutes(app, context)
}

/** As a new query: what the first one had done is gone, and its inputs are read as they are now. */
async function askAgain({ lake }: LakeContext, caller: LakeCaller, id: string): Promise<QueryView> {
  const { question, imported, queries } = await lake.queries.asked(caller, id)
  const again = { id: randomUUID() }
  if (question !== undefined) return lake.queries.submit(caller, { ...question, ...again })
  if (imported === undefined) throw new NotRepeatable(id)
  return lake.tableService.import(caller, queries[0]!, { ...imported, ...again })
}

function resultRoute(app: FastifyInstance, { access, lake }: LakeContext): void {
  app.get('/queries/:id/results/:name', READ, async (request, reply) => {
    const { id, name } = resultParams.parse(request.params)
    const caller = lakeCaller(access, request, 'queries:read')
    const { file, format } = await lake.queries.result(caller, id, name)
    const sent = await sendFile(request, reply, {
      path: lake.files.at(file),
      type: FILE_TYPES[format],
      name: `${name}.${format}`,
      // Its name carries the fence: another file has another name.
      tag: `"${file}"`,
    })
    if (sent === null) throw NoSuchResult.gone(id)
    return sent
  })
}

function resultRowsRoute(app: FastifyInstance, { access, lake }: LakeContext): void {
  app.get('/queries/:id/results/:name/rows', READ, async (request) => {
    const { id, name } = resultParams.parse(request.params)
    const { offset: skip, limit: most } = resultRowsQuery.parse(request.query)
    const caller = lakeCaller(access, request, 'queries:read')
    const { file, format, columns } = await lake.queries.result(caller, id, name)
    // Collected since it was looked up.
    if ((await lake.files.size(file)) === null) throw NoSuchResult.gone(id)
    return lake.reader.ofResult(lake.files.at(file), { format, columns, skip, most })
  })
}

function rowsRoutes(app: FastifyInstance, context: LakeContext): void {
  const { access, lake } = context
  app.get('/queries/:id/rows', READ, async (request) => {
    const { id } = idParams.parse(request.params)
    const { query = null, after, limit: most } = rowsQuery.parse(request.query)
    await lake.queries.view(lakeCaller(access, request, 'queries:read'), id)
    const page = await nextRows(lake, { id, after, query, most })
    return { ...page, batches: page.batches.map(({ rows }) => rows) }
  })
  app.get('/queries/:id/stream', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const caller = lakeCaller(access, request, 'queries:read')
    const after = streamQuery.parse(request.query).after ?? lastEventId(request)
    const view = (): ReturnType<typeof lake.queries.view> => lake.queries.view(caller, id)
    // A wrong id is still an error before the answer begins.
    await view()
    const allowed = access.whileAllowed(request, reply.raw, 'queries:read')
    const signal = AbortSignal.any([allowed, context.closing])
    return sendNews(request, reply, watchQuery(lake, { id, after, view }, signal))
  })
}

/** The last one that a browser saw before it lost the line. */
function lastEventId({ headers }: FastifyRequest): string {
  const id = headers['last-event-id']
  return cursorField.safeParse(id).data ?? '0'
}

function sendNews(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  news: AsyncIterable<QueryNews>,
): FastifyReply {
  const isEvents = headers.accept?.includes(EVENTS) ?? false
  const lines = isEvents ? eventsOf(news) : linesOf(news)
  void reply.type(isEvents ? EVENTS : FILE_TYPES.jsonl).header('cache-control', 'no-cache')
  return reply.send(Readable.from(lines, { objectMode: false }))
}

async function* linesOf(news: AsyncIterable<QueryNews>): AsyncGenerator<Buffer> {
  for await (const one of news) yield Buffer.from(`${JSON.stringify(one)}\n`)
}

async function* eventsOf(news: AsyncIterable<QueryNews>): AsyncGenerator<Buffer> {
  for await (const one of news) {
    const id = 'after' in one ? `id: ${one.after}\n` : ''
    const event = Object.keys(one)[0]!
    yield Buffer.from(`${id}event: ${event}\ndata: ${JSON.stringify(one)}\n\n`)
  }
}

// Events of a query for clients that watch it: rows as tasks commit them, in no order, and its
// progress.

interface NewsParts {
  scheduler: Scheduler
  files: LakeFiles
  reader: RowsReader
  news: ConditionVariable
  clock: Clock
}

interface RowsAsked {
  id: string
  after: string
  /** Only this one's; all if null. */
  query: string | null
  most: number
}

interface RowsPage {
  /** Each with where to go on behind it: a line may break between any two. */
  batches: { rows: QueryRows; after: string }[]
  after: string
  /** There will be no more. */
  isEnded: boolean
}

/** Files read for one page: there may be many empty ones. */
const OUTPUTS_MOST = 200

/** The next rows. */
async function nextRows(parts: NewsParts, asked: RowsAsked): Promise<RowsPage> {
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
  const shown = { query: output.query, columns }
  const skip = cursor.within === output.number ? cursor.rows : 0
  // Outputs are removed after the query's end: a client that wants the rows reads the result.
  const isThere = (await files.size(output.file)) !== null
  const rows = isThere
    ? (await reader.ofFile(files.at(output.file), { columns, skip, most })).rows
    : []
  const isRead = rows.length === 0 || skip + rows.length >= output.rows
  return {
    rows: { ...shown, rows },
    cursor: isRead
      ? { upTo: output.number, within: null, rows: 0 }
      : { upTo: cursor.upTo, within: output.number, rows: skip + rows.length },
  }
}

/** Other coordinators ring no bell here, and progress is worth a line a second. */
const LOOK_EVERY_MS = 1_000
const ROWS_AT_ONCE = 1_000

/** Until the query has ended and all its rows were sent, or the signal aborts. */
async function* watchQuery(
  parts: NewsParts,
  { after: from, view, id }: { id: string; after: string; view: () => Promise<QueryView> },
  signal: AbortSignal,
): AsyncGenerator<QueryNews> {
  let after = from
  let sent = ''
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
    if (text !== sent) yield { progress: now }
    sent = text
    // A full page: there is more at once.
    if (page.batches.length > 0 && !page.isEnded) continue
    await parts.news.waitFor(LOOK_EVERY_MS, parts.clock, signal)
  }
}

const SECOND_MS = 1_000
const TYPES = { ...FILE_TYPES, json: 'application/json; charset=utf-8' }

/** Questions in SQL over HTTP; the answer begins when it is whole, so that what goes wrong is said as an error. */
export function sqlRoutes(app: FastifyInstance, { access, lake }: LakeContext): void {
  app.get('/sql/limits', may('tables:read'), async () => lake.sql.limits())
  app.post('/sql', may('tables:read'), async (request, reply) => {
    const { sql, format, rowsMax, timeoutS } = sqlQuestion.parse(request.body)
    const caller = lakeCaller(access, request, 'tables:read')
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { file, remove } = await lake.sql.ask({
      owner: caller.accountId,
      sql,
      format,
      rowsMax,
      timeoutMs: timeoutS === undefined ? undefined : timeoutS * SECOND_MS,
      hold: () => lake.tableService.holdSeen(caller, 'sql', sql),
      signal: gone.signal,
    })
    finished(reply.raw, () => void remove())
    const path = lake.files.at(file)
    const sent = await sendFile(request, reply, { path, type: TYPES[format] })
    // Another process removed the result because it took it for left behind.
    if (sent === null) throw NoSuchResult.file()
    return sent
  })
}
