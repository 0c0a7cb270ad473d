/** The station's own filter as it holds now, made ready once for each change. */
import type { Filter } from '@minga/partition'
import { filterIn } from '@minga/frontier'
import type { LiveSettings } from '../settings/live-settings.ts'

export interface ReadyFilter {
  /** Null: the station wants everything. */
  filter: Filter | null
  /** Its JSON, for the store's thread. */
  text: string | null
}

const NONE: ReadyFilter = { filter: null, text: null }

export class StationFilter {
  readonly #settings: Pick<LiveSettings, 'current'>
  #data: object | null = null
  #ready: ReadyFilter = NONE

  constructor(settings: Pick<LiveSettings, 'current'>) {
    this.#settings = settings
  }

  current(): ReadyFilter {
    const { filter: data } = this.#settings.current()
    if (data === this.#data) return this.#ready
    const text = data === null ? null : JSON.stringify(data)
    this.#data = data
    // Another setting may have changed, and this one was only read again.
    if (text !== this.#ready.text) this.#ready = { filter: filterIn(text), text }
    return this.#ready
  }
}
