/** Sends results in batches while fetching goes on; keeps them until the station has them. */
import { faultPoint } from '@minga/protocol'
import { StationUnreachable } from './errors.ts'
import type { Hand } from './hand.ts'
import type { Machine } from './machine.ts'
import type { Batch } from './outbox.ts'
import type { Station } from './station.ts'

/** A batch leaves when it is this large or this old, whichever comes first: the station pays two
 * fsyncs per batch, and a host rests until its results have arrived. */
const BATCH_RESULTS = 250
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_AGE_MS = 100
/** How often a growing batch is looked at. */
const LOOK_MS = 20
/** Retry pauses while the station is away. */
const AWAY_FIRST_MS = 250
const AWAY_MAX_MS = 5_000

interface Sending {
  station: Station
  machine: Machine
  hand: Hand
}

export async function sendResults(sending: Sending, signal: AbortSignal): Promise<void> {
  const { recorder } = sending.machine
  const { boot } = sending.station
  while (!signal.aborted) {
    if (recorder.waiting === 0) {
      await recorder.changed(signal)
      continue
    }
    await gather(sending, signal)
    const batch = await recorder.batch({ boot, bytesMax: BATCH_BYTES })
    if (batch === null) continue
    await deliver(sending, batch, signal)
    recorder.delivered(batch)
  }
}

/**
 * Waits for a fuller batch while there is enough to do. With lanes idle, results must go now: they
 * free their hosts and bring new links, which is what the idle lanes wait for.
 */
async function gather({ machine, hand }: Sending, signal: AbortSignal): Promise<void> {
  const { clock, recorder, limits } = machine
  const until = clock.monotonicMs() + BATCH_AGE_MS
  while (!signal.aborted && hand.requests >= limits.concurrency) {
    const leftMs = until - clock.monotonicMs()
    const isFull = recorder.waiting >= BATCH_RESULTS || recorder.waitingBytes >= BATCH_BYTES
    if (leftMs <= 0 || isFull) return
    await clock.sleep(Math.min(leftMs, LOOK_MS), signal)
  }
}

async function deliver(sending: Sending, batch: Batch, signal: AbortSignal): Promise<void> {
  const { station, machine } = sending
  for (let awayMs = AWAY_FIRST_MS; ; awayMs = Math.min(awayMs * 2, AWAY_MAX_MS)) {
    try {
      faultPoint('agent:before-send')
      await station.upload(batch.body)
      faultPoint('agent:after-send')
      return
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      if (signal.aborted) return
      await machine.clock.sleep(awayMs, signal)
    }
  }
}
