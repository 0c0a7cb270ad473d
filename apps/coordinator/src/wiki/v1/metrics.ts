/** What metrics answer, at once or in the background. */
import { isMingaError } from '@minga/protocol'
import {
  QUERY_LIMITS,
  addTask,
  averagePerDay,
  changeTask,
  compileFilter,
  countRevisions,
  countriesOf,
  listTasks,
  modeOf,
  readFilter,
  readModeAttribute,
  readTask,
  runQuery,
  type Ask,
  type TaskRow,
} from '@minga/wiki'
import type { Sql } from '@minga/store'
import { TooManyQuestions, WikiWithoutPlaces } from '../errors.ts'
import { NO_GEOIP } from '../../station/geoip.ts'
import type { Station } from '../../station/station.ts'
import { chosenWikis } from './chosen-wikis.ts'

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

/** Answers are not an archive: the caller has a day to fetch them. */
const KEPT_MS = 86_400_000
const TASKS_MAX = 1_000

/** Null when too many wait. */
export async function openMetricTask(
  sql: Sql,
  { question, most, now }: { question: Record<string, unknown>; most: number; now: number },
): Promise<number | null> {
  const open = await listTasks(sql, { kind: 'metric', states: ['waiting', 'running'], limit: most })
  if (open.length >= most) return null
  const { id } = await addTask(sql, { wikiId: null, kind: 'metric', arguments: question, now })
  // After the new one has its number: SQLite gives the highest away again once it is free.
  await sql.run(`DELETE FROM wiki_tasks WHERE kind = 'metric' AND ended_at < ?`, [now - KEPT_MS])
  return id
}

/** The next one that waits, or whose coordinator has been silent for long. */
export async function claimMetricTask(
  sql: Sql,
  { now, abandonedBefore }: { now: number; abandonedBefore: number },
): Promise<TaskRow | null> {
  const open = await listTasks(sql, {
    kind: 'metric',
    states: ['waiting', 'running'],
    limit: TASKS_MAX,
  })
  const [next] = open
    .filter(({ state, startedAt }) => state === 'waiting' || (startedAt ?? 0) < abandonedBefore)
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id)
  if (next === undefined) return null
  if (next.state === 'running') await changeTask(sql, { id: next.id, now, state: 'waiting' })
  return changeTask(sql, { id: next.id, now, state: 'running', error: null })
}

interface MetricEnd {
  id: number
  /** Which attempt ends: another may have begun in the meantime. */
  attempts: number
  now: number
  result?: unknown
  error?: string
}

export async function endMetricTask(
  sql: Sql,
  { id, attempts, now, result, error }: MetricEnd,
): Promise<void> {
  const task = await readTask(sql, { id })
  if (task?.state !== 'running' || task.attempts !== attempts) return
  const end =
    error === undefined
      ? ({ state: 'done', progress: { result } } as const)
      : ({ state: 'failed', error } as const)
  await changeTask(sql, { id, now, ...end })
}
