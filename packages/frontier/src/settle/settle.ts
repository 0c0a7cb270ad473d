/**
 * Step 6, second half: accepted results end their requests, move the clocks of their hosts and
 * add to the counts. It runs in the transaction that appended their bytes, so an outcome and its
 * capture exist together or not at all.
 */
import type { Result } from '@minga/protocol'
import { logEvents, type Sql } from '@minga/store'
import type { Accepted, HostLease } from './accept.ts'
import { addError, countErrors, type ErrorCounts } from '../queue/counters.ts'
import { countFacets } from '../queue/count-facets.ts'
import {
  requestedDelayMs,
  bandwidthPauseMs,
  isComplaint,
  moodAfter,
  nextAllowedAt,
  type Answered,
  type HostMood,
} from '../hosts/host-clock.ts'
import { settlePace } from '../hosts/host-pace.ts'
import { addressOf } from '../hosts/host-queue.ts'
import { releaseHost } from '../lease/lease-end.ts'
import type { PacedAnswer } from '../hosts/politeness.ts'

export async function settle(
  sql: Sql,
  args: { accepted: readonly Accepted[]; now: number; duplicates: ReadonlyMap<number, number> },
): Promise<void> {
  if (args.accepted.length === 0) return
  await settleUrls(sql, args.accepted)
  await settleCounts(sql, args)
  await countFacets(
    sql,
    args.accepted.filter(({ decision }) => hasCapture(decision)),
  )
  await settleHosts(sql, args.accepted, args.now)
  await closeLeases(sql, args.accepted)
}

/** A lease is over when its last host came back. */
async function closeLeases(sql: Sql, accepted: readonly Accepted[]): Promise<void> {
  const released = accepted.filter(({ lease }) => lease.open.size === 0)
  for (const fence of new Set(released.map(({ lease }) => lease.fence))) {
    await sql.run(
      `DELETE FROM leases WHERE fence = ?
       AND NOT EXISTS (SELECT 1 FROM host_leases WHERE host_leases.fence = leases.fence)`,
      [fence],
    )
  }
}

async function settleUrls(sql: Sql, accepted: readonly Accepted[]): Promise<void> {
  const ended = accepted.filter(({ url, decision }) => url !== null && isEnd(decision))
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'status', 'code', 'attempts'],
    rows: ended.map(({ result, lease, url, decision }) => [
      lease.collection_id,
      lease.host_id,
      result.hash,
      decision.type,
      result.type === 'captured' ? result.status : null,
      codeOf(decision, result),
      url!.attempts + 1,
    ]),
  })
  const again = accepted.filter(({ url, decision }) => url !== null && decision.type === 'again')
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['attempts', 'not_before'],
    rows: again.map(({ result, lease, url, decision }) => [
      lease.collection_id,
      lease.host_id,
      result.hash,
      url!.attempts + 1,
      decision.type === 'again' ? decision.notBefore : 0,
    ]),
  })
}

function isEnd({ type }: Accepted['decision']): boolean {
  return type === 'captured' || type === 'failed' || type === 'denied'
}

/** Of a capture: why nothing was read from it. */
function codeOf(decision: Accepted['decision'], result: Result): string | null {
  if (decision.type === 'failed' || decision.type === 'denied') return decision.code
  return decision.type === 'captured' && result.type === 'captured' ? (result.unread ?? null) : null
}

interface Counts {
  ended: number
  leased: number
  pages: number
  captures: number
  bytes: number
  failed: number
  denied: number
}

const noCounts = (): Counts => ({
  ended: 0,
  leased: 0,
  pages: 0,
  captures: 0,
  bytes: 0,
  failed: 0,
  denied: 0,
})

function addTo(counts: Counts, { result, url, decision }: Accepted): void {
  counts.leased++
  const isInQueue = url !== null
  if (isInQueue && isEnd(decision)) counts.ended++
  if (decision.type === 'failed' && isInQueue) counts.failed++
  if (decision.type === 'denied') counts.denied++
  if (decision.type === 'captured' && decision.isPage) counts.pages++
  if (result.type !== 'captured') return
  if (hasCapture(decision)) counts.captures++
  if (hasCapture(decision) || decision.type === 'captured') counts.bytes += result.payloadBytes
}

