/**
 * Server-sent events (WHATWG HTML, 9.2) read piece by piece, and what Wikimedia's EventStreams say in them.
 * Pieces may end anywhere, inside a character or between the two bytes of a line end.
 */
import { TextDecoder } from 'node:util'
import { asObject, flagAt, numberAt, objectAt, textAt, timeAt, type Json } from './answer-shape.ts'
import { eventKindOf, eventOf } from './read-feed.ts'
import type { PageChange, WikiEvent, WikiEventKind } from './wiki-news.ts'

export interface StreamEvent {
  /** `message` unless the stream says otherwise. */
  type: string
  data: string
  /** To be sent as Last-Event-ID when the connection is reopened. */
  id: string
}

/** An event that never ends must not fill the memory. */
const EVENT_CHARS_MAX = 4 * 1024 * 1024

export class EventStreamReader {
  readonly #decoder = new TextDecoder('utf-8')
  /** Pieces of a line whose end has not come yet. */
  #rest: string[] = []
  #restChars = 0
  /** Whether they end with a `\r`, which may be half of a line end. */
  #hasReturn = false
  #data: string[] = []
  #chars = 0
  #type = ''
  /** The id of the last complete event; null before the first one. */
  lastEventId: string | null = null
  #id = ''
  /** How long the server asks to wait before connecting again; null until it does. */
  retryMs: number | null = null

  push(chunk: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const line of this.#linesWith(this.#decoder.decode(chunk, { stream: true }))) {
      const event = line === '' ? this.#dispatch() : this.#field(line)
      if (event !== null) events.push(event)
    }
    return events
  }

  /** The lines that end in this piece. Only the piece is searched: what waits has no end in it. */
  #linesWith(piece: string): string[] {
    const text = this.#hasReturn ? `\r${piece}` : piece
    this.#hasReturn = text.endsWith('\r')
    const lines = (this.#hasReturn ? text.slice(0, -1) : text).split(/\r\n|\r|\n/)
    const last = lines.pop()!
    if (lines.length > 0) {
      lines[0] = this.#rest.join('') + lines[0]!
      this.#forgetRest()
    }
    this.#rest.push(last)
    this.#restChars += last.length
    if (this.#restChars > EVENT_CHARS_MAX) this.#forgetRest()
    return lines
  }

  #forgetRest(): void {
    this.#rest = []
    this.#restChars = 0
  }

  #field(line: string): null {
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') this.#type = value
    if (name === 'id' && !value.includes('\0')) this.#id = value
    if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value)
    if (name === 'data' && this.#chars < EVENT_CHARS_MAX) {
      this.#data.push(value)
      this.#chars += value.length
    }
    return null
  }

  #dispatch(): StreamEvent | null {
    const [data, type, isWhole] = [this.#data.join('\n'), this.#type, this.#chars < EVENT_CHARS_MAX]
    const isEmpty = this.#data.length === 0
    this.#data = []
    this.#chars = 0
    this.#type = ''
    if (this.#id !== '') this.lastEventId = this.#id
    if (isEmpty || !isWhole) return null
    return { type: type === '' ? 'message' : type, data, id: this.#id }
  }
}

export interface StreamNews {
  change: PageChange | null
  event: WikiEvent | null
}

/** Null for other wikis, for tests of the stream itself (canary events) and for what cannot be read. */
export function newsOfEvent(event: StreamEvent, host: string): StreamNews | null {
  const row = parsed(event.data)
  const meta = objectAt(row, 'meta')
  if (event.type !== 'message' || row === null) return null
  const domain = textAt(meta, 'domain') ?? textAt(row, 'server_name')
  if (domain === 'canary' || domain !== host) return null
  return objectAt(row, 'page') === null ? newsOfRecentChange(row) : newsOfPageChange(row)
}

function parsed(text: string): Json | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

const PAGE_CHANGES: Readonly<Record<string, WikiEventKind>> = {
  move: 'moved',
  delete: 'deleted',
  undelete: 'restored',
  visibility_change: 'hidden',
}

/** Schema `mediawiki/page/change`. */
function newsOfPageChange(row: Json): StreamNews | null {
  const [page, revision] = [objectAt(row, 'page'), objectAt(row, 'revision')]
  const at = timeAt(row, 'dt')
  const title = textAt(page, 'page_title')?.replaceAll('_', ' ') ?? null
  if (at === null || title === null) return null
  const [pageId, ns, revId] = [
    numberAt(page, 'page_id'),
    numberAt(page, 'namespace_id') ?? 0,
    numberAt(revision, 'rev_id'),
  ]
  const kind = PAGE_CHANGES[textAt(row, 'page_change_kind') ?? '']
  const change = { pageId, ns, title, revId, at, changeId: null }
  if (kind === undefined) return { change, event: null }
  const before = textAt(objectAt(objectAt(row, 'prior_state'), 'page'), 'page_title')
  const isMove = kind === 'moved' && before !== null
  const event: WikiEvent = {
    kind,
    at,
    logId: null,
    pageId,
    ns,
    title: isMove ? before.replaceAll('_', ' ') : title,
    newTitle: isMove ? title : null,
    revIds: kind === 'hidden' && revId !== null ? [revId] : [],
    isSuppressed: flagAt(page, 'is_suppressed'),
  }
  return { change, event }
}

/** Schema `mediawiki/recentchange`, which has no page ids. */
function newsOfRecentChange(row: Json): StreamNews | null {
  const seconds = numberAt(row, 'timestamp')
  const title = textAt(row, 'title')
  const type = textAt(row, 'type') ?? ''
  if (seconds === null || title === null || !['edit', 'new', 'log'].includes(type)) return null
  const at = seconds * 1000
  const ns = numberAt(row, 'namespace') ?? 0
  const revId = numberAt(objectAt(row, 'revision'), 'new')
  const change = { pageId: null, ns, title, revId, at, changeId: numberAt(row, 'id') }
  const [logType, action] = [textAt(row, 'log_type') ?? '', textAt(row, 'log_action') ?? '']
  if (eventKindOf(logType, action) === null) return { change, event: null }
  const entry = {
    logtype: logType,
    logaction: action,
    logid: row['log_id'],
    logparams: row['log_params'],
    timestamp: new Date(at).toISOString(),
    title,
    ns,
  }
  return { change, event: eventOf(entry) }
}
