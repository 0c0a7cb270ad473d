/** The station's own filter as it holds now, made ready once for each change. */
import type { Filter } from '@minga/partition'
import { filterIn } from '@minga/frontier'
import type { LiveSettings } from '../settings/live-settings.ts'
import type { Station } from '../station.ts'

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

const LOOK_EVERY_MS = 100

/**
 * Until agents that lost hosts to a change of a filter know of it: from then on nothing is dialled
 * there. They learn of it by their next heartbeat; one that is silent stops dialling by itself.
 */
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
