/**
 * What a stranger's device says of its captures is not believed: everything is read again from the
 * bytes of the records. What the bytes themselves cannot tell (whether the site really said this)
 * is the matter of audits.
 */
import { decodeMember, parseHttpBlock, sha256Label, UnreadableRecord } from '@minga/archive'
import type { PageFacts } from '@minga/fleet'
import { canonicalUrl, headerValues, readPageContent } from '@minga/net'
import { PRODUCT_TOKEN, type CapturedResult, type FailedResult, type Result } from '@minga/protocol'
import { BadRecord } from '../errors.ts'
import { pageFactsOf } from './page-facts.ts'

/** A page of 64 MB with its head; more is a bomb. */
const RECORD_BYTES_MAX = 80 * 1024 * 1024
/** The capture, the request and how it was reached. */
const MEMBERS_MAX = 3
const BESIDE_BYTES_MAX = 64 * 1024

export interface CheckedResults {
  results: Result[]
  /** The records of those that are still captures, end to end. */
  members: Buffer
  /** How many were not what they said. */
  refused: number
  /** What a second fetch is compared with, by position; only where it was asked for. */
  pages: Map<number, PageFacts>
}

export interface Checking {
  /** Links of a proven device are believed; of a stranger they are read again. */
  isProven: boolean
  /** Whether a result may be audited, or is itself an audit's. */
  wantsPage: (result: CapturedResult) => boolean
}

/** Captures that do not hold become failures, which somebody else may do better. */
export function checkResults(
  results: readonly Result[],
  members: Buffer,
  checking: Checking,
): CheckedResults {
  let offset = 0
  const kept: Buffer[] = []
  const pages = new Map<number, PageFacts>()
  const checked = results.map((result, i): Result => {
    if (result.type !== 'captured') return result
    const chunks = result.members.map((length) => {
      offset += length
      return members.subarray(offset - length, offset)
    })
    try {
      const capture = checkCapture(result, chunks, checking)
      kept.push(...chunks)
      if (capture.page !== null) pages.set(i, capture.page)
      return capture.result
    } catch (error) {
      if (!(error instanceof BadRecord || error instanceof UnreadableRecord)) throw error
      return failureOf(result, error.message)
    }
  })
  const refused = checked.filter((result, i) => result.type !== results[i]!.type).length
  const left = refused === 0 ? members : Buffer.concat(kept)
  return { results: checked, members: left, refused, pages }
}

interface CheckedCapture {
  result: CapturedResult
  page: PageFacts | null
}

function checkCapture(
  result: CapturedResult,
  chunks: Buffer[],
  { isProven, wantsPage }: Checking,
): CheckedCapture {
  const [capture, ...beside] = chunks
  if (chunks.length > MEMBERS_MAX) throw wrong('it comes with more records than a capture has')
  const record = decodeMember(capture!, RECORD_BYTES_MAX)
  if (record.type !== result.record) throw wrong(`it is a ${record.type}, not a ${result.record}`)
  if (record.headers.uri('WARC-Target-URI') !== result.url) throw wrong('it is of another address')
  if (record.headers.get('WARC-Block-Digest') !== sha256Label([record.block])) {
    throw wrong('its block has another digest')
  }
  for (const member of beside) checkBeside(member, result.url)
  const http = parseHttpBlock(record.block)
  if (!http) throw wrong('it holds no HTTP answer')
  const status = Number(/^HTTP\/\S+ (\d{3})/.exec(http.startLine)?.[1])
  if (status !== result.status) throw wrong('its status is another')
  const digest = record.headers.get('WARC-Payload-Digest')
  if (digest !== result.digest) throw wrong('its payload digest is another')
  const { url, kind } = result
  const received = { url, kind, status, headers: http.headers.pairs, body: http.body }
  const page = wantsPage(result) ? pageFactsOf(received, result.digest) : null
  // A revisit has no payload; that it names an earlier one is checked where that one is known.
  if (result.record === 'revisit') {
    return { result: { ...result, links: [], embeds: [], sitemaps: [] }, page }
  }
  if (sha256Label([http.body]) !== digest) throw wrong('its payload has another digest')
  const location = headerValues(received, 'location')[0]
  const read = {
    ...result,
    payloadBytes: http.body.length,
    location: location === undefined ? null : canonicalUrl(location, url),
    ...(isProven && kind !== 'robots' ? {} : readPageContent(received, PRODUCT_TOKEN)),
  }
  return { result: read, page }
}

function checkBeside(member: Buffer, url: string): void {
  const { type, headers } = decodeMember(member, BESIDE_BYTES_MAX)
  if (type !== 'request' && type !== 'metadata') throw wrong(`a ${type} record lies beside it`)
  if (headers.uri('WARC-Target-URI') !== url)
    throw wrong('what lies beside it is of another address')
}

const wrong = (problem: string): BadRecord => new BadRecord(problem)

function failureOf(result: CapturedResult, message: string): FailedResult {
  const { fence, collectionId, hostId, hash, url, endedAgoMs, totalMs } = result
  const failure = { code: 'MINGA_BAD_RECORD', message, retry: 'later' as const }
  return { type: 'failed', fence, collectionId, hostId, hash, url, endedAgoMs, totalMs, ...failure }
}
