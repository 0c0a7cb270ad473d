/** Pages of equal worth in a store of their own, and their plans at the prices of a budget. */
import { collectionSpec, watchSettings, type WatchSettings } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { TestEngine } from '../../../../packages/store/src/contract-engines.ts'
import { START } from '../station-fixture.ts'
import type { Pages } from './planning-pages-fixture.ts'

const OPERATIONS = new URL('./planning-pages-fixture.ts', import.meta.url).href

export async function openPlanning(engine: TestEngine): Promise<Store> {
  const home = await engine.home()
  const store = await home.openHere({ operations: OPERATIONS })
  await store.call('ensureOperator', { keyHash: null, now: START })
  return store
}

/** A list that is yet to be filled; answers its id. */
export async function watchNothing(
  store: Store,
  settings: Partial<WatchSettings>,
): Promise<number> {
  const { id } = await store.call<{ id: number }>('createWatch', {
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
  store: Store,
  pages: Omit<Pages, 'collectionId'>,
  settings: Partial<WatchSettings> = {},
): Promise<number> {
  const collectionId = await watchNothing(store, settings)
  await store.call('addPages', { collectionId, ...pages })
  return collectionId
}

/** Prices everything, and times every plan at the prices. */
export async function planAll(
  store: Store,
  budget: { visitsPerDay: number; visitBytesPerDay?: number },
): Promise<void> {
  await store.call('replanVisits', { now: START, ...budget })
  await store.call('retimeVisits', { now: START, limit: 10_000 })
}
