/** Runs a scenario: seed by seed, on as many threads as there are cores. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SeedFigures } from './cells.ts'
import { Measured } from './measured.ts'
import type { Scenario } from './scenario.ts'

export type Progress = (done: number, total: number) => void

const THREAD = new URL('./seed-thread.ts', import.meta.url)

export async function simulatePartition(
  scenario: Scenario,
  onProgress: Progress = () => {},
): Promise<Measured> {
  const { scale, cells, placements, seeds } = scenario
  const total = seeds.length * (cells.length + placements.length)
  const waiting = [...seeds]
  const found: SeedFigures[] = []
  let done = 0
  const threads = Array.from({ length: Math.min(availableParallelism(), seeds.length) }, () =>
    runThread(
      new Worker(THREAD, { workerData: { scale, cells, placements } }),
      () => waiting.shift(),
      (message) => {
        if ('figures' in message) found.push(message.figures)
        else onProgress(++done, total)
      },
    ),
  )
  await Promise.all(threads)
  return new Measured(found.toSorted((a, b) => a.seed - b.seed))
}

type Message = { told: number } | { figures: SeedFigures }

/** Gives the thread a seed whenever it has none, until there are no more. */
function runThread(
  worker: Worker,
  nextSeed: () => number | undefined,
  onMessage: (message: Message) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const give = (): void => {
    const seed = nextSeed()
    if (seed === undefined) void worker.terminate().then(() => resolve(), reject)
    else worker.postMessage(seed)
  }
  worker.on('error', reject)
  worker.on('message', (message: Message) => {
    onMessage(message)
    if ('figures' in message) give()
  })
  give()
  return promise
}