export function hasCapture(decision: Accepted['decision']): boolean {
  if (decision.type === 'captured') return decision.isKept ?? true
  return decision.type === 'failed' && decision.hasCapture
}

interface CollectionSums {
  counts: Counts
  errors: ErrorCounts
}

async function settleCounts(
  sql: Sql,
  { accepted, duplicates, now }: Parameters<typeof settle>[1],
): Promise<void> {
  const collections = new Map<number, CollectionSums>()
  const hosts = new Map<string, { lease: HostLease; counts: Counts }>()
  for (const item of accepted) {
    const { lease, decision } = item
    const collection = collections.get(lease.collection_id) ?? {
      counts: noCounts(),
      errors: new Map(),
    }
    collections.set(lease.collection_id, collection)
    addTo(collection.counts, item)
    const key = `${lease.collection_id} ${lease.host_id}`
    const host = hosts.get(key) ?? { lease, counts: noCounts() }
    hosts.set(key, host)
    addTo(host.counts, item)
    const code = codeOf(decision, item.result)
    if (code !== null && item.url !== null) {
      addError(collection.errors, code, { url: addressOf(item.url.url), at: now })
    }
  }
  for (const [id, { counts, errors }] of collections) {
    await sql.run(
      `UPDATE collections SET queued = queued - ?, leased = leased - ?, pages = pages + ?,
         captures = captures + ?, bytes = bytes + ?, failed = failed + ?, denied = denied + ?,
         duplicates = duplicates + ? WHERE id = ?`,
      [
        counts.ended,
        counts.leased,
        counts.pages,
        counts.captures,
        counts.bytes,
        counts.failed,
        counts.denied,
        duplicates.get(id) ?? 0,
        id,
      ],
    )
    await countErrors(sql, id, errors)
  }
  for (const { lease, counts } of hosts.values()) {
    await sql.run(
      `UPDATE collection_hosts SET queued = queued - ?, pages = pages + ?, bytes = bytes + ?
       WHERE collection_id = ? AND host_id = ?`,
      [counts.ended, counts.pages, counts.bytes, lease.collection_id, lease.host_id],
    )
  }
}

async function settleHosts(sql: Sql, accepted: readonly Accepted[], now: number): Promise<void> {
  const byHost = Map.groupBy(accepted, (item) => item.lease.host_id)
  const ids = [...byHost.keys()]
  const rows = await sql.selectMany<{
    backoff_ms: number
    latency_ms: number
    bears: number
    good_answers: number
    crawl_delay_ms: number
    slow_ms: number
    name: string
  }>({
    table: 'hosts',
    keys: ['id'],
    rows: ids.map((id) => [id]),
    columns: [
      'backoff_ms',
      'latency_ms',
      'bears',
      'good_answers',
      'crawl_delay_ms',
      'slow_ms',
      'name',
    ],
  })
  for (const [i, hostId] of ids.entries()) {
    const items = byHost.get(hostId)!
    const row = rows[i]!
    const { lease, spec } = items[0]!
    const former = {
      backoffMs: row.backoff_ms,
      latencyMs: row.latency_ms,
      bears: row.bears,
      goodAnswers: row.good_answers,
    }
    const answers = answersThatTell(items, (result) => {
      const quietUntil = lease.last_end_at + former.backoffMs / 2
      return former.backoffMs > 0 && askedAt(result, now) < quietUntil
    })
    const mood = answers.reduce<HostMood>(moodAfter, former)
    const endedAt = Math.max(lease.last_end_at, ...items.map((item) => responseEndedAt(item, now)))
    if (!isSameMood(mood, former)) await saveMood(sql, hostId, mood)
    const isLong = former.backoffMs < LOGGED_BACKOFF_MS && mood.backoffMs >= LOGGED_BACKOFF_MS
    if (isLong) await logComplaint(sql, { name: row.name, backoffMs: mood.backoffMs, now })
    const restMs = await settlePace(sql, { lease, spec, answers, mood })
    await moveClock(sql, lease, {
      endedAt,
      restUntil: nextAllowedAt(endedAt, {
        collectionMs: Math.max(restMs, lastBandwidthPauseMs(items)),
        robotsMs: requestedDelayMs(row),
        backoffMs: mood.backoffMs,
      }),
    })
  }
}

