/** Sends results in batches while fetching continues; keeps them until the station has them. */
import { faultPoint } from '@minga/protocol'
import { BadStationAnswer, StationRefused, StationUnreachable } from '../errors.ts'
import type { WorkBuffer } from '../fetch/work-buffer.ts'
import type { Machine } from '../fetch/machine.ts'
import type { Batch } from './outbox.ts'
import { AGENT_BACKOFF, Backoff } from '@minga/protocol/backoff'
import type { StationClient } from '../station/station-client.ts'

/** A batch leaves when it is this large or this old, whichever comes first: the station pays two
 * fsyncs per batch, and a host rests until its results have arrived. */
const BATCH_RESULTS = 250
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_AGE_MS = 100
/** How often a growing batch is checked. */
const LOOK_MS = 20

interface Sending {
  station: StationClient
  machine: Machine
  buffer: WorkBuffer
}

export async function sendResults(sending: Sending, signal: AbortSignal): Promise<void> {
  const { recorder, ownerHooks } = sending.machine
  const { boot } = sending.station
  const afterRefusal = new Backoff(AGENT_BACKOFF, sending.machine.random)
  while (!signal.aborted) {
    if (recorder.waiting === 0) {
      await recorder.changed(signal)
      continue
    }
    await gather(sending, signal)
    const bytesMax = Math.min(BATCH_BYTES, ownerHooks?.uploadBytesMax ?? BATCH_BYTES)
    const batch = await recorder.batch({ boot, bytesMax })
    if (batch === null) continue
    const end = await deliver(sending, batch, signal)
    if (end !== 'kept') recorder.delivered(batch)
    // What follows may be refused as well: sites are not to be asked for nothing, again and again.
    if (end === 'refused') await sending.machine.clock.sleep(afterRefusal.nextMs(), signal)
    else afterRefusal.reset()
  }
}

/**
 * Waits for a fuller batch while there is enough to do. With lanes idle, results must go now: they
 * free their hosts and bring new links, which is what the idle lanes wait for.
 */
async function gather({ machine, buffer }: Sending, signal: AbortSignal): Promise<void> {
  const { clock, recorder, limits } = machine
  const until = clock.monotonicMs() + BATCH_AGE_MS
  while (!signal.aborted && buffer.requests >= limits.concurrency) {
    const leftMs = until - clock.monotonicMs()
    const isFull = recorder.waiting >= BATCH_RESULTS || recorder.waitingBytes >= BATCH_BYTES
    if (leftMs <= 0 || isFull) return
    await clock.sleep(Math.min(leftMs, LOOK_MS), signal)
  }
}

/** `kept`: it was stopped before the station had it. */
type End = 'delivered' | 'refused' | 'kept'

/** Tries until the station has the batch or will never take it. */
async function deliver(sending: Sending, batch: Batch, signal: AbortSignal): Promise<End> {
  const { station, machine } = sending
  const { ownerHooks } = machine
  const backoff = new Backoff(AGENT_BACKOFF, machine.random)
  for (;;) {
    try {
      await ownerHooks?.roomToSend(signal)
      ownerHooks?.uploading(batch.body.length)
      faultPoint('agent:before-send')
      await station.upload(batch.body, ownerHooks?.hurry)
      faultPoint('agent:after-send')
      return 'delivered'
    } catch (error) {
      if (isOfThisBatch(error)) {
        const { length } = batch.fences
        machine.complain(`${length} results were dropped, their upload is refused: ${error.reason}`)
        return 'refused'
      }
      if (!(error instanceof StationUnreachable)) throw error
      if (error instanceof BadStationAnswer) machine.complain(error.message)
      if (signal.aborted) return 'kept'
      await machine.clock.sleep(backoff.nextMs(), signal)
    }
  }
}

const NOT_LET_IN = [401, 403]

/**
 * Not we but what we sent is refused: it would be refused at every try. Dropped, its leases are not
 * named by our beats any more and end by themselves; another machine gets those requests.
 */
function isOfThisBatch(error: unknown): error is StationRefused {
  if (!(error instanceof StationRefused) || error.refused === null) return false
  return error.refused.call === 'results' && !NOT_LET_IN.includes(error.refused.status)
}
