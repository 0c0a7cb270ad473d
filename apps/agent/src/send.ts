/** Sends results in batches while fetching goes on; keeps them until the station has them. */
import { encodeUpload, faultPoint, type Result } from '@minga/protocol'
import { StationUnreachable } from './errors.ts'
import type { Hand } from './hand.ts'
import type { Machine } from './machine.ts'
import type { Outbox, Parcel } from './outbox.ts'
import type { Station } from './station.ts'

/** A batch leaves when it is this large or this old, whichever comes first: the station pays two
 * fsyncs per batch, and a host rests until its results have arrived. */
const BATCH_RESULTS = 250
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_AGE_MS = 100
/** Retry pauses while the station is away. */
const AWAY_FIRST_MS = 250
const AWAY_MAX_MS = 5_000

interface Sending {
  station: Station
  machine: Machine
  hand: Hand
  outbox: Outbox
}

export async function sendResults(sending: Sending, signal: AbortSignal): Promise<void> {
  const { outbox } = sending
  while (!signal.aborted) {
    if (outbox.size === 0) {
      await outbox.changed(signal)
      continue
    }
    await gather(sending, signal)
    const parcels = outbox.take(BATCH_BYTES)
    await deliver(sending, parcels, signal)
    outbox.sent(parcels)
  }
}

/** Waits for a fuller batch, but not when nothing more will come. */
async function gather({ machine, hand, outbox }: Sending, signal: AbortSignal): Promise<void> {
  const until = machine.clock.monotonicMs() + BATCH_AGE_MS
  while (!signal.aborted && hand.requests > 0) {
    const leftMs = until - machine.clock.monotonicMs()
    if (leftMs <= 0 || outbox.size >= BATCH_RESULTS || outbox.bytes >= BATCH_BYTES) return
    await machine.clock.sleep(Math.min(leftMs, 20), signal)
  }
}

async function deliver(sending: Sending, parcels: Parcel[], signal: AbortSignal): Promise<void> {
  const { station, machine, hand } = sending
  const members = parcels.flatMap((parcel) => parcel.members)
  for (let awayMs = AWAY_FIRST_MS; ; awayMs = Math.min(awayMs * 2, AWAY_MAX_MS)) {
    try {
      faultPoint('agent:before-send')
      const sentAt = machine.clock.monotonicMs()
      const results = parcels.map((parcel) => withAge(parcel, sentAt))
      await station.upload(encodeUpload({ boot: station.boot, results }, members))
      hand.heard(sentAt)
      faultPoint('agent:after-send')
      return
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      if (signal.aborted) return
      await machine.clock.sleep(awayMs, signal)
    }
  }
}

/** Ages are taken at each try: a result that waited is older, and its host has rested longer. */
function withAge({ result, endedAtMonotonicMs }: Parcel, now: number): Result {
  if (result.type === 'returned' || endedAtMonotonicMs === undefined) return result
  return { ...result, endedAgoMs: Math.max(0, Math.floor(now - endedAtMonotonicMs)) }
}
