/**
 * What watching costs the coordinator: pricing and timing the visits of a million URLs again, what
 * one visit costs, and what ten thousand watched sites cost in a day.
 *   npm run bench:watch [-- --urls 1000000 --write]
 * The real store (SQLite, durable) and the coordinator's real operations; only the agents are missing.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { watchSettings, collectionSpec } from '@minga/protocol'
import { openStore, type Store } from '@minga/store'
import type { WatchBenchOperations } from './watch-operations.ts'
import { figure, machineFacts, markdownTable, writePart } from './report.ts'

const PAGE = 20_000
const RETIMED_AT_ONCE = 4_000
const SITES = 10_000
const VISITS = 2_000
const DAY_S = 86_400

/** By address: a program's inner parts are nothing that its package offers to others. */
const { timeUpcomingVisits } = (await import(
  new URL('../apps/coordinator/src/watch/plan/retiming.ts', import.meta.url).href
)) as {
  timeUpcomingVisits: (
    parts: { store: Store<WatchBenchOperations>; clock: object },
    replanned: unknown,
  ) => AsyncGenerator
}

interface Figures {
  pricedS: number
  /** From another budget to plans that follow it, as far as they matter soon. */
  jumpS: number
  /** Of processors, all threads: tells more than the clock where others use them, too. */
  jumpCpuS: number
  longestMs: number
  retimedS: number
  visitMs: number
  tickMs: number
  peakMb: number
}

async function run(urls: number): Promise<Figures> {
  const data = mkdtempSync(join(tmpdir(), 'minga-bench-watch-'))
  const operations = new URL('watch-operations.ts', import.meta.url).href
  const store = await openStore<WatchBenchOperations>({ data, operations, writer: 'bench' })
  try {
    const now = Date.now()
    const collectionId = await newWatch(store, now)
    for (let from = 0; from < urls; from += PAGE) {
      const count = Math.min(PAGE, urls - from)
      await store.call('benchFill', { collectionId, from, count, now })
    }
    console.error(`${figure(urls)} watched URLs are there`)
    const budget = { now, visitsPerDay: Math.ceil(urls / 3) }
    const pricedS = await seconds(() => store.call('replanVisits', budget))
    const tickMs = (1_000 * (await seconds(() => tick(store, now), 20))) / 20
    const retimedS = await seconds(() => retimeAll(store, now))
    const jump = await timeJump(store, { now, visitsPerDay: urls })
    const visitMs = await store.call('benchVisits', { collectionId, count: VISITS, now })
    const peakMb = process.resourceUsage().maxRSS / 1_024
    return { pricedS, retimedS, ...jump, visitMs, tickMs, peakMb }
  } finally {
    await store.close()
    rmSync(data, { recursive: true, force: true })
  }
}

async function newWatch(store: Store<WatchBenchOperations>, now: number): Promise<number> {
  await store.call('ensureOperator', { keyHash: null, now })
  const { id } = await store.call('createWatch', {
    subject: 'list',
    settings: watchSettings.parse({ name: 'bench' }),
    spec: collectionSpec.parse({ kind: 'watch', seeds: [], scope: 'page' }),
    urls: [],
    owner: 'operator',
    now,
  })
  return id
}

/** What happens twice a second while nothing is due. */
async function tick(store: Store<WatchBenchOperations>, now: number): Promise<void> {
  await store.call('endStrayVisits', { now })
  await store.call('advanceHarvests', { guard: { allowPrivateAddresses: false }, now })
  await store.call('queueDueVisits', { now, visitsPerDay: null })
}

async function retimeAll(store: Store<WatchBenchOperations>, now: number): Promise<void> {
  while (await store.call('retimeVisits', { now, limit: RETIMED_AT_ONCE }));
}

/** The budget is three times what it was. */
async function timeJump(
  store: Store<WatchBenchOperations>,
  budget: { now: number; visitsPerDay: number },
): Promise<Pick<Figures, 'jumpS' | 'jumpCpuS' | 'longestMs'>> {
  let longestMs = 0
  const timed: Store<WatchBenchOperations> = {
    ...store,
    call: async (operation, args) => {
      const startedMs = performance.now()
      const answer = await store.call(operation, args)
      longestMs = Math.max(longestMs, performance.now() - startedMs)
      return answer
    },
  }
  const clock = { now: () => budget.now, monotonicMs: () => performance.now() }
  const startedMs = performance.now()
  const usedBefore = process.cpuUsage()
  const replanned = await store.call('replanVisits', budget)
  for await (const _ of timeUpcomingVisits({ store: timed, clock }, replanned));
  const { user, system } = process.cpuUsage(usedBefore)
  const jumpS = (performance.now() - startedMs) / 1_000
  return { jumpS, jumpCpuS: (user + system) / 1e6, longestMs }
}

async function seconds(work: () => Promise<unknown>, times = 1): Promise<number> {
  const startedMs = performance.now()
  for (let i = 0; i < times; i++) await work()
  return (performance.now() - startedMs) / 1_000
}

function table(urls: number, figures: Figures): string {
  const { pricedS, jumpS, jumpCpuS, longestMs, retimedS, visitMs, tickMs, peakMb } = figures
  // One visit a day each; two ticks a second.
  const share = (SITES * visitMs) / 1_000 / DAY_S + (2 * tickMs) / 1_000
  return markdownTable([
    { What: `Price of a visit for ${figure(urls)} URLs`, Figure: `${pricedS.toFixed(2)} s` },
    { What: 'A jump of the price takes effect', Figure: `${jumpS.toFixed(2)} s` },
    { What: 'of processor time', Figure: `${jumpCpuS.toFixed(2)} s` },
    { What: 'The longest other work waits for it', Figure: `${longestMs.toFixed(0)} ms` },
    { What: 'The rest of their plans, page by page', Figure: `${retimedS.toFixed(1)} s` },
    { What: 'One visit: belief, plan and rows', Figure: `${(1_000 * visitMs).toFixed(0)} µs` },
    { What: 'One idle tick', Figure: `${tickMs.toFixed(2)} ms` },
    {
      What: `${figure(SITES)} sites, a visit a day`,
      Figure: `${(100 * share).toFixed(2)} % of a core`,
    },
    { What: 'Memory at most', Figure: `${figure(peakMb)} MB` },
  ])
}

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
})
const urls = Number(values.urls)
const facts = machineFacts(new Date())
const text = `${facts}\n\n${table(urls, await run(urls))}`
console.log(text)
if (values.write) writePart('watch', text)
