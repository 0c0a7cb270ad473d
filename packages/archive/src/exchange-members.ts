/**
 * One HTTP exchange becomes three linked members: the capture (response or revisit), the request,
 * and a metadata record on how it was reached. The capture is always `members[0]`, so that its
 * offset in an appended group is the group's own offset.
 *
 * The headers must match the stored bytes. The HTTP client has removed the transfer encoding, so a
 * Transfer-Encoding header would be wrong (pywb#584): such headers are stored under
 * `X-Archive-Orig-…`. Revisits say by URL, date and identifier which response they refer to: replay
 * tools find it by the first two, and skip other revisits.
 */

import { requestTargetOf } from '@minga/net'
import type { Instant } from '@minga/protocol'
import { sha256Label } from './digest.ts'
import { encodeRecord, oneLine, recordId, warcDate, type HeaderPair } from './warc-record.ts'

/** The response that holds the payload which a new capture repeats; never a revisit. */
export interface Referred {
  /** `sha256:` + hex of the payload. */
  digest: string
  url: string
  capturedAt: Instant
  /** Its WARC-Record-ID; null in archives whose tables do not know it yet. */
  recordId: string | null
}

export interface Exchange {
  url: string
  capturedAt: Instant
  /** The IP address that answered. */
  address: string
  requestMethod: string
  requestHeaders: readonly HeaderPair[]
  httpVersion: '1.1' | '2'
  status: number
  statusText: string
  rawHeaders: readonly HeaderPair[]
  /** Transfer encoding removed, content encoding still on. */
  body: Buffer
  truncated: 'length' | 'time' | 'disconnect' | null
  fetchMs: number
  via: string | null
  hops: number
  warcinfoId: string | null
  previous: Referred | null
  /** What the server showed over TLS. */
  certificate?: { digest: string; issuer: string } | null
  /** Whether the address of the machine that fetched it was overwritten with zeros. */
  isMasked?: boolean
}

export interface RecordedExchange {
  members: [capture: Buffer, request: Buffer, metadata: Buffer]
  kind: 'response' | 'revisit'
  /** Of the original for not-modified answers, whose own body is empty. */
  payloadDigest: string
  payloadBytes: number
  responseHeadBytes: number
  /** Media type without parameters; `unk` when the server gave none, as pywb writes it. */
  mime: string
  /** Length of `members[0]`, which is what the index records. */
  captureBytes: number
  totalBytes: number
}

export const REVISIT_SAME_PAYLOAD =
  'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'
const REVISIT_NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified'

/** Compression effort: zlib levels for the capture and for the small records next to it. */
export interface Effort {
  capture: number
  beside: number
}

export function recordExchange(
  exchange: Exchange,
  newId: () => string,
  effort?: Effort,
): RecordedExchange {
  const date = warcDate(exchange.capturedAt)
  const captureId = recordId(newId())
  const common: HeaderPair[] = [
    ['WARC-Target-URI', exchange.url],
    ['WARC-Date', date],
  ]
  if (exchange.warcinfoId !== null) common.push(['WARC-Warcinfo-ID', exchange.warcinfoId])

  const capture = encodeCapture(
    exchange,
    [['WARC-Record-ID', captureId], ...common],
    effort?.capture,
  )
  const linked: HeaderPair[] = [...common, ['WARC-Concurrent-To', captureId]]
  const request = encodeRecord(
    {
      type: 'request',
      headers: [
        ['WARC-Record-ID', recordId(newId())],
        ...linked,
        ['WARC-IP-Address', exchange.address],
        ['Content-Type', 'application/http; msgtype=request'],
      ],
      block: [requestHead(exchange)],
    },
    effort?.beside,
  )
  const metadata = encodeRecord(
    {
      type: 'metadata',
      headers: [
        ['WARC-Record-ID', recordId(newId())],
        ...linked,
        ['Content-Type', 'application/warc-fields'],
      ],
      block: [warcFields(howItWasReached(exchange))],
    },
    effort?.beside,
  )
  return {
    ...capture.facts,
    members: [capture.member, request, metadata],
    payloadBytes: exchange.body.length,
    mime: mediaType(exchange.rawHeaders),
    captureBytes: capture.member.length,
    totalBytes: capture.member.length + request.length + metadata.length,
  }
}

interface EncodedCapture {
  member: Buffer
  facts: Pick<RecordedExchange, 'kind' | 'payloadDigest' | 'responseHeadBytes'>
}

function encodeCapture(
  exchange: Exchange,
  common: readonly HeaderPair[],
  level: number | undefined,
): EncodedCapture {
  const ownDigest = sha256Label([exchange.body])
  const repeated = repeatedPayload(exchange, ownDigest)
  const payloadDigest = repeated?.referred.digest ?? ownDigest
  const head = responseHead(exchange)

  const headers: HeaderPair[] = [...common, ['WARC-IP-Address', exchange.address]]
  if (exchange.httpVersion === '2') headers.push(['WARC-Protocol', 'h2'])
  if (exchange.truncated !== null) headers.push(['WARC-Truncated', exchange.truncated])
  headers.push(['Content-Type', 'application/http; msgtype=response'])
  headers.push(['WARC-Payload-Digest', payloadDigest])
  if (repeated) headers.push(...revisitHeaders(repeated.profile, repeated.referred))

  const kind = repeated ? 'revisit' : 'response'
  const block = repeated || exchange.body.length === 0 ? [head] : [head, exchange.body]
  return {
    member: encodeRecord({ type: kind, headers, block }, level),
    facts: { kind, payloadDigest, responseHeadBytes: head.length },
  }
}

