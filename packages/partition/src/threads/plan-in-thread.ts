/**
 * A plan made in a worker thread: the caller's thread stays free, and an abort ends the planning at
 * once.
 */
import { Worker } from 'node:worker_threads'
import type { PlanInput } from '../plan/plan-input.ts'
import type { Plan } from '../plan/plan.ts'

const THREAD = new URL('./plan-thread.ts', import.meta.url)

export function planInThread(input: PlanInput, signal?: AbortSignal): Promise<Plan> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const worker = new Worker(THREAD, { workerData: input })
    const abort = (): void => {
      void worker.terminate()
      reject(signal!.reason as Error)
    }
    signal?.addEventListener('abort', abort, { once: true })
    const settle = (): void => signal?.removeEventListener('abort', abort)
    worker.once('message', (plan: Plan) => {
      settle()
      resolve(plan)
    })
    worker.once('error', (error: Error) => {
      settle()
      reject(error)
    })
  })
}
