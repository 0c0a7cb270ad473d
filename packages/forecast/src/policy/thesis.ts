/**
 * Rule-based predictors: an algorithm is one or more *types* and a *volume*, here a pipeline. Each
 * type may change the gap to the next visit; the volume hides changes that are too small.
 *
 *   simple        24 h more after every visit without change, at most 720 h; back to 24 h at a change
 *   history       24…144 h by the share of measured days with a change in the window
 *   notification  while the gap is above 360 h, a third party's notice makes the visit due now, with a gap of 24 h
 *   day-type      the gap is counted in expected changes, which differ on working days and others
 *
 * A first visit counts as one without change, unless the change falls on its very instant: with
 * days 0…240 this gives 21 visits to a page that never changes and 241 to one that always does.
 */
import { DAY_MS } from '../estimate/grid.ts'
import {
  HOUR_MS,
  ruleOnly,
  withinFloor,
  type Known,
  type Plan,
  type PlanContext,
  type Policy,
  type Seen,
} from './policy.ts'

const STEP_H = 24
const LEAST_H = 24
const MOST_H = 720
const NOTICES_ABOVE_H = MOST_H / 2
const HISTORY_MOST_H = 144
/** Window of the day-type rule: a month has every weekday four times. */
const WINDOW_DAYS = 30
/** Imaginary days with half a change each, so that a day type is not judged by one day. */
const PRIOR_DAYS = 2

export const TYPES = ['simple', 'notification', 'history', 'day-type'] as const
export type Type = (typeof TYPES)[number]

/** What the types remember between visits. */
interface Memory {
  gapH: number
  /** Measured days of the window and whether a change was found, oldest first. */
  days: [day: number, changed: 0 | 1][]
  /** Days watched and changes found, on working days and on others. */
  watched: [working: number, others: number]
  found: [working: number, others: number]
}

export interface Pipeline {
  types: readonly Type[]
  /** Changes of a smaller magnitude are not considered; 0: all are. */
  volume: number
}

/** Does a pipeline set its own pace? Day types alone only move the visits of a budget. */
function hasOwnPace(types: readonly Type[]): boolean {
  return types.some((type) => type !== 'day-type')
}

export function thesisPolicy(name: string, { types, volume }: Pipeline): Policy {
  const isNotified = types.includes('notification')
  const next = (known: Known, seen: Seen, context: PlanContext): Plan => {
    const considered = { ...seen, changed: seen.changed && seen.magnitude >= volume }
    const memory = remembered(known.state, considered)
    memory.gapH = gapAfter(types, memory, considered, context)
    const dueAt = types.includes('day-type')
      ? dueByDayType(memory, seen.at, memory.gapH)
      : seen.at + memory.gapH * HOUR_MS
    const rule = `${memory.gapH.toFixed(0)} h after a visit ${considered.changed ? 'with' : 'without'} change`
    const at = withinFloor(dueAt, known, seen.at)
    return { at, state: memory, why: ruleOnly(name, rule) }
  }
  const notice = (known: Known, at: number): Plan | null => {
    const memory = known.state as Memory | null
    if (memory === null || memory.gapH <= NOTICES_ABOVE_H) return null
    const state = { ...memory, gapH: LEAST_H }
    return { at, state, why: ruleOnly(name, 'a change was signalled') }
  }
  const policy = { name, usesBudget: !hasOwnPace(types), next }
  return isNotified ? { ...policy, wantsNotices: true, notice } : policy
}

/** Hours to the next visit, after the types that have a say. */
function gapAfter(
  types: readonly Type[],
  memory: Memory,
  seen: Seen,
  context: PlanContext,
): number {
  if (!hasOwnPace(types)) return STEP_H / context.budgetPerUrlPerDay
  if (types.includes('history')) return gapByHistory(memory)
  return seen.changed ? LEAST_H : Math.min(memory.gapH + STEP_H, MOST_H)
}

/**
 * The gap by history: one over the share of measured days with a change, in whole days from one to
 * six. Days without a visit are not counted as quiet: else a page visited every sixth day could
 * never seem busier than one day in six.
 */
function gapByHistory({ days }: Memory): number {
  const changed = days.filter(([, bit]) => bit === 1).length
  if (changed === 0) return HISTORY_MOST_H
  const share = changed / days.length
  return STEP_H * Math.max(1, Math.min(HISTORY_MOST_H / STEP_H, Math.round(1 / share)))
}

function remembered(state: unknown, seen: Seen): Memory {
  const before = state as Memory | null
  const today = Math.floor(seen.at / DAY_MS)
  const memory: Memory = {
    gapH: before?.gapH ?? LEAST_H,
    days: (before?.days ?? []).filter(([day]) => day > today - WINDOW_DAYS && day < today),
    watched: before ? [...before.watched] : [0, 0],
    found: before ? [...before.found] : [0, 0],
  }
  const wasToday = before?.days.some(([day, bit]) => day === today && bit === 1) ?? false
  memory.days.push([today, seen.changed || wasToday ? 1 : 0])
  if (seen.sinceMs !== null) tallyDayTypes(memory, seen.at - seen.sinceMs, seen)
  return memory
}

/** 1970-01-01 was a Thursday. Days are those of UTC; holidays are unknown. */
function isWorking(at: number): boolean {
  const weekday = (Math.floor(at / DAY_MS) + 4) % 7
  return weekday !== 0 && weekday !== 6
}

/** The days of a gap are credited with an equal share of the change found at its end. */
function tallyDayTypes(memory: Memory, from: number, seen: Seen): void {
  const spans: [number, number] = [0, 0]
  for (let at = from; at < seen.at;) {
    const end = Math.min(seen.at, (Math.floor(at / DAY_MS) + 1) * DAY_MS)
    spans[isWorking(at) ? 0 : 1] += (end - at) / DAY_MS
    at = end
  }
  const whole = spans[0] + spans[1]
  for (const type of [0, 1] as const) {
    memory.watched[type] += spans[type]
    if (seen.changed) memory.found[type] += spans[type] / whole
  }
}

/** Walks day by day until as many changes are expected as the gap would bring in an average week. */
function dueByDayType({ watched, found }: Memory, from: number, gapH: number): number {
  const perDay = ([0, 1] as const).map(
    (type) => (found[type] + PRIOR_DAYS / 2) / (watched[type] + PRIOR_DAYS),
  )
  const [working = 0, others = 0] = perDay
  let left = (gapH / STEP_H) * ((5 * working + 2 * others) / 7)
  let at = from
  for (;;) {
    const end = (Math.floor(at / DAY_MS) + 1) * DAY_MS
    const rate = isWorking(at) ? working : others
    const inDay = (rate * (end - at)) / DAY_MS
    if (inDay >= left) return at + (left / rate) * DAY_MS
    left -= inDay
    at = end
  }
}
