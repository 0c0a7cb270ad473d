/**
 * What surrounds every answer of api.php: an error inside HTTP 200, warnings, the continuation; and what
 * comes instead of one from proxies, overloaded servers and closed doors.
 */
import { headerValues, retryAfterMs, type HeaderList, type Truncation } from '@minga/net'
import { asObject, listAt, objectAt, textAt, type Json } from './answer-shape.ts'
import { isContinueKey } from './step-params.ts'
import type { WikiProblem, WikiErrorCode } from './wiki-news.ts'
import type { Continue } from './wiki-step.ts'

export interface WikiAnswer {
  status: number
  headers: HeaderList
  /** Content-decoding undone. */
  body: Uint8Array
  truncated?: Truncation | null
}

export interface Envelope {
  query: Json | null
  /** Null at the end. */
  more: Continue | null
  warnings: string[]
}

export type Opened = { ok: true; envelope: Envelope } | { ok: false; problem: WikiProblem }

const SECOND_MS = 1_000
/** The least that `maxlag` asks for. */
const LAG_PAUSE_MS = 5 * SECOND_MS
/** For those that do not say how long: rates are counted by the minute. */
const PAUSE_MS = 60 * SECOND_MS
const MESSAGE_CHARS = 300

export function openAnswer(answer: WikiAnswer, now: number): Opened {
  const problem = problemOfStatus(answer, now)
  const parsed = parseJson(answer.body)
  const root = asObject(parsed)
  const error = root === null ? null : errorOf(root)
  if (error !== null) return { ok: false, problem: problemOfError(error, answer, now) }
  if (problem !== null) return { ok: false, problem }
  if (root === null) return { ok: false, problem: notJson(answer) }
  return openRoot(root)
}

function openRoot(root: Json): Opened {
  const query = objectAt(root, 'query')
  const isAnswer = query !== null || 'batchcomplete' in root || 'continue' in root
  if (!isAnswer) return bad('The answer is JSON, but not of MediaWiki.')
  const more = continueOf(root)
  if (more === undefined) return bad('The continuation of the answer cannot be sent back.')
  return { ok: true, envelope: { query, more, warnings: warningsOf(root) } }
}

function bad(message: string): Opened {
  return { ok: false, problem: problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, message) }
}

export function problemOf(
  code: WikiErrorCode,
  retry: WikiProblem['retry'],
  pauseMs: number,
  message: string,
): WikiProblem {
  const plain = message.replace(/\s+/g, ' ').trim()
  return { code, retry, pauseMs, message: plain.slice(0, MESSAGE_CHARS) }
}

/** Undefined when a part of it would overwrite what we ask for. */
function continueOf(root: Json): Continue | null | undefined {
  const given = objectAt(root, 'continue')
  if (given === null) return null
  const more: Record<string, string> = {}
  for (const [key, value] of Object.entries(given)) {
    const isPlain = typeof value === 'string' || typeof value === 'number'
    if (!isPlain || !isContinueKey(key)) return undefined
    more[key] = String(value)
  }
  return Object.keys(more).length === 0 ? null : more
}

/** The oldest form is `*`, the newest a list with codes. */
function warningsOf(root: Json): string[] {
  const texts = Array.isArray(root['warnings'])
    ? listAt(root, 'warnings').map((each) => textAt(each, 'text') ?? textAt(each, 'code'))
    : listAt(root, 'warnings').map((each) => textAt(each, 'warnings') ?? textAt(each, '*'))
  return texts.filter((text) => text !== null).map((text) => text.slice(0, MESSAGE_CHARS))
}

interface ApiError {
  code: string
  info: string
}

function errorOf(root: Json): ApiError | null {
  const error = objectAt(root, 'error') ?? listAt(root, 'errors')[0] ?? null
  if (error === null) return null
  const info = textAt(error, 'info') ?? textAt(error, 'text') ?? textAt(error, '*') ?? ''
  return { code: textAt(error, 'code') ?? 'unknown', info }
}

