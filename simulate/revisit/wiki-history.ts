/**
 * Histories of revisions as wikis have them, made up because none may be fetched here: editors come
 * in sessions, sessions have a heavy-tailed number of revisions minutes apart, come by day rather
 * than by night, and now and then an event in the world draws many of them for a few days. A trace
 * of a real wiki's revision dates is read by `--trace` all the same.
 */
import { exponential, normal, pareto, type Random } from './random.ts'

export interface History {
  /** Times of changes, in days since the start, sorted. */
  days: number[]
  perDay: number
}

/** Revisions of a session: Pareto, in the mean about two and a half. */
const SESSION_SHAPE = 1.6
const MOST_IN_SESSION = 40
const MEAN_IN_SESSION = 2.5
/** Between revisions of a session: log-normal around four minutes. */
const PAUSE_DAYS = 4 / 1_440
const PAUSE_SIGMA = 1
/** Events: one in two months, up to thirty times as many sessions, ebbing within two days. */
const EVENT_EVERY_DAYS = 60
const EVENT_FACTOR = 30
const EVENT_EBB_DAYS = 2
/** Share of the mean that comes outside events. */
const ORDINARY = 1 / (1 + (EVENT_FACTOR * EVENT_EBB_DAYS) / EVENT_EVERY_DAYS)

export function wikiHistory(mean: number, days: number, random: Random): History {
  const events: number[] = []
  for (let at = exponential(random, EVENT_EVERY_DAYS); at < days;) {
    events.push(at)
    at += exponential(random, EVENT_EVERY_DAYS)
  }
  const sessions = (mean * ORDINARY) / MEAN_IN_SESSION
  const factorAt = (day: number): number => rhythm(day) * (1 + eventAt(events, day))
  const highest = sessions * MOST_RHYTHM * (1 + EVENT_FACTOR * Math.max(1, events.length))
  const times: number[] = []
  for (let at = exponential(random, 1 / highest); at < days;) {
    if (random() * highest < sessions * factorAt(at)) addSession(times, at, random)
    at += exponential(random, 1 / highest)
  }
  const inside = times.filter((day) => day < days).toSorted((a, b) => a - b)
  return { days: inside, perDay: inside.length / days }
}

function addSession(times: number[], start: number, random: Random): void {
  const revisions = Math.min(MOST_IN_SESSION, Math.floor(pareto(random, SESSION_SHAPE)))
  let at = start
  for (let i = 0; i < revisions; i++) {
    times.push(at)
    at += PAUSE_DAYS * Math.exp(PAUSE_SIGMA * normal(random))
  }
}

function eventAt(events: readonly number[], day: number): number {
  let factor = 0
  for (const event of events) {
    if (day >= event) factor += EVENT_FACTOR * Math.exp(-(day - event) / EVENT_EBB_DAYS)
  }
  return factor
}

const MOST_RHYTHM = 1.1 * 1.8

/** Mondays to Fridays a little more, and a day's wave with its top in the evening; mean about 1. */
function rhythm(day: number): number {
  const weekday = Math.floor(day) % 7 < 5 ? 1.1 : 0.75
  return weekday * (1 + 0.8 * Math.sin(2 * Math.PI * (day - Math.floor(day) - 0.5)))
}
