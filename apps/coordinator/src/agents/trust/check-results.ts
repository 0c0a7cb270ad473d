/**
 * What a stranger's device says of its captures is not believed: everything is read again from the
 * bytes of the records. What the bytes themselves cannot tell (whether the site really said this)
 * is the matter of audits.
 */
import {
  decodeMember,
  mediaType,
  parseHttpBlock,
  sha256Label,
  UnreadableRecord,
  type DecodedMember,
} from '@minga/archive'
import type { PageFacts } from '@minga/fleet'
import {
  headerValues,
  readPageContent,
  redirectTarget,
  retryAfterMs,
  type ReceivedDocument,
} from '@minga/net'
import {
  BAD_RECORD,
  boundLinks,
  PRODUCT_TOKEN,
  type CapturedResult,
  type FailedResult,
  type MingaError,
  type Result,
  type UnreadCode,
} from '@minga/protocol'
import { BadRecord } from '../../station/errors.ts'
import { pageFactsOf } from '../../archive/page-facts.ts'

/** A page of 64 MB with its head; more is a bomb. */
const RECORD_BYTES_MAX = 80 * 1024 * 1024
/** Manifest and records of one upload together, unpacked: as much as the largest body of an upload. */
export const UNPACKED_BYTES_MAX = 256 * 1024 * 1024
/** What the links of one upload may come to: an honest one has a hundredth, and all of them go into one transaction. */
export const LINK_CHARS_MAX = 16_000_000
/** Deflate expands at most about 1,032-fold. */
const EXPANSION_MAX = 1_100
/** The capture, the request and how it was reached. */
const MEMBERS_MAX = 3
const BESIDE_BYTES_MAX = 64 * 1024
const HEADER_CHARS_MAX = 8_192
const MIME_CHARS_MAX = 255

export interface CheckedResults {
  results: Result[]
  /** The records of those that are still captures, end to end. */
  members: Buffer
  /** How many were not what they said. */
  refused: number
  /** What a second fetch is compared with, by position; only where it was asked for. */
  pages: Map<number, PageFacts>
  left: CheckBudget
}

/** What an upload may come to, whatever is in it. */
export interface CheckBudget {
  /** How much of it may be unpacked. */
  bytes: number
  /** Of all links that are read from its pages. */
  linkChars: number
}

export interface Checking {
  /** Links of a proven device are believed; of a stranger they are read again. */
  isProven: boolean
  /** Whether a result may be audited, or is itself an audit's. */
  wantsPage: (result: CapturedResult, position: number) => boolean
  /** Between which times a capture was made, by its position; null, or absent, when that is not checked. */
  window?: (position: number) => [from: number, to: number] | null
  budget?: CheckBudget
}

const FULL_BUDGET = { bytes: UNPACKED_BYTES_MAX, linkChars: LINK_CHARS_MAX }

/** Captures that fail a check become failures, which another device may retry. */
export function checkResults(
  results: readonly Result[],
  members: Buffer,
  checking: Checking,
): CheckedResults {
  let offset = 0
  const kept: Buffer[] = []
  const pages = new Map<number, PageFacts>()
  const { budget: given = FULL_BUDGET } = checking
  const budget = new UnpackBudget(given.bytes)
  const links = new LinkBudget(given.linkChars)
  const checked = results.map((result, i): Result => {
    if (result.type !== 'captured') return result
    const chunks = result.members.map((length) => {
      offset += length
      return members.subarray(offset - length, offset)
    })
    try {
      requireTime(result, checking.window?.(i) ?? null)
      const capture = checkCapture(result, chunks, {
        isProven: checking.isProven,
        wantsPage: checking.wantsPage(result, i),
        budget,
      })
      kept.push(...chunks)
      if (capture.page !== null) pages.set(i, capture.page)
      return links.cut(capture.result)
    } catch (error) {
      if (!(error instanceof BadRecord || error instanceof UnreadableRecord)) throw error
      const { message } = error
      return failureOf(result, { code: BAD_RECORD, message })
    }
  })
  const refused = checked.filter((result, i) => result.type !== results[i]!.type).length
  const keptMembers = refused === 0 ? members : Buffer.concat(kept)
  return {
    results: checked,
    members: keptMembers,
    refused,
    pages,
    left: { bytes: budget.leftBytes, linkChars: links.leftChars },
  }
}

function checkCapture(
  result: CapturedResult,
  chunks: Buffer[],
  { isProven, wantsPage, budget }: { isProven: boolean; wantsPage: boolean; budget: UnpackBudget },
): { result: CapturedResult; page: PageFacts | null } {
  const [capture, ...beside] = chunks
  if (chunks.length > MEMBERS_MAX) throw wrong('it comes with more records than a capture has')
  const record = budget.decode(capture!, RECORD_BYTES_MAX)
  requireRecord(record, result)
  for (const member of beside) checkBeside(budget.decode(member, BESIDE_BYTES_MAX), result.url)
  const http = parseHttpBlock(record.block)
  if (!http) throw wrong('it holds no HTTP answer')
  const status = Number(/^HTTP\/\S+ (\d{3})/.exec(http.startLine)?.[1])
  if (status !== result.status) throw wrong('its status is another')
  const { url, kind, digest } = result
  const received = { url, kind, status, headers: http.headers.pairs, body: http.body }
  const page = wantsPage ? pageFactsOf(received, digest) : null
  const said = { ...result, ...headerFacts(received, record) }
  // A revisit has no payload; that it names the known one is checked where that one is read.
  if (result.record === 'revisit') {
    return { result: { ...said, links: [], embeds: [], sitemaps: [] }, page }
  }
  if (sha256Label([http.body]) !== digest) throw wrong('its payload has another digest')
  const location = headerValues(received, 'location')[0]
  const read = {
    ...said,
    payloadBytes: http.body.length,
    location: redirectTarget(url, location),
    ...contentOf(received, result, isProven),
  }
  return { result: boundLinks(read), page }
}

