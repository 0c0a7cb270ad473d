/** Sends results in batches while fetching goes on; keeps them until the station has them. */
import { faultPoint } from '@minga/protocol'
import { StationUnreachable } from './errors.ts'
import type { Hand } from './hand.ts'
import type { Machine } from './machine.ts'
import type { Batch } from './outbox.ts'
import { Patience } from './patience.ts'
import type { Station } from './station.ts'

/** A batch leaves when it is this large or this old, whichever comes first: the station pays two
 * fsyncs per batch, and a host rests until its results have arrived. */
const BATCH_RESULTS = 250
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_AGE_MS = 100
/** How often a growing batch is looked at. */
const LOOK_MS = 20

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
    const isWithStation = await deliver(sending, batch, signal)
    if (isWithStation) recorder.delivered(batch)
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

/** Tries until the station has the batch; false when it was told to stop before. */
async function deliver(sending: Sending, batch: Batch, signal: AbortSignal): Promise<boolean> {
  const { station, machine } = sending
  const patience = new Patience(machine.random)
  for (;;) {
    try {
      faultPoint('agent:before-send')
      await station.upload(batch.body)
      faultPoint('agent:after-send')
      return true
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      if (signal.aborted) return false
      await machine.clock.sleep(patience.nextMs(), signal)
    }
  }
}
