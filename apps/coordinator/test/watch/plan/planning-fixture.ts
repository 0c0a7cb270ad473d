/** Pages of equal worth in a store of their own, and their plans at the prices of a budget. */
import { collectionSpec, watchSettings, type WatchSettings } from '@minga/protocol'
import type { Store, Calls } from '@minga/store'
import type { TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { START } from '../../station-fixture.ts'
import type { Pages, PlanningOperations } from '../visits/planning-pages-fixture.ts'
import type { Operations } from '../../../src/station/station-operations.ts'

const OPERATIONS = new URL('../visits/planning-pages-fixture.ts', import.meta.url).href

export async function openPlanning(engine: TestEngine): Promise<Store<PlanningOperations>> {
  const home = await engine.home()
  const store = await home.openHere<PlanningOperations>({ operations: OPERATIONS })
  await store.call('ensureOperator', { keyHash: null, now: START })
  return store
}

/** A list that is yet to be filled; answers its id. */
export async function watchNothing(
  store: Calls<Operations>,
  settings: Partial<WatchSettings>,
): Promise<number> {
  const { id } = await store.call('createWatch', {
    subject: 'list',
    settings: watchSettings.parse({ name: 'some', ...settings }),
    spec: collectionSpec.parse({ kind: 'watch', seeds: [], scope: 'page' }),
    urls: [],
    owner: 'operator',
    now: START,
  })
  return id
}

export async function watchPages(
  store: Store<PlanningOperations>,
  pages: Omit<Pages, 'collectionId'>,
  settings: Partial<WatchSettings> = {},
): Promise<number> {
  const collectionId = await watchNothing(store, settings)
  await store.call('addPages', { collectionId, ...pages })
  return collectionId
}

/** Prices everything, and times every plan at the prices. */
export async function planAll(
  store: Store<PlanningOperations>,
  budget: { visitsPerDay: number; visitBytesPerDay?: number },
): Promise<void> {
  await store.call('replanVisits', { now: START, ...budget })
  await store.call('retimeVisits', { now: START, limit: 10_000 })
}
