/** From what the user typed to the requested watch, or to the changes of one. */
import type { WatchChanges, WatchRequest, WatchSubject, WatchView } from '@minga/protocol'
import { linesOf, numberIn, withScheme } from '../typed-text.ts'

/** What is typed of a watch, new or old. */
export interface WatchTyped {
  name: string
  /** A code, or empty. */
  category: string
  observations: string
  /** Empty: Minga decides. */
  periodHours: string
  policy: string
  importance: string
  floorHours: string
  /** In per cent. */
  threshold: string
}

export interface NewWatchTyped extends WatchTyped {
  subject: WatchSubject
  urls: string
  feeds: string
}

export const EMPTY_WATCH: NewWatchTyped = {
  subject: 'page',
  urls: '',
  feeds: '',
  name: '',
  category: '',
  observations: '',
  periodHours: '',
  policy: '',
  importance: '1',
  floorHours: '',
  threshold: '1',
}

const HOUR_MS = 3_600_000
const HOURS_LEAST = 1 / 60
const IMPORTANCE = { least: 0.001, most: 1_000 }

type ProblemField = 'urls' | 'name' | 'periodHours' | 'importance' | 'floorHours' | 'threshold'
export type WatchProblems = Partial<Record<ProblemField, 'missing' | 'one' | 'number'>>

export function typedOf(watch: WatchView): WatchTyped {
  return {
    name: watch.name,
    category: watch.category === null ? '' : String(watch.category),
    observations: watch.observations,
    periodHours: hoursText(watch.periodMs),
    policy: watch.policy ?? '',
    importance: String(watch.importance),
    floorHours: hoursText(watch.floorMs),
    threshold: String(Number((watch.threshold * 100).toFixed(6))),
  }
}

const hoursText = (ms: number | null): string => (ms === null ? '' : String(ms / HOUR_MS))

function watchProblemsOf(typed: WatchTyped): WatchProblems {
  const problems: WatchProblems = {}
  const importance = numberIn(typed.importance) ?? Number.NaN
  if (!(importance >= IMPORTANCE.least && importance <= IMPORTANCE.most)) {
    problems.importance = 'number'
  }
  for (const field of ['periodHours', 'floorHours'] as const) {
    const hours = numberIn(typed[field])
    if (hours !== null && !(hours >= HOURS_LEAST && hours < 1e6)) problems[field] = 'number'
  }
  const percent = numberIn(typed.threshold) ?? Number.NaN
  if (!(percent >= 0 && percent <= 100)) problems.threshold = 'number'
  return problems
}

export function newWatchProblemsOf(typed: NewWatchTyped): WatchProblems {
  const problems = watchProblemsOf(typed)
  const count = linesOf(typed.urls).length
  if (count === 0) problems.urls = 'missing'
  else if (count > 1 && typed.subject === 'page') problems.urls = 'one'
  return problems
}

/** Of an old watch, whose name must not be taken away. */
export function editProblemsOf(typed: WatchTyped): WatchProblems {
  const problems = watchProblemsOf(typed)
  return typed.name.trim() === '' ? { ...problems, name: 'missing' } : problems
}

/** Of what has no problems. */
function settingsOf(typed: WatchTyped) {
  const { name, policy } = typed
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    category: typed.category === '' ? null : Number(typed.category),
    observations: typed.observations,
    periodMs: msOf(typed.periodHours),
    policy: policy.trim() === '' ? null : policy.trim(),
    importance: numberIn(typed.importance)!,
    floorMs: msOf(typed.floorHours),
    threshold: numberIn(typed.threshold)! / 100,
  }
}

function msOf(hours: string): number | null {
  const number = numberIn(hours)
  return number === null ? null : Math.round(number * HOUR_MS)
}

export function watchAsked(typed: NewWatchTyped): WatchRequest {
  return {
    ...settingsOf(typed),
    subject: typed.subject,
    urls: linesOf(typed.urls).map(withScheme),
    feeds: linesOf(typed.feeds).map(withScheme),
  }
}

/** Only what is another than before: what is not touched leaves no trace. */
export function changesAsked(watch: WatchView, typed: WatchTyped): WatchChanges {
  const settings: WatchChanges = settingsOf(typed)
  const former = settingsOf(typedOf(watch)) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => former[name] !== value),
  )
}
