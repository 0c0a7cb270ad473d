/**
 * Step 6 for clients: accepted results answer the requests that wait for them. A redirect is no
 * answer yet: the requests wait for its target from now on, and store the chain.
 */
import { hostKeyOf } from '@minga/net'
import type { CapturedResult, Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Accepted } from '../settle/accept.ts'
import { nextRedirect, TOO_MANY_REDIRECTS, type RedirectStep } from '../settle/redirects.ts'
import { hostsOf } from '../hosts/host-directory.ts'
import { urlHash } from '../queue/url-hash.ts'
import { knownAnswer } from './cached-captures.ts'
import {
  endRequests,
  endWaiting,
  NOTHING_FETCHED,
  waitingFor,
  type DocumentEnd,
  type EndedRequest,
  type FetchOutcome,
  type OpenRequest,
  type RequestEnd,
} from './end-requests.ts'
import { queueDocuments } from './queue-documents.ts'

export interface AnswerRequests {
  accepted: readonly Accepted[]
  device: string | null
  isVerified: (result: Result) => boolean
  /** Held back: the waiting requests are answered later. */
  isHeld: (result: Result) => boolean
  /** Redirect targets that the address guard refuses, with the code of the refusal. */
  refusals: Readonly<Record<string, string>>
  /** What the client of a batch may see of the archive. */
  archiveOf?: (client: string) => Promise<Sql>
  now: number
}

export async function answerRequests(sql: Sql, args: AnswerRequests): Promise<EndedRequest[]> {
  const documents = args.accepted.filter(
    ({ url, spec, result }) =>
      url?.kind === 'document' && spec.kind === 'requests' && !args.isHeld(result),
  )
  const ends: DocumentEnd[] = []
  const redirects: Redirect[] = []
  for (const item of documents) {
    const { result, lease, decision } = item
    const key = { hostId: lease.host_id, hash: result.hash }
    if (decision.type === 'captured' && result.type === 'captured') {
      const step = nextRedirect(result, 0, {})
      if (step.type === 'follow') redirects.push({ ...key, item, location: step.url })
      else ends.push({ ...key, ...capturedEnd(result, args) })
    } else if (decision.type === 'failed') {
      ends.push({ ...key, ...failedEnd(item, decision.code) })
    } else if (decision.type === 'denied') {
      ends.push({ ...key, ...NOTHING_FETCHED, outcome: 'denied', code: decision.code })
    }
  }
  const ended = await endWaiting(sql, { ends, now: args.now })
  return [...ended, ...(await followRedirects(sql, args, redirects))]
}

function capturedEnd(result: CapturedResult, args: AnswerRequests): FetchOutcome {
  const { device } = args
  const isVerified = args.isVerified(result)
  const { status, payloadBytes: bytes, digest, capturedAt } = result
  return { outcome: 'captured', status, code: null, bytes, digest, capturedAt, device, isVerified }
}

function failedEnd({ result }: Accepted, code: string): FetchOutcome {
  const status = result.type === 'captured' ? result.status : null
  return { ...NOTHING_FETCHED, outcome: 'failed', status, code }
}

interface Redirect {
  hostId: number
  hash: number
  item: Accepted
  location: string
}

async function followRedirects(
  sql: Sql,
  args: AnswerRequests,
  redirects: readonly Redirect[],
): Promise<EndedRequest[]> {
  if (redirects.length === 0) return []
  const byKey = new Map(redirects.map((one) => [`${one.hostId} ${one.hash}`, one]))
  const waiting = await waitingFor(sql, redirects)
  const refusals = { ...(await closedTargets(sql, redirects)), ...args.refusals }
  const ends: RequestEnd[] = []
  for (const request of waiting) {
    const redirect = byKey.get(`${request.hostId} ${request.hash}`)!
    const refusal = refusalOf(nextRedirect(redirect.item.result, chainOf(request).length, refusals))
    const cached = refusal === null ? await moveOn(sql, { ...args, request, redirect }) : null
    const end = refusal ?? cached
    if (end === null) continue
    const { batchId, seq } = request
    ends.push({ batchId, seq, end, fromCache: cached?.outcome === 'captured' })
  }
  return endRequests(sql, { ends, now: args.now })
}

/** Targets on hosts from which nothing may be fetched, with the code of the refusal. */
async function closedTargets(
  sql: Sql,
  redirects: readonly Redirect[],
): Promise<Record<string, string>> {
  const names = redirects.map(({ location }) => hostKeyOf(location))
  const hosts = await hostsOf(sql, names)
  const closed = redirects.flatMap(({ location }, i) => {
    const code = hosts.get(names[i]!)!.closedCode
    return code === null ? [] : [[location, code] as const]
  })
  return Object.fromEntries(closed)
}

function refusalOf(step: RedirectStep): FetchOutcome | null {
  if (step.type !== 'refused') return null
  const { code } = step
  return { ...NOTHING_FETCHED, outcome: code === TOO_MANY_REDIRECTS ? 'failed' : 'denied', code }
}

interface Move extends Pick<AnswerRequests, 'archiveOf' | 'now'> {
  request: OpenRequest
  redirect: Redirect
}

/** The request waits for the target at the place in the queue it had; or the archive has it. */
async function moveOn(
  sql: Sql,
  { request, redirect, archiveOf, now }: Move,
): Promise<FetchOutcome | null> {
  const { location, item } = redirect
  const collectionId = item.lease.collection_id
  const from = await sql.get<{ priority: number; max_age_ms: number; client: string }>(
    `SELECT u.priority, b.max_age_ms, b.client FROM urls u JOIN batches b ON b.id = ?
     WHERE u.collection_id = ? AND u.host_id = ? AND u.hash = ?`,
    [request.batchId, collectionId, redirect.hostId, redirect.hash],
  )
  const { priority, max_age_ms: maxAgeMs, client } = from!
  const name = hostKeyOf(location)
  const known = { hostId: (await hostsOf(sql, [name])).get(name)!.id, hash: urlHash(location) }
  const archive = archiveOf === undefined ? sql : await archiveOf(client)
  const asked = { ...known, url: location, maxAgeMs, now }
  const cached = await knownAnswer({ sql, archive }, asked)
  const [key] =
    cached === null
      ? await queueDocuments(sql, { collectionId, documents: [{ url: location, priority }] })
      : [known]
  await sql.run(
    `UPDATE requests SET url = ?, asked = ?, chain = ?, host_id = ?, hash = ?
     WHERE batch_id = ? AND seq = ?`,
    [
      location,
      request.asked ?? request.url,
      JSON.stringify([...chainOf(request), request.url]),
      key!.hostId,
      key!.hash,
      request.batchId,
      request.seq,
    ],
  )
  return cached?.end ?? null
}

function chainOf({ chain }: OpenRequest): string[] {
  return chain === null ? [] : (JSON.parse(chain) as string[])
}
