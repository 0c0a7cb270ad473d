/** Asks the station for blocks so that the hand never runs empty and never overflows. */
import type { Hand } from './hand.ts'
import type { Machine } from './machine.ts'
import { StationUnreachable } from './errors.ts'
import { Patience } from './patience.ts'
import type { Station } from './station.ts'

/** Smaller asks cost more round trips than they win freshness. */
const ASK_MIN = 50
/** How soon to look whether beats are answered again. */
const DEAF_MS = 500

export async function askForBlocks(
  { station, machine, hand }: { station: Station; machine: Machine; hand: Hand },
  signal: AbortSignal,
): Promise<void> {
  const { requestsInHand } = machine.limits
  const patience = new Patience(machine.random)
  while (!signal.aborted) {
    // Refill at half: the other half is fetched while the next block is on its way.
    await hand.below(Math.max(1, requestsInHand / 2), signal)
    if (signal.aborted) return
    if (!hand.isHeard()) {
      await machine.clock.sleep(DEAF_MS, signal)
      continue
    }
    const wanted = Math.max(ASK_MIN, requestsInHand - hand.requests)
    try {
      const sentAt = machine.clock.monotonicMs()
      const answer = await station.ask({ requestsMax: wanted, hostsMax: wanted }, signal)
      patience.restored()
      if (answer.block) hand.take(answer.block, sentAt)
      else await machine.clock.sleep(answer.waitMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof StationUnreachable)) throw error
      await machine.clock.sleep(patience.nextMs(), signal)
    }
  }
}
