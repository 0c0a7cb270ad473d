/** Starts a coordinator. Light on purpose: two threads read the program, and the store's need not wait for the other. */
import { StoreThread } from '@minga/store'
import type { Coordinator, CoordinatorSettings } from './open-station.ts'
import type { Operations } from './station/station-operations.ts'

export type { Coordinator, CoordinatorSettings } from './open-station.ts'

/** `onRead`: the program is read, and from now on the main loop turns. On a busy machine it may take many seconds. */
export async function startCoordinator(
  settings: CoordinatorSettings,
  onRead: () => void = () => {},
): Promise<Coordinator> {
  const thread = new StoreThread<Operations>(new URL('./operations.ts', import.meta.url).href)
  const { openStation } = await import('./open-station.ts')
  onRead()
  return openStation(settings, thread)
}
