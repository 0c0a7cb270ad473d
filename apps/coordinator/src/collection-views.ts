/** What ingest needs to know of a collection at every upload: scope and recently seen links. */
import { filterOfSpec } from '@minga/frontier'
import { compileScope } from '@minga/net'
import type { CollectionStatus } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { CollectionView } from './found-links.ts'
import { REMEMBERS_NOTHING, SeenLinks } from './seen-links.ts'

export class CollectionViews {
  readonly #store: Store
  readonly #views = new Map<number, CollectionView>()
  #filter: string | null = null

  constructor(store: Store) {
    this.#store = store
  }

  async of(ids: readonly number[]): Promise<ReadonlyMap<number, CollectionView>> {
    for (const id of new Set(ids)) {
      if (!this.#views.has(id)) await this.#read(id)
    }
    return this.#views
  }

  /** After a spec changed: links judged by the old scope may count now. */
  forget(id: number): void {
    this.#views.delete(id)
  }

  /** After the station's filter changed: links that the old one left out may count now. */
  follow(filter: string | null): void {
    if (filter === this.#filter) return
    this.#filter = filter
    this.#views.clear()
  }

  async #read(id: number): Promise<void> {
    const all = await this.#store.call<CollectionStatus[]>('collectionStatus', { id: null })
    const status = all.find((collection) => collection.id === id)
    if (!status) return
    const { spec } = status
    const isInScope = compileScope({ ...spec, kind: spec.scope })
    const seen = spec.kind === 'watch' ? REMEMBERS_NOTHING : new SeenLinks()
    this.#views.set(id, { spec, isInScope, seen, filter: filterOfSpec(spec) })
  }
}
