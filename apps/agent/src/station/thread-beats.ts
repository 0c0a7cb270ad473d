/**
 * The main loop's side of the beating thread. Nothing here waits for a turn of either loop: what the
 * work buffer holds is posted when it changes and read when a beat is made; what a beat brought lies in
 * shared memory and on a port, and is read when the work buffer is asked whether it may dial.
 */
import { BEAT_EVERY_MS, type Clock } from '@minga/protocol'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { StationRefused, StationUnreachable } from '../errors.ts'
import type { WorkBuffer, LeaseHealth } from '../fetch/work-buffer.ts'
import type { StationClient } from './station-client.ts'

/** What the thread must know to beat; each is sent when it changes. */
export interface BeatOrder {
  session: string
  fences: number[]
  /** The owner lets the agent rest. */
  rests: boolean
  /** Why, if it does. */
  rest: string | null
}

export interface ThreadParts {
  url: string
  session: string
  /** Grows with every request that ends, written by the main loop. */
  progress: Int32Array<SharedArrayBuffer>
  /** When the last beat that was answered had been sent, in microseconds of the monotonic clock. */
  heardAt: BigInt64Array<SharedArrayBuffer>
  orders: MessagePort
  /** Leases that a beat named as ended. */
  ended: MessagePort
}

export type BeatNews = { type: 'unknown'; session: string } | { type: 'refused'; reason: string }

const US_PER_MS = 1_000
/**
 * A lease counts as confirmed when it is given, so the first beat can wait; what is over by then,
 * a crawl of a few pages, needs no thread at all. Far below the silence that ends a lease.
 */
const THREAD_AFTER_MS = 1_000

/**
 * The leases first: a reader that sees the new time finds them on the port. The other way round, a
 * hand could dial for a lease that has ended, by a right that the same answer renewed.
 */
export function tellHeard(
  { ended, heardAt }: Pick<ThreadParts, 'ended' | 'heardAt'>,
  sentAtMonotonicMs: number,
  fences: readonly number[],
): void {
  if (fences.length > 0) ended.postMessage(fences)
  Atomics.store(heardAt, 0, BigInt(Math.floor(sentAtMonotonicMs * US_PER_MS)))
}

/** The other end: the time first, then the leases. */
function healthOf({ ended, heardAt }: Pick<ThreadParts, 'ended' | 'heardAt'>): LeaseHealth {
  return {
    heardAtMonotonicMs: () => Number(Atomics.load(heardAt, 0)) / US_PER_MS,
    takeEnded: () => {
      const fences: number[] = []
      for (;;) {
        const received = receiveMessageOnPort(ended)
        if (!received) return fences
        fences.push(...received.message)
      }
    },
  }
}

export interface ThreadBeating {
  station: StationClient
  buffer: WorkBuffer
  clock: Clock
}

/** Beats until the signal; fails when the station refuses a beat for good. */
export async function beatFromThread(
  { station, buffer, clock }: ThreadBeating,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(THREAD_AFTER_MS, signal)
  if (signal.aborted) return
  const orders = new MessageChannel()
  const ended = new MessageChannel()
  const heardAt = new BigInt64Array(new SharedArrayBuffer(8))
  const { url, session } = station
  const parts: ThreadParts = {
    url,
    session,
    progress: buffer.progressMemory,
    heardAt,
    orders: orders.port2,
    ended: ended.port2,
  }
  const worker = new Worker(new URL('./beat-thread.ts', import.meta.url), {
    workerData: parts,
    transferList: [orders.port2, ended.port2],
  })
  buffer.watchHealth(healthOf({ ended: ended.port1, heardAt }))
  const tell = (order: Partial<BeatOrder>): void => orders.port1.postMessage(order)
  // At once, so that a beat that is made from now on names the new lease.
  buffer.onTake = () => tell({ fences: buffer.fences })
  station.onSession = () => tell({ session: station.session })
  tell({ session: station.session, fences: buffer.fences })
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  try {
    await Promise.race([
      untilRefused(worker, station, stop),
      tellOfEnds(buffer, tell, { clock, signal: stop }),
    ])
  } finally {
    over.abort()
    await worker.terminate()
    for (const port of [orders.port1, ended.port1]) port.close()
  }
}

/** A lease that is done is named a little longer than it must be, which changes nothing. */
async function tellOfEnds(
  buffer: WorkBuffer,
  tell: (order: Partial<BeatOrder>) => void,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(BEAT_EVERY_MS / 2, signal)
    // Also when nothing is to be dialled: what is in the air for a lost lease is given up.
    buffer.readHealth()
    const rest = buffer.machine.ownerHooks?.restsFor() ?? null
    tell({ fences: buffer.fences, rests: rest !== null, rest })
  }
}

function untilRefused(worker: Worker, station: StationClient, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (news: BeatNews) => {
      if (news.type === 'refused') return reject(new StationRefused(station.url, news.reason))
      // Another loop may have said hello while the beat was on its way.
      if (news.session !== station.session) return
      station.hello(signal).catch((error: unknown) => {
        // The next beat finds out whether the station still does not know us.
        if (!(error instanceof StationUnreachable)) reject(error)
      })
    })
  })
}