function problemOfError({ code, info }: ApiError, answer: WikiAnswer, now: number): WikiProblem {
  const message = `The wiki answers ${code}: ${info}`
  const pauseMs = retryAfterMs(answer.headers, now)
  if (code === 'maxlag') {
    const requestedMs = Math.max(pauseMs ?? 0, LAG_PAUSE_MS)
    return problemOf('MINGA_WIKI_LAGGED', 'later', requestedMs, message)
  }
  if (code === 'ratelimited' || answer.status === 429) {
    return problemOf('MINGA_WIKI_RATE_LIMITED', 'later', pauseMs ?? PAUSE_MS, message)
  }
  if (code === 'readonly') {
    return problemOf('MINGA_WIKI_READ_ONLY', 'later', pauseMs ?? PAUSE_MS, message)
  }
  if (code.startsWith('internal_api_error')) {
    return problemOf('MINGA_WIKI_UNAVAILABLE', 'smaller', pauseMs ?? PAUSE_MS, message)
  }
  if (/^(readapidenied|permissiondenied|apidisabled|api-disabled|mustbeloggedin)/.test(code)) {
    return problemOf('MINGA_WIKI_CLOSED', 'elsewhere', 0, message)
  }
  if (code === 'badcontinue') return problemOf('MINGA_WIKI_LOOP', 'never', 0, message)
  return problemOf('MINGA_WIKI_REFUSED', 'never', 0, message)
}

/** What the status and the connection say; null when the body must tell. */
function problemOfStatus(answer: WikiAnswer, now: number): WikiProblem | null {
  const { status, truncated } = answer
  const pauseMs = retryAfterMs(answer.headers, now)
  const message = `The wiki answers with status ${status}.`
  if (status === 429)
    return problemOf('MINGA_WIKI_RATE_LIMITED', 'later', pauseMs ?? PAUSE_MS, message)
  if (status === 503)
    return problemOf('MINGA_WIKI_UNAVAILABLE', 'later', pauseMs ?? PAUSE_MS, message)
  if (isApiSwitchedOff(answer)) {
    return problemOf('MINGA_WIKI_CLOSED', 'elsewhere', 0, 'The API of this wiki is switched off.')
  }
  if (status === 502) return problemOf('MINGA_WIKI_UNAVAILABLE', 'later', PAUSE_MS, message)
  if (status >= 500) return problemOf('MINGA_WIKI_UNAVAILABLE', 'smaller', PAUSE_MS, message)
  if (status === 413 || status === 414)
    return problemOf('MINGA_WIKI_TOO_LARGE', 'smaller', 0, message)
  if (status === 401 || status === 403)
    return problemOf('MINGA_WIKI_REFUSED', 'elsewhere', 0, message)
  if (status >= 400) return problemOf('MINGA_WIKI_NOT_FOUND', 'elsewhere', 0, message)
  if (truncated === 'length' || truncated === 'time') {
    return problemOf('MINGA_WIKI_TOO_LARGE', 'smaller', 0, 'The answer was larger than one may be.')
  }
  if (truncated === 'disconnect') {
    return problemOf('MINGA_WIKI_BAD_ANSWER', 'later', LAG_PAUSE_MS, 'The answer was cut short.')
  }
  return null
}

/** Until 1.31 a wiki could switch its API off; it then answers with a text and status 500. */
function isApiSwitchedOff({ body }: WikiAnswer): boolean {
  const start = Buffer.from(body.subarray(0, 500)).toString('latin1')
  return /MediaWiki API is not enabled/i.test(start)
}

function notJson({ body, headers }: WikiAnswer): WikiProblem {
  const start = Buffer.from(body.subarray(0, 2_000)).toString('utf8').trimStart()
  const type = headerValues({ headers }, 'content-type')[0] ?? ''
  const isPage = start.startsWith('<') || /html/i.test(type)
  const isCut = start.startsWith('{')
  const title = /<title[^>]*>([^<]{1,100})/i.exec(start)?.[1]
  const what = isPage
    ? `A page came instead of JSON${title === undefined ? '' : ` (“${title.trim()}”)`}; a proxy may stand before the wiki.`
    : isCut
      ? 'The answer begins as JSON and does not end as such: it was cut short.'
      : 'The answer is no JSON.'
  return problemOf('MINGA_WIKI_BAD_ANSWER', 'later', PAUSE_MS, what)
}

/** A byte order mark comes from extensions that were saved with one. */
export function parseJson(body: Uint8Array): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
