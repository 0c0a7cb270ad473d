/** What clients call: one hanging request, batches, their results. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ServerResponse } from 'node:http'
import { BATCH_ORDERS, RESULT_ORDERS } from '@minga/frontier'
import {
  batchMessage,
  singleMessage,
  type BatchView,
  type CaptureRow,
  type ResultLine,
} from '@minga/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseHttpBlock, unpackMember } from '@minga/archive'
import type { ComplainArgs, PageFacts } from '@minga/fleet'
import { findPlace, readContent } from '../archive/captures/capture-content.ts'
import { may } from '../accounts/access.ts'
import { MethodRefused, NothingToCheck, RequestOpen } from '../station/errors.ts'
import { LISTING, SPAN, sortsOf, toPageArgs } from '../station/sorted-lists.ts'
import { batchWarc } from '../archive/batch-warc.ts'
import { pageWorker } from '../archive/pages/page-worker.ts'
import { readBytes } from '../archive/repair/read-member.ts'
import type { ClientContext } from './client-context.ts'

interface Complaint {
  client: string
  batchId: string
  seq: number
  note: string | null
  /** Made by the caller. */
  id: string
}

/** The operator would only pay the station, and may have anything checked. */
const OPERATOR = 'operator'

/** Whether it is checked; false when the same result was complained of before. */
async function complain(context: ClientContext, args: Complaint): Promise<{ isNew: boolean }> {
  const { store, clock, requests } = context
  const { batchId, seq, client } = args
  await requests.status(client, batchId, true)
  const answered = await store.call('answeredRequest', { batchId, seq })
  if (answered === null || answered.device === null) throw new NothingToCheck(seq)
  const { url, hostId, hash, device, capturedAt } = answered
  const { capture } = await findPlace(context, { url, at: capturedAt })
  const { requestMicros, complaintDepositTimes, complaintsPerDay } = context.settings.current()
  const isOperator = client === OPERATOR
  const complaint: ComplainArgs = {
    id: args.id,
    who: client,
    result: `${batchId} ${seq}`,
    depositMicros: Math.ceil(requestMicros * complaintDepositTimes),
    creditLimitMicros: isOperator ? null : 0,
    perDayMax: isOperator ? null : complaintsPerDay,
    note: args.note,
    device,
    hostId,
    hash,
    collectionId: capture.collectionId,
    captureId: capture.id,
    url,
    page: await factsOf(context, capture),
    earlier: null,
    receivedAt: answered.endedAt,
    now: clock.now(),
  }
  return store.call('complain', complaint)
}

/** Agents send no larger ones. */
const RECORD_BYTES_MAX = 80 * 1024 * 1024

async function factsOf({ data }: ClientContext, capture: CaptureRow): Promise<PageFacts> {
  const { url, digest, status } = capture
  const { block } = await unpackMember(await readBytes(data, capture), RECORD_BYTES_MAX)
  const http = parseHttpBlock(block)
  const headers = http?.headers.pairs ?? []
  const body = http?.body ?? Buffer.alloc(0)
  return pageWorker.run('facts', { url, kind: 'document', status, headers, body, digest })
}

interface BatchSource {
  status(): Promise<BatchView>
  results(after: number): Promise<ResultLine[]>
  /** Resolves when there may be news. */
  news(): Promise<void>
}

/** A reader that takes nothing is not written to for ever. */
const UNREAD_BYTES_MAX = 1024 * 1024

/**
 * The event id is the number of the last result, which a browser sends back (`Last-Event-ID`) when
 * its connection broke: it misses nothing and sees nothing twice.
 */
