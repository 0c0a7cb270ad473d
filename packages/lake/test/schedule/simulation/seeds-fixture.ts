/**
 * Many seeds, one after another. As a thread it is twice as fast as inside a test: the test runner follows every
 * promise, and here are millions.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { seededRandom } from '@minga/testkit'
import { MemoryDatabases } from './database-fixture.ts'
import { simulate, type Figures } from './simulation.ts'

export interface Seeds {
  from: number
  to: number
}

export type SeedsAnswer = { figures: Figures; seconds: number } | { seed: number; problem: string }

export async function runSeeds({ from, to }: Seeds): Promise<SeedsAnswer> {
  const databases = new MemoryDatabases()
  await databases.setUp()
  const startedMs = performance.now()
  const figures: Figures = { steps: 0, operations: 0, virtualMs: 0, ended: {} }
  for (let seed = from; seed <= to; seed++) {
    try {
      add(figures, await simulate(seededRandom(seed), await databases.next()))
    } catch (error) {
      return {
        seed,
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }
    }
  }
  return { figures, seconds: (performance.now() - startedMs) / 1000 }
}

export function runSeedsInThread(seeds: Seeds): Promise<SeedsAnswer> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { seeds } })
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}

function add(total: Figures, one: Figures): void {
  total.steps += one.steps
  total.operations += one.operations
  total.virtualMs += one.virtualMs
  for (const [state, times] of Object.entries(one.ended)) {
    total.ended[state] = (total.ended[state] ?? 0) + times
  }
}

const asked = isMainThread ? undefined : (workerData as { seeds?: Seeds } | null)?.seeds
if (asked) parentPort!.postMessage(await runSeeds(asked))