/** Shorter ones are everyday: half a minute is what a site asks for that has had enough. */
const LOGGED_BACKOFF_MS = 30_000

async function logComplaint(
  sql: Sql,
  host: { name: string; backoffMs: number; now: number },
): Promise<void> {
  const { name: subject, backoffMs, now } = host
  const seconds = Math.round(backoffMs / 1_000)
  const sentence = `The host complains (429, 503 or slow answers); it is left alone for ${seconds} s after each answer.`
  const details = { restMs: backoffMs }
  await logEvents(sql, [{ at: now, code: 'host:complained', subject, sentence, details }])
}

async function moveClock(
  sql: Sql,
  lease: HostLease,
  { endedAt, restUntil }: { endedAt: number; restUntil: number },
): Promise<void> {
  if (lease.open.size > 0) {
    await sql.run('UPDATE host_leases SET last_end_at = ?, items = ? WHERE host_id = ?', [
      endedAt,
      JSON.stringify([...lease.open]),
      lease.host_id,
    ])
    return
  }
  // A host whose requests all came back undialled keeps the clock it had.
  const rest = endedAt === 0 ? 0 : restUntil
  await releaseHost(sql, {
    hostId: lease.host_id,
    collectionId: lease.collection_id,
    address: lease.address,
    unfinished: 0,
    restUntil: rest,
    turnAt: rest,
  })
}

function isSameMood(a: HostMood, b: HostMood): boolean {
  return (
    a.backoffMs === b.backoffMs &&
    a.latencyMs === b.latencyMs &&
    a.bears === b.bears &&
    a.goodAnswers === b.goodAnswers
  )
}

async function saveMood(sql: Sql, hostId: number, mood: HostMood): Promise<void> {
  const { backoffMs, latencyMs, bears, goodAnswers } = mood
  await sql.run(
    'UPDATE hosts SET backoff_ms = ?, latency_ms = ?, bears = ?, good_answers = ? WHERE id = ?',
    [backoffMs, latencyMs, bears, goodAnswers, hostId],
  )
}

type Answer = Exclude<Accepted['result'], { type: 'returned' }>

/** An agent asks a host no more in a block in which it complained: what came after the complaint
 * was in the air already, and says nothing of how the host feels since. Such answers may also come
 * with a later message; they were asked sooner than the back-off allows (`isTooSoon`). */
function answersThatTell(
  items: readonly Accepted[],
  isTooSoon: (result: Answer) => boolean,
): (Answered & PacedAnswer)[] {
  const telling: (Answered & PacedAnswer)[] = []
  let hasComplained = false
  for (const { result, pauseMs } of items) {
    if (result.type === 'returned') continue
    const answered = answerOf(result, pauseMs)
    if ((hasComplained || isTooSoon(result)) && !isComplaint(answered)) continue
    hasComplained ||= isComplaint(answered)
    telling.push(answered)
  }
  return telling
}

function answerOf(result: Answer, pauseMs: number | undefined): Answered & PacedAnswer {
  if (result.type === 'failed') return { ...result, ...UNANSWERED }
  return pauseMs === undefined ? result : { ...result, status: BUSY, retryAfterMs: pauseMs }
}

/** What a site that is busy says by its status, where it does. */
const BUSY = 503
const UNANSWERED = { status: 'failed', kind: 'failed', retryAfterMs: null, firstByteMs: 0 } as const

function lastBandwidthPauseMs(items: readonly Accepted[]): number {
  const last = items.findLast(({ result }) => result.type === 'captured')
  if (last?.result.type !== 'captured') return 0
  return bandwidthPauseMs(last.result.payloadBytes, last.spec.bytesPerSecondPerHost)
}

/** By the coordinator's clock: an age cannot be wrong by more than the trip of the message. */
function responseEndedAt({ result }: Accepted, now: number): number {
  return result.type === 'returned' ? 0 : now - Math.max(0, result.endedAgoMs)
}

function askedAt({ endedAgoMs, totalMs }: Answer, now: number): number {
  return now - Math.max(0, endedAgoMs) - totalMs
}
