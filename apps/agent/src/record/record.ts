/**
 * Step 5: what came back becomes what the station keeps: WARC members, digests, links, title.
 * All the heavy work on a page happens here, on the volunteer's machine.
 */
import { recordExchange, type Effort } from '@minga/archive'
import {
  headerValues,
  readPageContent,
  redirectTarget,
  retryAfterMs,
  type FetchAnswer,
  type FetchFailure,
  type PageContent,
  type ReceivedDocument,
} from '@minga/net'
import {
  PRODUCT_TOKEN,
  type CapturedResult,
  type Clock,
  type FailedResult,
  type UnreadCode,
} from '@minga/protocol'
import type { LeasedRequest } from '../fetch/leased-request.ts'
import { maskAnswer, type AddressMask } from './mask-addresses.ts'
import type { Parcel } from './outbox.ts'
import { weightOf, type Finding } from './recorder.ts'
import type { LogInFailure } from '../fetch/wiki-session.ts'

/** Compression when the processor has time, and when results pile up behind it. On 10 KB pages
 * level 6 gives 3,404 bytes in 255 µs, level 1 gives 3,700 in 113 µs. */
export const AT_EASE: Effort = { capture: 6, beside: 6 }
export const HURRIED: Effort = { capture: 1, beside: 0 }

export interface RecordTools {
  clock: Clock
  newId(): string
  effort: Effort
  /** What pages must not reveal about a lent machine; null where there is no such thing. */
  mask?: AddressMask | null
}

export function recordFinding(tools: RecordTools, finding: Finding): Parcel {
  const { leased, outcome, endedAtMs } = finding
  const common = { endedAtMs, weightBytes: weightOf(finding) }
  if (outcome === null)
    return { ...common, result: { type: 'returned', ...nameOf(leased) }, members: [] }
  if (!outcome.ok) return { ...common, result: failed(leased, outcome), members: [] }
  return { ...common, ...recordAnswer(tools, finding, outcome) }
}

type Failure =
  | FetchFailure
  | LogInFailure
  | (Pick<FetchFailure, 'message' | 'retry' | 'totalMs'> & { code: UnreadCode })

function nameOf({ fence, collectionId, hostId, request }: LeasedRequest) {
  return { fence, collectionId, hostId, hash: request.hash }
}

function failed(leased: LeasedRequest, failure: Failure): FailedResult {
  const { code, message, retry, totalMs } = failure
  const { url } = leased.request
  const pause = 'retryAfterMs' in failure ? { retryAfterMs: failure.retryAfterMs } : {}
  const told = { url, code, message, retry, totalMs, endedAgoMs: 0, ...pause }
  return { type: 'failed', ...nameOf(leased), ...told }
}

/**
 * Rules that were not read forbid everything until they are: without them it is unknown what is
 * allowed.
 */
function unreadRobots(code: UnreadCode, { totalMs }: FetchAnswer): Failure {
  return { code, message: 'Its robots.txt could not be read.', retry: 'later', totalMs }
}

function recordAnswer(
  tools: RecordTools,
  { leased, unread }: Finding,
  fetched: FetchAnswer,
): Pick<Parcel, 'result' | 'members'> {
  const answer = (tools.mask && maskAnswer(fetched, tools.mask)) ?? fetched
  const { request } = leased
  const { url, kind } = request
  const received = {
    url,
    kind,
    status: answer.status,
    headers: answer.rawHeaders,
    body: answer.body,
  }
  const content = readContent(received, unread)
  if (kind === 'robots' && content.unread !== null) {
    return { result: failed(leased, unreadRobots(content.unread, answer)), members: [] }
  }
  const recorded = recordExchange(
    {
      ...answer,
      requestHeaders: answer.requestHeaders.filter(([name]) => !isSecret(name)),
      url: request.url,
      capturedAt: answer.startedAt,
      requestMethod: 'GET',
      fetchMs: Math.round(answer.totalMs),
      via: request.via,
      hops: request.hops,
      warcinfoId: null,
      previous: request.previous,
      isMasked: answer !== fetched,
    },
    () => tools.newId(),
    tools.effort,
  )
  const first = (name: string): string | null => headerValues(received, name)[0] ?? null
  const result: CapturedResult = {
    type: 'captured',
    ...nameOf(leased),
    kind,
    url,
    status: answer.status,
    capturedAt: answer.startedAt,
    endedAgoMs: 0,
    connectMs: answer.connectMs ?? null,
    firstByteMs: answer.firstByteMs,
    totalMs: answer.totalMs,
    record: recorded.kind,
    mime: recorded.mime,
    digest: recorded.payloadDigest,
    payloadBytes: recorded.payloadBytes,
    members: recorded.members.map((member) => member.length),
    retryAfterMs: retryAfterMs(answer.rawHeaders, tools.clock.now()),
    location: redirectTarget(url, first('location')),
    certificate: answer.certificate ?? null,
    encoding: first('content-encoding'),
    // A body that was cut must not be confirmed later as if it were whole.
    etag: answer.truncated === null ? first('etag') : null,
    lastModified: answer.truncated === null ? first('last-modified') : null,
    ...content,
  }
  return { result, members: recorded.members }
}

/** A page that cannot be read is a capture without links, never the end of the agent. */
function readContent(
  received: ReceivedDocument,
  unread: UnreadCode | undefined,
): PageContent & { unread: UnreadCode | null } {
  const nothing = (): PageContent =>
    readPageContent({ ...received, kind: 'document' }, PRODUCT_TOKEN)
  if (unread !== undefined) return { ...nothing(), unread }
  try {
    return { ...readPageContent(received, PRODUCT_TOKEN), unread: null }
  } catch {
    return { ...nothing(), unread: 'page:unreadable' }
  }
}

/** What lets the station in must not stand in an archive that others read. */
function isSecret(header: string): boolean {
  return ['authorization', 'cookie'].includes(header.toLowerCase())
}
