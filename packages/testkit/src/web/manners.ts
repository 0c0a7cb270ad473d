/** How a host treats requests for its ordinary pages: throttling, failing, confirming, encoding. */

import { createHash } from 'node:crypto'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'

import type { Clock } from '@minga/protocol'

import { textAnswer, type Answer } from './answer.ts'
import { behaviourOf, type Site } from './site.ts'
import type { Behaviour, Encoding } from './spec.ts'

/** A date in the past that never changes: the same seed must give the same bytes. */
const LAST_MODIFIED = 'Fri, 02 Jan 2026 03:04:05 GMT'

export interface PageRequest {
  site: Site
  path: string
  headers: { [name: string]: string | string[] | undefined }
}

export interface Manners {
  apply(answer: Answer, request: PageRequest): Answer
}

export function makeManners(clock: Clock): Manners {
  const timesAsked = new Map<string, number>()
  const passage = (key: string): number => {
    const times = (timesAsked.get(key) ?? 0) + 1
    timesAsked.set(key, times)
    return times
  }
  return {
    apply: (answer, request) => {
      const { site, path } = request
      if (site.behaviours.length === 0) return answer

      const throttled = behaviourOf(site, 'throttled')
      if (throttled && isThrottledAt(passage(`throttled ${site.index}`), throttled))
        return throttledAnswer(throttled, clock)

      const flaky = behaviourOf(site, 'flaky')
      if (flaky && passage(`flaky ${site.index} ${path}`) <= flaky.times)
        return textAnswer(flaky.status ?? 500, 'text/plain', 'try again\n')

      return slowed(encoded(validated(answer, request), request), site)
    },
  }
}

type Throttled = Behaviour & { kind: 'throttled' }

function isThrottledAt(passage: number, { after = 0, times }: Throttled): boolean {
  return passage > after && passage <= after + times
}

function throttledAnswer(throttled: Throttled, clock: Clock): Answer {
  const answer = textAnswer(throttled.status, 'text/plain', 'slow down\n')
  const seconds = throttled.retryAfterSeconds
  if (seconds === undefined) return answer
  const value = throttled.retryAfterAsDate
    ? new Date(clock.now() + seconds * 1000).toUTCString()
    : String(seconds)
  return { ...answer, headers: [...answer.headers, 'retry-after', value] }
}

function validated(answer: Answer, { site, headers }: PageRequest): Answer {
  const validators = behaviourOf(site, 'validators')
  if (!validators) return answer
  const sent: string[] = []
  const tag = `"${createHash('sha256').update(answer.body()).digest('hex').slice(0, 16)}"`
  if (validators.etag ?? true) sent.push('etag', tag)
  if (validators.lastModified ?? true) sent.push('last-modified', LAST_MODIFIED)

  // RFC 9110 §13.1.3: If-Modified-Since is ignored where If-None-Match is present.
  const expected = headers['if-none-match']
  const isSame =
    expected === undefined
      ? headers['if-modified-since'] === LAST_MODIFIED && sent.includes(LAST_MODIFIED)
      : sent.includes('etag') && String(expected).includes(tag)
  return isSame
    ? { ...answer, status: 304, headers: sent, body: () => Buffer.alloc(0) }
    : { ...answer, headers: [...answer.headers, ...sent] }
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const ENCODERS: Record<Encoding, (body: Buffer) => Buffer> = {
  gzip: (body) => gzipSync(body),
  br: (body) => brotliCompressSync(body, BROTLI),
  zstd: (body) => zstdCompressSync(body),
  deflate: (body) => deflateSync(body),
  // What some servers send by mistake under the name of deflate; browsers read both.
  'deflate-raw': (body) => deflateRawSync(body),
}

function encoded(answer: Answer, { site, headers }: PageRequest): Answer {
  const wanted = behaviourOf(site, 'encoding')
  if (!wanted || answer.status !== 200) return answer
  const token = wanted.encoding === 'deflate-raw' ? 'deflate' : wanted.encoding
  const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,;]+/)
  if (!wanted.evenIfNotAccepted && !accepted.includes(token)) return answer
  return {
    ...answer,
    headers: [...answer.headers, 'content-encoding', token, 'vary', 'accept-encoding'],
    body: () => ENCODERS[wanted.encoding](answer.body()),
  }
}

function slowed(answer: Answer, site: Site): Answer {
  const slow = behaviourOf(site, 'slow')
  if (!slow) return answer
  const { firstByteMs, dripBytes = 1024, dripMs = 0 } = slow
  return { ...answer, wire: { how: 'slow', firstByteMs, dripBytes, dripMs } }
}
