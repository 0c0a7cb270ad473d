/** Starts a coordinator. Light on purpose: two threads read the program, and the store's need not wait for the other. */
import { StoreThread } from '@minga/store'
import type { Coordinator, CoordinatorSettings } from './open-station.ts'

export type { Coordinator, CoordinatorSettings } from './open-station.ts'

export async function startCoordinator(settings: CoordinatorSettings): Promise<Coordinator> {
  const thread = new StoreThread(new URL('./operations.ts', import.meta.url).href)
  const { openStation } = await import('./open-station.ts')
  return openStation(settings, thread)
}
