/**
 * Until agents that lost hosts to a change of a filter know of it: from then on nothing is dialled
 * there. They learn of it by their next heartbeat; one that is silent stops dialling by itself.
 */
import type { Station } from '../station.ts'

const LOOK_EVERY_MS = 100

export async function awaitBeats(
  { store, clock }: Pick<Station, 'store' | 'clock'>,
  boots: readonly string[],
): Promise<void> {
  if (boots.length === 0) return
  const since = clock.now()
  const areHeard = (): Promise<boolean> =>
    store.call('heardSince', { boots, since, now: clock.now() })
  while (!(await areHeard())) await clock.sleep(LOOK_EVERY_MS)
}
