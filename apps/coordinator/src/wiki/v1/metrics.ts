/** What metrics answer, at once or in the background. */
import { isMingaError } from '@minga/protocol'
import {
  averagePerDay,
  compileFilter,
  countriesOf,
  countRevisions,
  modeOf,
  QUERY_LIMITS,
  readFilter,
  readModeAttribute,
  runQuery,
  type Ask,
  type TaskRow,
} from '@minga/wiki'
import { TooManyQuestions, WikiWithoutPlaces } from '../errors.ts'
import { chosenWikis } from './fields.ts'
import { NO_GEOIP } from '../../station/geoip.ts'
import type { Station } from '../../station/station.ts'

export const METRICS = ['count', 'avg', 'mode', 'query', 'countries'] as const

export interface MetricQuestion {
  metric: (typeof METRICS)[number]
  /** Parameters by name. */
  given: Record<string, unknown>
  /** Of a query. */
  body?: unknown
  /** Keys of wikis that the asker may not read; absent in tasks from before there were such. */
  hidden?: readonly string[]
}

/** Time limit of answers that a caller waits for; longer ones become tasks. */
const AT_ONCE_MS = 30_000
const IN_BACKGROUND_MS = 120_000
/** Each is small, but their answers are kept. */
const WAITING_MAX = 100
/** As long a stop of the station waits for the answer that is being worked out. */
const STOP_MS = 5_000
/** A task whose coordinator died is taken up by another. */
const ABANDONED_MS = 10 * IN_BACKGROUND_MS

export class Metrics {
  readonly #station: Station
  #working: Promise<void> | null = null
  #isClosed = false

  constructor(station: Station) {
    this.#station = station
  }

  async answer(question: MetricQuestion, timeMs = AT_ONCE_MS): Promise<unknown> {
    const { revisions } = this.#station
    const keys = (await chosenWikis(revisions, question.given, question.hidden ?? [])).map(
      ({ key }) => key,
    )
    const ask = keys.length === 0 ? NOTHING_KEPT : revisions.ask(keys, { timeMs })
    return this.#answerBy(ask, question, timeMs)
  }

  async #answerBy(ask: Ask, question: MetricQuestion, timeMs: number): Promise<unknown> {
    const { metric, given, body } = question
    const now = this.#station.clock.now()
    if (metric === 'query') {
      const patience = timeMs === AT_ONCE_MS ? QUERY_LIMITS.timeMs : timeMs
      return runQuery(ask, body, { ...QUERY_LIMITS, timeMs: patience })
    }
    const filter = readFilter(given)
    if (metric === 'count') return countRevisions(ask, filter, now)
    if (metric === 'avg') return averagePerDay(ask, filter, now)
    if (metric === 'countries') {
      const { countryOf } = this.#station
      if (countryOf === NO_GEOIP.countryOf) throw new WikiWithoutPlaces()
      return countriesOf(ask, compileFilter(filter, now), { countryOf })
    }
    const attribute = readModeAttribute(given['attribute'])
    const { values, count, without } = await modeOf(ask, { attribute, filter }, now)
    return { attribute, [attribute]: values, count, without }
  }

  /** Answers the number of the task in which the question is answered. */
  async open(question: MetricQuestion, owner: string): Promise<number> {
    // Of nothing, to find out at once what is wrong with it.
    await this.#answerBy(NOTHING_KEPT, question, AT_ONCE_MS)
    await chosenWikis(this.#station.revisions, question.given, question.hidden ?? [])
    const { store, clock } = this.#station
    const asked = { question: { ...question, owner }, most: WAITING_MAX, now: clock.now() }
    const id = await store.call('openMetricTask', asked)
    if (id === null) throw new TooManyQuestions(WAITING_MAX)
    await this.tick()
    return id
  }

  /** Begins to work when something waits and nothing is worked on. */
  async tick(): Promise<void> {
    if (this.#working !== null || this.#isClosed) return
    const task = await this.#next()
    if (task === null || this.#working !== null) return
    this.#working = this.#workOff(task).finally(() => {
      this.#working = null
    })
  }

  #next(): Promise<TaskRow | null> {
    const { store, clock } = this.#station
    const now = clock.now()
    return store.call('claimMetricTask', { now, abandonedBefore: now - ABANDONED_MS })
  }

  async #workOff(first: TaskRow): Promise<void> {
    for (let task: TaskRow | null = first; task !== null;) {
      const end = await this.#endOf(task.arguments as unknown as MetricQuestion)
      const { store, clock } = this.#station
      const { id, attempts } = task
      // A store that closed in the meantime: another start takes it up again.
      await store.call('endMetricTask', { id, attempts, now: clock.now(), ...end }).catch(() => {})
      task = this.#isClosed ? null : await this.#next().catch(() => null)
    }
  }

  async #endOf(question: MetricQuestion): Promise<{ result?: unknown; error?: string }> {
    try {
      return { result: await this.answer(question, IN_BACKGROUND_MS) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { error: isMingaError(error) ? `${message} (${error.code})` : message }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const waited = new AbortController()
    await Promise.race([this.#working, this.#station.clock.sleep(STOP_MS, waited.signal)])
    waited.abort()
  }
}

const NOTHING_KEPT: Ask = async () => []
