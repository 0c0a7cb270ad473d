/**
 * What the page and the command line may ask of a running agent.
 *   GET   /api/view                              what it does now
 *   GET   /api/events                            the same, as it changes (server-sent events)
 *   GET   /api/activity?before&limit&host        what it fetched, newest first
 *   GET   /api/activity.jsonl?host               all of it, a line each
 *   PATCH /api/limits                            some limits, or all
 *   POST  /api/pause|resume|finish|stop
 */
import type { Clock } from '@minga/protocol'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentControl, VolunteerLimits } from '../control.ts'
import { BadPageCall, PageNotThere } from '../../errors.ts'

export interface CallTools {
  control: AgentControl
  clock: Clock
  /** Aborts when the page closes: streams end then. */
  closing: AbortSignal
}

export interface Call {
  request: IncomingMessage
  response: ServerResponse
  path: string
}

type Handler = (call: Call, tools: CallTools) => Promise<void>

const HANDLERS: Record<string, Handler> = {
  'GET /api/view': async ({ response }, { control }) => sendJson(response, 200, control.view()),
  'GET /api/events': tellViews,
  'GET /api/activity': async (call, { control }) => {
    const { before, limit, host } = activityQuery(call.request)
    const lines = await control.activity({
      limit,
      ...(before === null ? {} : { before }),
      ...(host === null ? {} : { host }),
    })
    sendJson(call.response, 200, lines)
  },
  'GET /api/activity.jsonl': sendActivity,
  'PATCH /api/limits': async ({ request, response }, { control }) => {
    const change = (await bodyOf(request)) as Partial<VolunteerLimits>
    sendJson(response, 200, await control.setLimits(change))
  },
  'POST /api/pause': async ({ response }, { control }) => {
    await control.pause()
    sendJson(response, 200, control.view())
  },
  'POST /api/resume': async ({ response }, { control }) => {
    await control.resume()
    sendJson(response, 200, control.view())
  },
  'POST /api/finish': async ({ response }, { control }) => {
    // Answered first: the end of the agent is also the end of this server.
    sendJson(response, 200, control.view())
    control.finish()
  },
  'POST /api/stop': async ({ response }, { control }) => {
    sendJson(response, 200, control.view())
    control.stopNow()
  },
}

export function isCall(path: string): boolean {
  return path.startsWith('/api/')
}

export async function answerCall(call: Call, tools: CallTools): Promise<void> {
  const name = `${call.request.method} ${call.path}`
  const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined
  if (handler === undefined) throw new PageNotThere(name)
  await handler(call, tools)
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

/** A person does not read faster, and a view costs little at this pace. */
const VIEW_EVERY_MS = 1_000

async function tellViews(
  { response }: Call,
  { control, clock, closing }: CallTools,
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const over = AbortSignal.any([gone.signal, closing])
  response.setHeader('content-type', 'text/event-stream')
  while (!over.aborted) {
    // A reader that does not read gets no more until it does.
    if (!response.writableNeedDrain) response.write(`data: ${JSON.stringify(control.view())}\n\n`)
    await clock.sleep(VIEW_EVERY_MS, over)
  }
  response.end()
}

const PIECE_LINES = 500

/** In pieces, newest first: the log may be larger than memory should be. */
async function sendActivity(call: Call, { control, closing }: CallTools): Promise<void> {
  const { response } = call
  const { host } = activityQuery(call.request)
  response.setHeader('content-type', 'application/x-ndjson')
  response.setHeader('content-disposition', 'attachment; filename="minga-activity.jsonl"')
  let before: number | undefined
  while (!closing.aborted && !response.destroyed) {
    const lines = await control.activity({
      limit: PIECE_LINES,
      ...(before === undefined ? {} : { before }),
      ...(host === null ? {} : { host }),
    })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    if (!response.write(text))
      await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (lines.length < PIECE_LINES) break
    before = lines.at(-1)?.no
  }
  response.end()
}

interface ActivityQuery {
  before: number | null
  limit: number
  host: string | null
}

const LINES_DEFAULT = 100
const LINES_MAX = 1_000
/** A name has 253 characters at most. */
const HOST_CHARACTERS_MAX = 253

function activityQuery(request: IncomingMessage): ActivityQuery {
  const { searchParams } = new URL(request.url ?? '/', 'http://page')
  const host = (searchParams.get('host') ?? '').trim().toLowerCase()
  if (host.length > HOST_CHARACTERS_MAX) throw new BadPageCall('host is longer than names are')
  return {
    before: wholeIn(searchParams, 'before'),
    limit: Math.min(wholeIn(searchParams, 'limit') ?? LINES_DEFAULT, LINES_MAX),
    host: host === '' ? null : host,
  }
}

function wholeIn(query: URLSearchParams, name: string): number | null {
  const text = query.get(name)
  if (text === null) return null
  if (!/^\d{1,15}$/.test(text)) throw new BadPageCall(`${name} is not a whole number`)
  return Number(text)
}

/** The limits take a few hundred bytes; a caller must not fill the agent's memory. */
const BODY_BYTES_MAX = 64 * 1024

async function bodyOf(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new BadPageCall(`it is longer than ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch {
    // Said below, as of any other text that is not an object.
  }
  throw new BadPageCall('its body is not a JSON object')
}
