/**
 * Comparing two bodies without holding up the station: large pages take seconds, and agents whose
 * beats are not heard for ten lose their leases. Those get a thread of their own, one at a time.
 */
import { diffPages, type DiffOptions, type PageBody, type PageDiff } from '@minga/forecast'
import { systemClock } from '@minga/protocol'
import { Worker } from 'node:worker_threads'
import { DiffTooLong } from '../errors.ts'
import { oneAtATime } from '../one-at-a-time.ts'

/** Up to this a thread would take longer to start than the comparison takes. */
const AT_ONCE_BYTES = 128 * 1024
/** Too short fails on a busy machine; too long keeps others waiting for their turn. */
const PATIENCE_MS = 60_000
const THREAD = { resourceLimits: { maxOldGenerationSizeMb: 1_024 } }
const queue = {}

export interface Compared {
  before: PageBody
  after: PageBody
  options: DiffOptions
}

export function compareBodies(compared: Compared): Promise<PageDiff> {
  const { before, after, options } = compared
  if (before.body.length + after.body.length > AT_ONCE_BYTES) {
    return oneAtATime(queue, () => compareInThread(compared))
  }
  return Promise.resolve(diffPages(before, after, options))
}

async function compareInThread(workerData: Compared): Promise<PageDiff> {
  const worker = new Worker(new URL('./diff-thread.ts', import.meta.url), {
    ...THREAD,
    workerData,
  })
  const ended = new AbortController()
  try {
    return await Promise.race([
      new Promise<PageDiff>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', (cause) => reject(new DiffTooLong({ cause })))
      }),
      systemClock.sleep(PATIENCE_MS, ended.signal).then(() => {
        throw new DiffTooLong()
      }),
    ])
  } finally {
    ended.abort()
    await worker.terminate()
  }
}
