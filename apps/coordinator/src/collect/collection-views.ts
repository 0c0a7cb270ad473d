/** What ingest needs to know of a collection at every upload: scope and recently seen links. */
import { filterOfSpec } from '@minga/frontier'
import { compileScope } from '@minga/net'
import { isMingaError, type CollectionStatus } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { Operations } from '../station/station-operations.ts'
import type { CollectionView } from './found-links.ts'

/** Of collections that are not there, so many are remembered as such. */
const MISSING_MAX = 10_000

export class CollectionViews {
  readonly #store: Store<Operations>
  readonly #views = new Map<number, CollectionView>()
  readonly #missing = new Set<number>()
  #filter: string | null = null

  constructor(store: Store<Operations>) {
    this.#store = store
  }

  async of(ids: readonly number[]): Promise<ReadonlyMap<number, CollectionView>> {
    for (const id of new Set(ids)) {
      if (!this.#views.has(id) && !this.#missing.has(id)) await this.#read(id)
    }
    return this.#views
  }

  /** After a spec changed: links judged by the old scope may count now. */
  forget(id: number): void {
    this.#views.delete(id)
    this.#missing.delete(id)
  }

  /** After the station's filter changed: links that the old one left out may count now. */
  follow(filter: string | null): void {
    if (filter === this.#filter) return
    this.#filter = filter
    this.#views.clear()
  }

  async #read(id: number): Promise<void> {
    const status = await this.#find(id)
    if (status === null) {
      if (this.#missing.size >= MISSING_MAX) this.#missing.clear()
      this.#missing.add(id)
      return
    }
    const { spec } = status
    const isInScope = compileScope({ ...spec, kind: spec.scope })
    const seen = spec.kind === 'watch' ? REMEMBERS_NOTHING : new SeenLinks()
    this.#views.set(id, { spec, isInScope, seen, filter: filterOfSpec(spec) })
  }

  async #find(id: number): Promise<CollectionStatus | null> {
    try {
      const [status] = await this.#store.call('collectionStatus', { id })
      return status ?? null
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_NO_SUCH_COLLECTION') throw error
      return null
    }
  }
}

/**
 * Links that are already in the seen-set, remembered per collection so that most links of a page
 * never reach the database. It may forget (then the seen-set answers), it never invents.
 */
const LINKS_MAX = 300_000

export class SeenLinks {
  #recent = new Set<string>()
  #older = new Set<string>()

  has(link: string): boolean {
    return this.#recent.has(link) || this.#older.has(link)
  }

  /** Two generations instead of an LRU list: the older one is dropped whole. */
  add(link: string): void {
    if (this.#recent.size >= LINKS_MAX) {
      this.#older = this.#recent
      this.#recent = new Set()
    }
    this.#recent.add(link)
  }
}

/** For collections that fetch everything again from time to time: only the seen-set knows when. */
const REMEMBERS_NOTHING: Pick<SeenLinks, 'has' | 'add'> = { has: () => false, add: () => {} }
