/** The beating thread: see heartbeat-thread.ts for the other end. */
import { systemClock } from '@minga/protocol/clock'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { HeartbeatNews, HeartbeatOrder, HeartbeatParts } from './heartbeat-thread.ts'
import { postJson } from './station-calls.ts'
import type { TaskHeartbeatResponse } from './station.ts'

/** Periods without a turn of the main loop after which it counts as stuck. */
const STILL_PERIODS = 4

function serve(main: MessagePort, parts: HeartbeatParts): void {
  let over = new AbortController()
  main.on('message', (order: HeartbeatOrder) => {
    over.abort()
    over = new AbortController()
    if (order.lease) void keepBeating(main, parts, { ...order, signal: over.signal })
  })
  main.postMessage({ lost: null } satisfies HeartbeatNews)
}

async function keepBeating(
  main: MessagePort,
  parts: HeartbeatParts,
  { lease, everyMs, signal }: HeartbeatOrder & { signal: AbortSignal },
): Promise<void> {
  let seen = -1
  let still = 0
  while (!signal.aborted) {
    await systemClock.sleep(everyMs, signal)
    const turns = Atomics.load(parts.turns, 0)
    still = turns === seen ? still + 1 : 0
    seen = turns
    // Silence frees the task for another worker.
    if (signal.aborted || lease === null || still >= STILL_PERIODS) continue
    const body = {
      worker: parts.who.worker,
      boot: parts.who.boot,
      tasks: [{ ...lease, progress: Atomics.load(parts.turns, 1) }],
    }
    // An answer after several periods renews nothing, while a new beat may get through.
    const limit = AbortSignal.any([signal, AbortSignal.timeout(everyMs * 2)])
    const answer = await postJson<TaskHeartbeatResponse>(parts.address, '/worker/beat', {
      body,
      signal: limit,
      // A station that is away, restarting or refusing hears the next one; the commit finds out what it was.
    }).catch(() => ({ lost: [] }))
    for (const lost of answer.lost) main.postMessage({ lost } satisfies HeartbeatNews)
  }
}

if (parentPort) serve(parentPort, workerData as HeartbeatParts)
