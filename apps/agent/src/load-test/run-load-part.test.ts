// Goal: a machine keeps within its orders, from any sender, and stops by itself without them.
// Method: the part on virtual time, a site and a station simulated by functions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchOutcome, FetchRequest } from '@minga/net'
import { LOAD_DEAD_MAN_MS, type LoadOrder, type LoadPart, type LoadReport } from '@minga/protocol'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import { StationRefused, StationUnreachable } from '../errors.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'
import { runLoadPart } from './run-load-part.ts'

const PART: LoadPart = {
  test: 'load_1',
  step: 0,
  urls: ['http://site.test/a', 'http://site.test/b'],
  address: '93.184.216.34',
  thinkMs: 0,
  answerMsMax: 10_000,
  durationMsMax: 600_000,
  visitors: 0,
  requestsPerSecond: 0,
  bytesLeft: 1e9,
}
const ORDER: LoadOrder = {
  goOn: true,
  step: 1,
  visitors: 4,
  requestsPerSecond: 100,
  bytesLeft: 1e9,
}
const BODY_BYTES = 1_000

interface Play {
  order?: (report: LoadReport, atMs: number) => LoadOrder
  part?: Partial<LoadPart>
  outcome?: () => Partial<FetchOutcome>
  ownerHooks?: Partial<OwnerHooks>
  isAllowed?: boolean
  latencyMs?: number
  untilMs?: number
}

interface Played {
  clock: VirtualClock
  dials: { atMs: number; url: string }[]
  reports: LoadReport[]
  inFlightMost: number
  stop: AbortController
}

async function play(options: Play): Promise<Played> {
  const clock = createVirtualClock(0)
  const startMs = clock.monotonicMs()
  const played: Played = {
    clock,
    dials: [],
    reports: [],
    inFlightMost: 0,
    stop: new AbortController(),
  }
  let inFlight = 0
  const fetch = async (request: FetchRequest): Promise<FetchOutcome> => {
    const cancelled = { ok: false, code: 'MINGA_CANCELLED', totalMs: 0 } as FetchOutcome
    if (request.signal?.aborted || !(request.mayStart?.() ?? true)) return cancelled
    played.dials.push({ atMs: clock.monotonicMs() - startMs, url: request.url })
    inFlight++
    played.inFlightMost = Math.max(played.inFlightMost, inFlight)
    await clock.sleep(options.latencyMs ?? 50, request.signal)
    inFlight--
    if (request.signal?.aborted) return cancelled
    const usual = { ok: true, status: 200, truncated: null, body: Buffer.alloc(BODY_BYTES) }
    return { ...usual, totalMs: options.latencyMs ?? 50, ...options.outcome?.() } as FetchOutcome
  }
  const running = runLoadPart(
    {
      clock,
      random: () => 0.5,
      isAbandoned: () => false,
      isAllowed: options.isAllowed ?? true,
      ...(options.ownerHooks ? { ownerHooks: options.ownerHooks as OwnerHooks } : {}),
      openFetcher: () => ({ fetch, close: async () => {} }),
      report: async (_test, report) => {
        played.reports.push(report)
        return options.order?.(report, clock.monotonicMs() - startMs) ?? ORDER
      },
    },
    { ...PART, ...options.part },
    played.stop.signal,
  )
  const run = { isOver: false }
  void running.then(() => (run.isOver = true))
  while (!run.isOver) {
    await clock.advance(10)
    const isLate = clock.monotonicMs() - startMs >= (options.untilMs ?? 60_000)
    if (isLate) played.stop.abort()
  }
  return played
}

const after =
  (ms: number, order: LoadOrder, then: LoadOrder) =>
  (_report: LoadReport, atMs: number): LoadOrder =>
    atMs < ms ? order : then

const HALT: LoadOrder = { ...ORDER, goOn: false, visitors: 0 }

test('the ordered visitors ask for all pages in turn, and stop when ordered', async () => {
  const { dials, reports, inFlightMost } = await play({ order: after(5_000, ORDER, HALT) })
  assert.equal(inFlightMost, 4)
  assert.deepEqual(new Set(dials.map(({ url }) => url)), new Set(PART.urls))
  assert.ok(dials.at(-1)!.atMs <= 6_100)
  assert.equal(reports.at(-1)!.hasStopped, true)
  const counted = reports.reduce((sum, { requests }) => sum + requests, 0)
  // What was in the air when the word came is cancelled and counts for nothing.
  assert.ok(dials.length - counted <= 4)
})

test('in no second are there more requests than ordered, however fast the site', async () => {
  const order = { ...ORDER, visitors: 50, requestsPerSecond: 20 }
  const { dials } = await play({ order: after(10_000, order, HALT), latencyMs: 1 })
  for (const { atMs } of dials) {
    const within = dials.filter((other) => other.atMs >= atMs && other.atMs < atMs + 1_000)
    assert.ok(within.length <= 20)
  }
  assert.ok(dials.length > 150, 'and nearly as many come')
})

test('after five seconds without an answer of the station nothing is dialled any more', async () => {
  const order = (_report: LoadReport, atMs: number): LoadOrder => {
    if (atMs > 3_000) throw new StationUnreachable('http://station.test')
    return ORDER
  }
  const { dials, clock } = await play({ order })
  const heardAtMs = 3_000
  assert.ok(dials.at(-1)!.atMs <= heardAtMs + LOAD_DEAD_MAN_MS)
  assert.ok(dials.at(-1)!.atMs > heardAtMs + LOAD_DEAD_MAN_MS - 1_500, 'it gives it that time')
  assert.ok(clock.monotonicMs() < 30_000)
})

