/**
 * One measured run of the frontier on a new store, in a process of its own, so that its memory
 * holds nothing of the run before.
 *   node frontier-main.ts ORDER_AS_JSON
 * Prints its phases as JSON; ends early when its standard input closes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@minga/protocol'
import { openStore } from '@minga/store'
import { FrontierLoad } from './frontier-load.ts'
import type { FrontierOrder, Phase } from './frontier-report.ts'
import { startPostgres } from './own-postgres.ts'
import { figure } from './report.ts'
import type { FrontierBenchOperations } from './frontier-operations.ts'

const MICROSECONDS_PER_SECOND = 1_000_000
const RSS_SAMPLE_MS = 50
/** One agent's answers are made while another's are committed. */
const AGENTS = 2
/** While growing, this many are completed after each step, to see whether size slows them. */
const GROW_STEP = 1_000_000
const GROW_COMPLETE = 100_000

async function measured(what: string, work: () => Promise<number>): Promise<Phase> {
  const startedMs = systemClock.monotonicMs()
  const cpu = process.cpuUsage()
  let rssBytes = 0
  const over = new AbortController()
  const sampling = (async () => {
    while (!over.signal.aborted) {
      rssBytes = Math.max(rssBytes, process.memoryUsage.rss())
      await systemClock.sleep(RSS_SAMPLE_MS, over.signal)
    }
  })()
  const urls = await work().finally(() => over.abort())
  await sampling
  const { user, system } = process.cpuUsage(cpu)
  return {
    what,
    urls,
    seconds: (systemClock.monotonicMs() - startedMs) / 1000,
    cpuSeconds: (user + system) / MICROSECONDS_PER_SECOND,
    rssBytes,
  }
}

async function run(order: FrontierOrder): Promise<Phase[]> {
  const { urls, answering } = order
  const data = mkdtempSync(join(tmpdir(), 'minga-bench-frontier-'))
  const postgres = order.engine === 'postgres' ? await startPostgres() : null
  const store = await openStore<FrontierBenchOperations>({
    data,
    operations: new URL('./frontier-operations.ts', import.meta.url).href,
    writer: 'bench',
    ...(postgres === null ? {} : { postgresUrl: postgres.url }),
  })
  try {
    const load = new FrontierLoad(store, order.hosts)
    await load.open()
    const found = async (count: number): Promise<number> => {
      await load.discover(count)
      return count
    }
    const how = { answering, agents: AGENTS }
    const phases = [
      await measured('found', () => found(urls)),
      await measured(`leased and completed (${answering})`, () => load.complete(urls, how)),
    ]
    for (let known = urls; known < order.grow; known += GROW_STEP) {
      const size = `${figure(known + GROW_STEP)} known`
      phases.push(
        await measured(`found, ${size}`, () => found(GROW_STEP)),
        await measured(`leased and completed, ${size}`, () => load.complete(GROW_COMPLETE, how)),
      )
    }
    return phases
  } finally {
    await store.close()
    await postgres?.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

process.stdin.once('end', () => process.exit(1)).resume()
const order = JSON.parse(process.argv[2] ?? '') as FrontierOrder
console.log(JSON.stringify(await run(order)))
process.exit(0)