async function streamBatch(
  raw: ServerResponse,
  source: BatchSource,
  options: { after: number; signal: AbortSignal },
): Promise<void> {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  let after = options.after
  const send = (event: string, data: unknown): void =>
    void raw.write(`id: ${after}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  while (!options.signal.aborted && raw.writableLength < UNREAD_BYTES_MAX) {
    // The state is read first, so that a result that comes in between is sent before the end is.
    const batch = await source.status()
    for (let lines = await source.results(after); lines.length > 0;) {
      for (const line of lines) {
        after = line.no
        send('result', line)
      }
      lines = await source.results(after)
    }
    const isOver = batch.open === 0 && batch.state !== 'filling'
    send(isOver ? 'end' : 'progress', batch)
    if (isOver) break
    await source.news()
  }
  raw.end()
}

const idParams = z.object({ id: z.string().max(100) })
const seqParams = idParams.extend({ seq: z.coerce.number().int().min(0) })
const complaintBody = z.object({ note: z.string().max(1_000).nullable().default(null) })
const resultsQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100_000).optional(),
})
const BATCH_STATES = ['filling', 'running', 'ended', 'cancelled'] as const
const listQuery = z.object({
  before: z.coerce.number().default(Number.MAX_SAFE_INTEGER),
  from: z.coerce.number().optional(),
  state: z.enum(BATCH_STATES).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
})
const batchesQuery = z.object({
  ...LISTING,
  ...SPAN,
  state: z.enum(BATCH_STATES).optional(),
  sort: z.enum(sortsOf(BATCH_ORDERS)).default('-createdAt'),
})
const resultsPageQuery = z.object({
  ...LISTING,
  outcome: z.enum(['captured', 'failed', 'denied', 'cancelled']).optional(),
  isVerified: z.stringbool().optional(),
  sort: z.enum(sortsOf(RESULT_ORDERS)).default('no'),
})
/** Results read from the store at a time. */
const PAGE = 1_000
const SECOND_MS = 1_000
const SEND = may('requests:send')
const READ = may('requests:read')

export function requestRoutes(app: FastifyInstance, context: ClientContext): void {
  const { requests, waiters, access } = context

  app.post('/requests', { ...SEND, preHandler: getOnly }, (request, reply) =>
    hangingRequest(context, request, reply),
  )
  app.post('/batches', { ...SEND, preHandler: getOnly }, (request) =>
    requests.submit(
      access.clientOf(request),
      batchMessage.parse(withHeaderKey(request)),
      access.viewerOf(request),
    ),
  )
  app.get('/batches', READ, (request) =>
    requests.list(access.clientOf(request), listQuery.parse(request.query)),
  )
  app.get('/batches/page', READ, (request) =>
    requests.find(access.clientOf(request), toPageArgs(batchesQuery.parse(request.query))),
  )
  app.get('/batches/:id', READ, (request) =>
    requests.status(access.clientOf(request), idParams.parse(request.params).id),
  )
  app.post('/batches/:id/cancel', SEND, (request) =>
    requests.cancel(access.clientOf(request), idParams.parse(request.params).id),
  )
  app.post('/batches/:id/results/:seq/complaint', SEND, (request) => {
    const { id: batchId, seq } = seqParams.parse(request.params)
    const { note } = complaintBody.parse(request.body ?? {})
    const id = `aud_${randomUUID()}`
    return complain(context, { client: access.clientOf(request), batchId, seq, note, id })
  })
  app.get('/batches/:id/results', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const { after, limit = Infinity } = resultsQuery.parse(request.query)
    const client = access.clientOf(request)
    // The first page is read before the answer begins: a wrong id is still an error then.
    const first = await requests.results(client, id, { after, limit: Math.min(PAGE, limit) })
    const lines = asNdjson(resultPages(context, { client, id, first, limit }))
    return reply.type('application/x-ndjson').send(Readable.from(lines))
  })
  app.get('/batches/:id/results/page', READ, (request) => {
    const { id } = idParams.parse(request.params)
    const asked = toPageArgs(resultsPageQuery.parse(request.query))
    return requests.findResults(access.clientOf(request), id, asked)
  })
  app.get('/batches/:id/events', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const client = access.clientOf(request)
    await requests.status(client, id)
    const allowed = context.access.whileAllowed(request, reply.raw, 'requests:read')
    const signal = AbortSignal.any([allowed, context.closing])
    const source = {
      status: () => requests.status(client, id),
      results: (after: number) => requests.results(client, id, { after, limit: PAGE }),
      news: () => waiters.news(signal),
    }
    reply.hijack()
    await streamBatch(reply.raw, source, { after: lastEventId(request), signal })
  })
  app.get('/batches/:id/warc', READ, async (request, reply) => {
    const { id } = idParams.parse(request.params)
    const client = access.clientOf(request)
    const first = await requests.results(client, id, { after: 0, limit: PAGE })
    const pages = resultPages(context, { client, id, first, limit: Infinity })
    const records = batchWarc(context, { id, lines: oneByOne(pages) })
    return reply.type('application/warc').send(Readable.from(records))
  })
}

/** A method that would be ignored is refused, because the caller expects it to be used. */
async function getOnly({ body }: FastifyRequest): Promise<void> {
  const method = (body as { method?: unknown } | null)?.method
  if (method !== undefined && method !== 'GET') throw new MethodRefused(JSON.stringify(method))
}

function lastEventId({ headers }: FastifyRequest): number {
  const id = Number(headers['last-event-id'] ?? 0)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** Other APIs use this header for the key; it is accepted in addition to the field. */
function withHeaderKey(request: FastifyRequest): unknown {
  const key = request.headers['idempotency-key']
  if (key === undefined || typeof request.body !== 'object') return request.body
  return { idempotencyKey: String(key), ...request.body }
}

async function* resultPages(
  { requests }: ClientContext,
  args: { client: string; id: string; first: ResultLine[]; limit: number },
): AsyncGenerator<ResultLine[]> {
  let page = args.first
  let left = args.limit
  while (page.length > 0) {
    yield page
    left -= page.length
    if (left <= 0 || page.length < PAGE) return
    const after = page.at(-1)!.no
    page = await requests.results(args.client, args.id, { after, limit: Math.min(PAGE, left) })
  }
}

async function* asNdjson(pages: AsyncIterable<ResultLine[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((line) => `${JSON.stringify(line)}\n`).join('')
}

async function* oneByOne(pages: AsyncIterable<ResultLine[]>): AsyncGenerator<ResultLine> {
  for await (const page of pages) yield* page
}

/** Answered when the capture exists, or with 202 and the batch to ask later when it takes too long. */
async function hangingRequest(
  context: ClientContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { requests, waiters, access } = context
  const client = access.clientOf(request)
  const { url, as, ...asked } = singleMessage.parse(request.body)
  const { timeoutS: wantedS, ...rest } = asked
  const timeoutS = Math.min(wantedS, context.settings.current().hangingMaxMs / SECOND_MS)
  const message = { ...rest, urls: [url], idempotencyKey: null, webhook: null }
  const batch = await requests.submit(client, message, context.access.viewerOf(request))
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const isEnded =
    batch.open === 0 || (await waiters.ended(batch.id, timeoutS * SECOND_MS, gone.signal))
  if (!isEnded) throw new RequestOpen(batch.id, timeoutS)
  const [line] = await requests.results(client, batch.id, { after: 0, limit: 1 })
  if (as === 'result') return { batch: batch.id, ...line! }
  return sendBody(context, reply, line!)
}

async function sendBody(
  context: ClientContext,
  reply: FastifyReply,
  line: ResultLine,
): Promise<unknown> {
  reply.header('x-minga-outcome', line.outcome)
  if (line.outcome !== 'captured') return reply.status(502).send(line)
  const content = await readContent(context, {
    url: line.finalUrl ?? line.url,
    at: Date.parse(line.capturedAt!),
  })
  return reply.headers(content.headers).send(content.body)
}