test('a report whose answer was lost is sent again with the same number', async () => {
  let losses = 0
  const order = (_report: LoadReport, atMs: number): LoadOrder => {
    if (atMs > 2_000 && losses++ < 2) throw new StationUnreachable('http://station.test')
    return atMs < 6_000 ? ORDER : HALT
  }
  const { reports } = await play({ order })
  const numbers = reports.map(({ no }) => no)
  assert.ok(new Set(numbers).size < numbers.length)
  const unlike = reports.filter((report, i) =>
    reports.some(
      (other, k) =>
        k < i && other.no === report.no && !report.hasStopped && other.requests !== report.requests,
    ),
  )
  assert.deepEqual(unlike, [])
})

test('a station that refuses is obeyed at once', async () => {
  const order = (_report: LoadReport, atMs: number): LoadOrder => {
    if (atMs > 1_500) throw new StationRefused('http://station.test', 'no')
    return ORDER
  }
  const { dials } = await play({ order })
  assert.ok(dials.at(-1)!.atMs <= 2_100)
})

test('parts that no machine should take are refused undialled, and the station hears why', async () => {
  const refused: Partial<LoadPart>[] = [
    { urls: ['http://site.test/a', 'http://other.test/'] },
    { urls: ['ftp://site.test/a'] },
    { urls: ['http://me:secret@site.test/'] },
    { urls: [] },
    { address: 'site.test' },
    { durationMsMax: 1e12 },
  ]
  for (const part of refused) {
    const { dials, reports } = await play({ part })
    assert.deepEqual(dials, [])
    assert.equal(reports.length, 1)
    assert.ok(reports[0]!.hasStopped && reports[0]!.reason !== null, JSON.stringify(part))
  }
})

test('orders beyond what any machine does are cut down', async () => {
  const order = { ...ORDER, visitors: 1e6, requestsPerSecond: Number.NaN }
  const { dials } = await play({ order: after(3_000, order, HALT) })
  assert.deepEqual(dials, [], 'a rate that is no number is none')
})

test('its own ceilings of bytes and time stop it', async () => {
  const greedy = { ...ORDER, bytesLeft: 20 * BODY_BYTES }
  const full = await play({
    order: (_report, atMs) => (atMs < 500 ? greedy : greedy),
    untilMs: 30_000,
  })
  assert.match(full.reports.at(-1)!.reason!, /bytes/)
  assert.ok(full.dials.length <= 20 + 4)
  const brief = await play({ part: { durationMsMax: 2_000 } })
  assert.match(brief.reports.at(-1)!.reason!, /time was over/)
  assert.ok(brief.dials.at(-1)!.atMs <= 2_300)
})

test('errors are counted by their kind, and only answers and time-outs have a latency', async () => {
  const outcomes: Partial<FetchOutcome>[] = [
    { status: 200 },
    { status: 404 },
    { status: 503 },
    { ok: false, code: 'MINGA_RESPONSE_TIMEOUT' },
    { ok: false, code: 'MINGA_CONNECTION_LOST' },
    { ok: false, code: 'MINGA_CONNECT_REFUSED' },
  ]
  let nth = 0
  const { reports } = await play({
    order: after(4_000, ORDER, HALT),
    outcome: () => outcomes[nth++ % outcomes.length]!,
  })
  const errors = new Set(reports.flatMap((report) => Object.keys(report.errors)))
  assert.deepEqual(errors, new Set(['4xx', '5xx', 'timeout', 'lost', 'refused']))
  const sum = (of: (report: LoadReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0)
  const timed = sum(({ latencies }) => latencies.reduce((total, [, count]) => total + count, 0))
  const good = sum(
    ({ requests, errors: bad }) => requests - Object.values(bad).reduce((a, b) => a + b, 0),
  )
  assert.equal(timed, good + sum(({ errors: bad }) => bad.timeout ?? 0))
})

test("the owner's word counts: a refused host is never dialled, a pause ends the part", async () => {
  const ownerHooks: Partial<OwnerHooks> = {
    refuses: () => true,
    isPaused: () => false,
    turn: async () => true,
    began: () => {},
    ended: () => {},
  }
  const refused = await play({ ownerHooks })
  assert.deepEqual(refused.dials, [])
  assert.match(refused.reports[0]!.reason!, /never visits/)
  let isPaused = false
  const paused = await play({
    ownerHooks: { ...ownerHooks, refuses: () => false, isPaused: () => isPaused },
    order: (_report, atMs) => {
      isPaused = atMs > 3_000
      return ORDER
    },
  })
  assert.match(paused.reports.at(-1)!.reason!, /paused/)
  assert.ok(paused.dials.at(-1)!.atMs <= 4_100)
})

test("more visitors than the owner's limit of requests in flight are left to others", async () => {
  const ownerHooks: Partial<OwnerHooks> = {
    concurrencyMax: 3,
    refuses: () => false,
    isPaused: () => false,
    turn: async () => true,
    began: () => {},
    ended: () => {},
  }
  const few = { ...ORDER, visitors: 3 }
  const { reports, inFlightMost } = await play({ ownerHooks, order: after(3_000, few, ORDER) })
  assert.equal(inFlightMost, 3)
  assert.match(reports.at(-1)!.reason!, /allows 3 requests in flight/)
})

test('a machine whose owner has not allowed load tests takes no part in one', async () => {
  const { dials, reports } = await play({ isAllowed: false })
  assert.deepEqual(dials, [])
  assert.match(reports[0]!.reason!, /--load-tests/)
})

test('an agent that is stopped takes its visitors with it', async () => {
  const { dials, reports } = await play({ untilMs: 3_000 })
  assert.ok(dials.at(-1)!.atMs <= 3_010)
  assert.match(reports.at(-1)!.reason!, /agent is stopping/)
})