/**
 * What a document says beyond its bytes. What its agent could not read is not tried again: it would hold up all other
 * results of the upload.
 */
function contentOf(
  received: ReceivedDocument,
  { unread }: CapturedResult,
  isProven: boolean,
): Partial<CapturedResult> {
  if (received.kind === 'robots') return readRobots(received)
  if (unread) return nothingRead(received, unread)
  if (isProven) return {}
  try {
    return readPageContent(received, PRODUCT_TOKEN)
  } catch {
    return nothingRead(received, 'page:unreadable')
  }
}

/** Always read: one without rules would allow everything. */
function readRobots(received: ReceivedDocument): Partial<CapturedResult> {
  try {
    return { ...readPageContent(received, PRODUCT_TOKEN), unread: null }
  } catch {
    throw wrong('its rules cannot be read')
  }
}

const nothingRead = (received: ReceivedDocument, unread: UnreadCode): Partial<CapturedResult> => ({
  ...readPageContent({ ...received, kind: 'document' }, PRODUCT_TOKEN),
  unread,
})

function requireRecord({ type, headers, block }: DecodedMember, result: CapturedResult): void {
  if (type !== result.record) throw wrong(`it is a ${type}, not a ${result.record}`)
  if (headers.uri('WARC-Target-URI') !== result.url) throw wrong('it is of another address')
  if (headers.get('WARC-Block-Digest') !== sha256Label([block])) {
    throw wrong('its block has another digest')
  }
  if (headers.get('WARC-Payload-Digest') !== result.digest) {
    throw wrong('its payload digest is another')
  }
  if (Date.parse(headers.get('WARC-Date') ?? '') !== Math.trunc(result.capturedAt)) {
    throw wrong('its date is another')
  }
}

/**
 * The newest version of a page is the one with the latest time, so an agent must not choose it
 * freely.
 */
function requireTime(
  { capturedAt }: CapturedResult,
  window: [from: number, to: number] | null,
): void {
  if (window === null || (capturedAt >= window[0] && capturedAt <= window[1])) return
  throw wrong('its time is not within its lease (is the clock of the device right?)')
}

/** What the answer's own headers say, in the form in which agents report it. */
function headerFacts(
  received: ReceivedDocument,
  record: DecodedMember,
): Pick<CapturedResult, 'mime' | 'encoding' | 'etag' | 'lastModified' | 'retryAfterMs'> {
  const first = (name: string): string | null => {
    const value = headerValues(received, name)[0]
    return value === undefined || value.length > HEADER_CHARS_MAX ? null : value
  }
  const pairs = received.headers.map(([name, value]): [string, string] => [name, value])
  // A body that was cut must not be confirmed later as if it were whole.
  const isWhole = record.headers.get('WARC-Truncated') === undefined
  return {
    mime: mediaType(pairs).slice(0, MIME_CHARS_MAX),
    encoding: first('content-encoding'),
    etag: isWhole ? first('etag') : null,
    lastModified: isWhole ? first('last-modified') : null,
    retryAfterMs: retryAfterMs(pairs, Date.parse(record.headers.get('WARC-Date') ?? '')),
  }
}

function checkBeside({ type, headers }: DecodedMember, url: string): void {
  if (type !== 'request' && type !== 'metadata')
    throw wrong(`a ${type} record is among its records`)
  if (headers.uri('WARC-Target-URI') !== url)
    throw wrong('one of its records is of another address')
}

/** How much of an upload may still be unpacked: many small bombs are one large one. */
class UnpackBudget {
  #leftBytes: number

  constructor(bytes: number) {
    this.#leftBytes = bytes
  }

  get leftBytes(): number {
    return Math.max(0, this.#leftBytes)
  }

  decode(member: Buffer, limitBytes: number): DecodedMember {
    if (this.#leftBytes <= 0) throw wrong('its upload unpacks to more than an upload may')
    const most = Math.min(limitBytes, this.#leftBytes, member.length * EXPANSION_MAX)
    try {
      const record = decodeMember(member, most)
      this.#leftBytes -= record.block.length
      return record
    } catch (error) {
      this.#leftBytes -= most
      throw error
    }
  }
}

/** The first links of an upload: its pages together are bounded as each of them is. */
class LinkBudget {
  leftChars: number

  constructor(characters: number) {
    this.leftChars = characters
  }

  cut(result: CapturedResult): CapturedResult {
    const { links, embeds, sitemaps, linksDropped = 0 } = result
    const kept = {
      sitemaps: this.#first(sitemaps),
      links: this.#first(links),
      embeds: this.#first(embeds),
    }
    const count = kept.sitemaps.length + kept.links.length + kept.embeds.length
    const dropped = sitemaps.length + links.length + embeds.length - count
    if (dropped === 0) return result
    return { ...result, ...kept, linksDropped: linksDropped + dropped }
  }

  #first(urls: string[]): string[] {
    const end = urls.findIndex((url) => {
      if (url.length > this.leftChars) return true
      this.leftChars -= url.length
      return false
    })
    return end === -1 ? urls : urls.slice(0, end)
  }
}

const wrong = (problem: string): BadRecord => new BadRecord(problem)

/** In the place of a capture that does not count; another device may do better. */
export function failureOf(
  result: CapturedResult,
  { code, message }: Pick<MingaError, 'code' | 'message'>,
): FailedResult {
  const { fence, collectionId, hostId, hash, url, endedAgoMs, totalMs } = result
  const failure = { code, message, retry: 'later' as const }
  return { type: 'failed', fence, collectionId, hostId, hash, url, endedAgoMs, totalMs, ...failure }
}