/** An empty body is never a repetition: a revisit would save nothing and need its original. */
function repeatedPayload(
  exchange: Exchange,
  digest: string,
): { profile: string; referred: Referred } | null {
  const referred = exchange.previous
  if (!referred) return null
  if (exchange.status === 304) return { profile: REVISIT_NOT_MODIFIED, referred }
  const isSame = exchange.body.length > 0 && digest === referred.digest
  return isSame ? { profile: REVISIT_SAME_PAYLOAD, referred } : null
}

export function revisitHeaders(profile: string, referred: Referred): HeaderPair[] {
  const { recordId: id, url, capturedAt } = referred
  return [
    ['WARC-Profile', profile],
    // A station of an older version names none.
    ...(id ? [['WARC-Refers-To', id] satisfies HeaderPair] : []),
    ['WARC-Refers-To-Target-URI', url],
    ['WARC-Refers-To-Date', warcDate(capturedAt)],
  ]
}

function responseHead(exchange: Exchange): Buffer {
  let head = `HTTP/1.1 ${exchange.status} ${oneLine(exchange.statusText)}\r\n`
  for (const [name, value] of truthfulHeaders(exchange)) {
    head += `${oneLine(name)}: ${oneLine(value)}\r\n`
  }
  return headBytes(`${head}\r\n`)
}

/** The server's headers, with those that are untrue of the stored body moved out of the way. */
function truthfulHeaders(exchange: Exchange): HeaderPair[] {
  // HEAD and 304 describe a body that is rightly absent.
  const describesBody = exchange.requestMethod !== 'HEAD' && exchange.status !== 304
  const trueLength = String(exchange.body.length)
  const kept: HeaderPair[] = []
  let lied = false
  for (const pair of exchange.rawHeaders) {
    const name = pair[0].toLowerCase()
    const wrongLength = name === 'content-length' && describesBody && pair[1].trim() !== trueLength
    const isUntrue = wrongLength || name === 'transfer-encoding'
    if (name.startsWith(':')) continue
    kept.push(isUntrue ? [`X-Archive-Orig-${pair[0]}`, pair[1]] : pair)
    if (wrongLength && !lied) kept.push(['Content-Length', trueLength])
    lied ||= wrongLength
  }
  return kept
}

function requestHead(exchange: Exchange): Buffer {
  const { target, host } = requestTarget(exchange.url)
  let lines = ''
  let hasHost = false
  for (const [name, value] of exchange.requestHeaders) {
    if (name.startsWith(':')) continue
    hasHost ||= name.toLowerCase() === 'host'
    lines += `${oneLine(name)}: ${oneLine(value)}\r\n`
  }
  const hostLine = hasHost ? '' : `Host: ${host}\r\n`
  return headBytes(`${exchange.requestMethod} ${target} HTTP/1.1\r\n${hostLine}${lines}\r\n`)
}

function requestTarget(url: string): { target: string; host: string } {
  const parsed = URL.parse(url)
  return parsed
    ? { target: requestTargetOf(parsed), host: parsed.host }
    : { target: oneLine(url), host: '' }
}

/** HTTP heads are bytes that clients show as latin1; only text from elsewhere needs UTF-8. */
function headBytes(head: string): Buffer {
  return Buffer.from(head, BEYOND_LATIN1.test(head) ? 'utf8' : 'latin1')
}

const BEYOND_LATIN1 = /[\u0100-\uffff]/

function howItWasReached(exchange: Exchange): HeaderPair[] {
  const fields: HeaderPair[] = [
    ['fetchTimeMs', String(Math.round(exchange.fetchMs))],
    ['hopsFromSeed', String(exchange.hops)],
  ]
  if (exchange.via !== null) fields.push(['via', exchange.via])
  const { certificate, isMasked } = exchange
  if (isMasked) fields.push(['fetcherAddress', 'masked'])
  if (certificate) {
    fields.push(['tlsCertificate', certificate.digest], ['tlsIssuer', certificate.issuer])
  }
  return fields
}

function warcFields(fields: readonly HeaderPair[]): Buffer {
  let text = ''
  for (const [name, value] of fields) text += `${name}: ${oneLine(value)}\r\n`
  return Buffer.from(text)
}

export function mediaType(headers: readonly HeaderPair[]): string {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'content-type') {
      return oneLine(value).split(';', 1)[0]?.trim().toLowerCase() || 'unk'
    }
  }
  return 'unk'
}

export interface WarcinfoFacts {
  /** Bare UUID; records name it as `<urn:uuid:…>` in `Exchange.warcinfoId`. */
  id: string
  createdAt: Instant
  fileName: string
  software: string
  /** Mail address or page of the operator of the collection. */
  contact?: string
  /** The collection this file belongs to. */
  isPartOf?: string
  description?: string
  robots?: string
}

/** The first record of every file: who made it, with what, under which rules. */
export function warcinfoMember(facts: WarcinfoFacts): Buffer {
  const fields: HeaderPair[] = [
    ['software', facts.software],
    ['format', 'WARC File Format 1.1'],
    [
      'conformsTo',
      'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    ],
  ]
  if (facts.contact !== undefined) fields.push(['operator', facts.contact])
  if (facts.isPartOf !== undefined) fields.push(['isPartOf', facts.isPartOf])
  if (facts.description !== undefined) fields.push(['description', facts.description])
  if (facts.robots !== undefined) fields.push(['robots', facts.robots])
  return encodeRecord({
    type: 'warcinfo',
    headers: [
      ['WARC-Record-ID', recordId(facts.id)],
      ['WARC-Date', warcDate(facts.createdAt)],
      ['WARC-Filename', facts.fileName],
      ['Content-Type', 'application/warc-fields'],
    ],
    block: [warcFields(fields)],
  })
}
