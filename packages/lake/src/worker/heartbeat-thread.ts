/**
 * The main loop's side of the beating thread. The main loop raises a counter at each of its turns; the thread beats
 * for the task in progress only while that counter moves. So a beat means that the worker works, not that it exists.
 */
import type { Clock } from '@minga/protocol'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { LeaseLost } from '../errors.ts'
import type { LeaseId } from '../schedule/resolve-task.ts'
import type { WorkerIdentity } from './http-station.ts'
import type { StationAddress } from './station-calls.ts'

/** Beats within the time of a lease: it survives the loss of two. */
const BEATS_PER_LEASE = 4

export interface HeartbeatParts {
  address: StationAddress
  who: WorkerIdentity
  /** [0]: turns of the main loop; [1]: rows that went through. */
  turns: Int32Array<SharedArrayBuffer>
}

export interface HeartbeatOrder {
  /** The task in progress; null: nothing to beat for. */
  lease: LeaseId | null
  everyMs: number
}

/** The first says that it listens, and names nothing. */
export interface HeartbeatNews {
  lost: LeaseId | null
}

export interface HeartbeatThread {
  /** Beats for a task until it is let go; the signal tells that it was lost. */
  hold(lease: LeaseId, leaseMs: number): Holding
  close(): Promise<void>
}

export interface Holding {
  lost: AbortSignal
  /** Rows that went through, for progress displays. */
  progress: (rows: number) => void
  release(): void
}

/** Ready when the thread is: on a busy machine its start may take as long as a lease. */
export async function startHeartbeat({
  address,
  who,
  clock,
}: Omit<HeartbeatParts, 'turns'> & { clock: Clock }): Promise<HeartbeatThread> {
  const turns = new Int32Array(new SharedArrayBuffer(8))
  const thread = new Worker(new URL('./heartbeat-main.ts', import.meta.url), {
    workerData: { address, who, turns } satisfies HeartbeatParts,
  })
  let held: { lease: LeaseId; over: AbortController } | null = null
  thread.on('message', ({ lost }: HeartbeatNews) => {
    if (lost && held?.lease.fence === lost.fence) held.over.abort(LeaseLost.of(lost))
  })
  await once(thread, 'message')
  const tell = (order: HeartbeatOrder): void => thread.postMessage(order)
  return {
    hold(lease, leaseMs) {
      const everyMs = leaseMs / BEATS_PER_LEASE
      const over = new AbortController()
      const released = new AbortController()
      held = { lease, over }
      tell({ lease, everyMs })
      void keepTurning(turns, { clock, everyMs: everyMs / 2, signal: released.signal })
      return {
        lost: over.signal,
        progress: (rows) => void Atomics.store(turns, 1, Math.min(rows, ROWS_MOST)),
        release: () => {
          released.abort()
          held = null
          tell({ lease: null, everyMs })
        },
      }
    },
    close: async () => void (await thread.terminate()),
  }
}

const ROWS_MOST = 2 ** 31 - 1

async function keepTurning(
  turns: Int32Array,
  { clock, everyMs, signal }: { clock: Clock; everyMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    Atomics.add(turns, 0, 1)
    await clock.sleep(everyMs, signal)
  }
}
