/** A thread that runs seeds one after the other, as they are given to it. */
import { parentPort, workerData } from 'node:worker_threads'
import { runSeed, type SeedTask } from './run-seed.ts'

const task = workerData as SeedTask

parentPort!.on('message', (seed: number) => {
  const figures = runSeed(task, seed, () => parentPort!.postMessage({ told: 1 }))
  parentPort!.postMessage({ figures })
})
