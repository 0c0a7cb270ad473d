/** Asks the station for blocks so that the work buffer never runs empty and never overflows. */
import type { WorkBuffer } from './work-buffer.ts'
import type { Machine } from './machine.ts'
import { BadStationAnswer, StationUnreachable } from '../errors.ts'
import { AGENT_BACKOFF, Backoff } from '@minga/protocol/backoff'
import type { StationClient } from '../station/station-client.ts'

/** Smaller asks cost more round trips than they win freshness. */
const ASK_MIN = 50
/** How soon to look whether beats are answered again. */
const DEAF_MS = 500

export async function askForBlocks(
  { station, machine, buffer }: { station: StationClient; machine: Machine; buffer: WorkBuffer },
  signal: AbortSignal,
): Promise<void> {
  const { ownerHooks } = machine
  const backoff = new Backoff(AGENT_BACKOFF, machine.random)
  const reluctance = new Backoff(AGENT_BACKOFF, machine.random)
  while (!signal.aborted) {
    const { requestsInHand } = machine.limits
    // Refill at half: the other half is fetched while the next block is on its way.
    await buffer.below(Math.max(1, requestsInHand / 2), signal)
    await ownerHooks?.readyForWork(signal)
    if (signal.aborted) return
    if (ownerHooks?.isPaused()) {
      await ownerHooks.resumed(signal)
      continue
    }
    if (!buffer.isHeard()) {
      await machine.clock.sleep(DEAF_MS, signal)
      continue
    }
    const wanted = Math.max(Math.min(ASK_MIN, requestsInHand), requestsInHand - buffer.requests)
    try {
      const sentAt = machine.clock.monotonicMs()
      const answer = await station.ask({ requestsMax: wanted, hostsMax: wanted }, signal)
      backoff.reset()
      ownerHooks?.stationSaid(answer)
      // Nothing else is asked for in the meantime: other work would slow the visitors down.
      if (answer.load) await machine.bearLoad?.(answer.load, signal)
      if (answer.block) buffer.take(answer.block, sentAt)
      else await machine.clock.sleep(answer.waitMs, signal)
      // The station would give us the same hosts again, as fast as we give them back.
      if (answer.block && ownerHooks?.refusesAll(answer.block)) {
        await machine.clock.sleep(reluctance.nextMs(), signal)
      } else reluctance.reset()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof StationUnreachable)) throw error
      if (error instanceof BadStationAnswer) machine.complain(error.message)
      ownerHooks?.stationSaid(null)
      await machine.clock.sleep(backoff.nextMs(), signal)
    }
  }
}
