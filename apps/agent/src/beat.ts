/** Signs of life. An answer renews our right to dial; what it names as ended is dropped. */
import { BEAT_EVERY_MS } from '@minga/protocol'
import { StationUnreachable } from './errors.ts'
import type { Hand } from './hand.ts'
import type { Machine } from './machine.ts'
import type { Station } from './station.ts'

export async function keepBeating(
  { station, machine, hand }: { station: Station; machine: Machine; hand: Hand },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await machine.clock.sleep(BEAT_EVERY_MS, signal)
    if (signal.aborted) return
    try {
      const sentAt = machine.clock.monotonicMs()
      const { ended } = await station.beat({ progress: hand.progress, fences: hand.fences }, signal)
      hand.heard(sentAt)
      hand.lost(ended)
    } catch (error) {
      // Silence is its own message: the hand stops dialling by itself when it lasts.
      if (!(error instanceof StationUnreachable)) throw error
    }
  }
}
