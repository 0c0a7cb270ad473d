/**
 * The settings as they hold now, to be read without waiting. A change made here holds at once; one
 * made through another coordinator of the same database is seen at the next tick.
 *
 *   default  <  given at the start (file, environment, flag)  <  changed while running
 */
import type {
  NewSetting,
  SettingChange,
  StoredSetting,
  FindSettingChangesArgs,
} from '@minga/frontier'
import type { Clock, SortedPage } from '@minga/protocol'
import type { Store } from '@minga/store'
import { BadSetting } from '../errors.ts'
import { awaitBeats } from '../filters/station-filter.ts'
import { toSortedPage } from '../sorted-lists.ts'
import type { GivenSource } from './given-settings.ts'
import {
  isSettingName,
  problemsOf,
  SETTING_DEFAULTS,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingValues,
} from './registry.ts'
import type { Operations } from '../station-operations.ts'

export type SettingSource = 'default' | GivenSource | 'changed'

/** An object is the station's filter. */
export type SettingValue = string | number | boolean | Record<string, unknown> | null

/** A setting as operators see it. */
export interface SettingView {
  name: SettingName
  value: SettingValue
  source: SettingSource
  default: SettingValue
  unit: string | null
  about: string
  /** From when on a change holds. */
  holds: string
  min: number | null
  max: number | null
  choices: readonly string[] | null
  changedAt: number | null
  changedBy: string | null
}

export interface ShownChange extends Omit<SettingChange, 'before' | 'after'> {
  before: SettingValue
  after: SettingValue
}

export interface LiveSettingsParts {
  store: Store<Operations>
  clock: Clock
  /** What this station was started with. */
  flags: Partial<SettingValues>
  /** Where that came from; a flag unless said otherwise. */
  sources?: Partial<Record<SettingName, GivenSource>>
}

export interface Changing {
  by: string | null
  note: string | null
}

/** What holds: the values of a start, unless they were changed since. */
export function currentValues(
  otherwise: SettingValues,
  rows: readonly StoredSetting[],
): SettingValues {
  const usable = rows.filter(isUsable).map(({ name, value }) => [name, JSON.parse(value)])
  return { ...otherwise, ...(Object.fromEntries(usable) as Partial<SettingValues>) }
}

export class LiveSettings {
  readonly #parts: LiveSettingsParts
  /** What holds where nothing was changed. */
  readonly #otherwise: SettingValues
  #stored: ReadonlyMap<string, StoredSetting> = new Map()
  #current: SettingValues
  /** What was read last, to tell whether anything changed. */
  #rows = ''
  /** For leases: JSON of the filter that holds unless it was changed. */
  readonly startedFilter: { filter?: string }
  #reads = 0
  #latestRead = 0

  static async open(parts: LiveSettingsParts): Promise<LiveSettings> {
    const problems = problemsOf(parts.flags)
    if (problems.length > 0) throw new BadSetting(problems)
    const settings = new LiveSettings(parts)
    await settings.tick()
    return settings
  }

  private constructor(parts: LiveSettingsParts) {
    this.#parts = parts
    this.#otherwise = { ...SETTING_DEFAULTS, ...parts.flags }
    this.#current = this.#otherwise
    const { filter } = this.#otherwise
    this.startedFilter = filter === null ? {} : { filter: JSON.stringify(filter) }
  }

  current(): SettingValues {
    return this.#current
  }

  /** Sees what other coordinators changed. */
  async tick(): Promise<void> {
    const { store } = this.#parts
    const read = ++this.#reads
    const rows = await store.call('storedSettings', {})
    // Of two that run together, the one that began first may know less.
    if (read < this.#latestRead) return
    this.#latestRead = read
    // A filter of thousands of rules need not be made ready every second.
    const text = JSON.stringify(rows)
    if (text === this.#rows) return
    this.#rows = text
    const former = this.#current
    this.#stored = new Map(rows.filter(isUsable).map((row) => [row.name, row]))
    this.#current = currentValues(this.#otherwise, rows)
    const { delayMs } = this.#current
    if (delayMs !== former.delayMs) await store.call('followDelay', { delayMs })
  }

  /** All of them or none. */
  async change(wanted: Readonly<Record<string, unknown>>, changing: Changing): Promise<void> {
    const problems = problemsOf(wanted)
    if (problems.length > 0) throw new BadSetting(problems)
    const entries = Object.entries(wanted) as [SettingName, unknown][]
    await this.#write(
      entries.map(([name, value]) => this.#newSetting(name, JSON.stringify(value))),
      changing,
    )
  }

  /** Back to what the station was started with, or to the default. */
  async reset(name: string, changing: Changing): Promise<void> {
    if (!isSettingName(name)) throw new BadSetting(problemsOf({ [name]: null }))
    await this.#write([this.#newSetting(name, null)], changing)
  }

  #newSetting(name: SettingName, value: string | null): NewSetting {
    return { name, value, otherwise: JSON.stringify(this.#otherwise[name]) }
  }

  async #write(changes: NewSetting[], { by, note }: Changing): Promise<void> {
    const { store, clock } = this.#parts
    const change = { changes, by, note, now: clock.now() }
    const { recalled } = await store.call('changeSettings', change)
    await this.tick()
    await awaitBeats({ store, clock }, recalled)
  }

  list(): SettingView[] {
    return SETTING_NAMES.map((name) => {
      const { unit, about, holds, min, max, choices } = SETTINGS[name]
      const stored = this.#stored.get(name)
      return {
        name,
        value: this.#current[name],
        source: stored ? 'changed' : this.#sourceOf(name),
        default: SETTINGS[name].default,
        unit,
        about,
        holds,
        min,
        max,
        choices,
        changedAt: stored?.changedAt ?? null,
        changedBy: stored?.changedBy ?? null,
      }
    })
  }

  /** Whether it was given or changed by the operator. */
  isChosen(name: SettingName): boolean {
    return this.#stored.has(name) || this.#sourceOf(name) !== 'default'
  }

  #sourceOf(name: SettingName): SettingSource {
    const { flags, sources } = this.#parts
    if (sources !== undefined) return sources[name] ?? 'default'
    return name in flags ? 'flag' : 'default'
  }

  /** Newest first. */
  async changes(page: { before: number; limit: number }): Promise<ShownChange[]> {
    const rows = await this.#parts.store.call('settingChanges', page)
    return rows.map(shownChange)
  }

  async findChanges(asked: FindSettingChangesArgs): Promise<SortedPage<ShownChange>> {
    const { store } = this.#parts
    const page = await store.call('findSettingChanges', asked)
    return toSortedPage({ ...page, rows: page.rows.map(shownChange) })
  }
}

const shownChange = (row: SettingChange): ShownChange => ({
  ...row,
  before: JSON.parse(row.before),
  after: JSON.parse(row.after),
})

/** What another version of Minga wrote may be none of ours: then it is as if it were not there. */
function isUsable({ name, value }: StoredSetting): boolean {
  return problemsOf({ [name]: JSON.parse(value) as unknown }).length === 0
}
