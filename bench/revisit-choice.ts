/**
 * What Minga's own choice of a policy rests on (`policy/choose.ts`): every class of pages by itself, as a
 * daily visitor would call it, with and without a third party that reports every change. The table says
 * for each who comes nearest to `minga`, and what a choice by class would gain on all together.
 */
import { classOf, DAY_MS, policyNamed, type PageClass, type VisitSeen } from '@minga/forecast'
import { Bootstrap } from '../simulate/revisit/bootstrap.ts'
import { regimeTraces } from '../simulate/revisit/regimes.ts'
import { runPolicy, type RunResult } from '../simulate/revisit/run.ts'
import type { Trace } from '../simulate/revisit/trace.ts'
import { judge, nearest, percentWithInterval } from './revisit-judge.ts'
import { BUDGETS, type Row, type Size } from './revisit-tables.ts'

type Kind = PageClass['kind']
const KINDS: readonly Kind[] = ['steady', 'rare', 'seasonal', 'without pattern']
const REGIMES = ['steady', 'seasonal', 'bursty', 'drifting', 'wiki'] as const
const RIVALS = ['uniform', 'proportional', 'exponential-gap', 'cho', 'azar', 'lambda-crawl']
/** So that nearly every notice can be followed in every class, too. */
const AMPLE = 3

type Classes = ReadonlyMap<Kind, readonly Trace[]>

/** A fifth of the URLs of each regime, since their pages are put together. */
function classesOf({ urls, days, seed }: Size): Classes {
  const share = Math.ceil(urls / REGIMES.length)
  const all = REGIMES.flatMap((regime) => regimeTraces(regime, { urls: share, days, seed }))
  const byKind = Map.groupBy(all, (trace) => classOf(dailyVisits(trace)).kind)
  return new Map(KINDS.filter((kind) => byKind.has(kind)).map((kind) => [kind, byKind.get(kind)!]))
}

function dailyVisits({ start, end, changes }: Trace): VisitSeen[] {
  const visits: VisitSeen[] = []
  let next = 0
  for (let at = start + DAY_MS; at < end; at += DAY_MS) {
    const before = next
    while (next < changes.length && changes[next]! < at) next++
    visits.push({ at, sinceMs: DAY_MS, changed: next > before })
  }
  return visits
}

/** No reports: which policy comes nearest to `minga` in each class, on weighted versions. */
export function classRows(size: Size): Row[] {
  return [...classesOf(size)].flatMap(([kind, traces]) =>
    BUDGETS.map((budget) => {
      const run = runner(traces, budget, size)
      const ours = run('minga')
      const theirs = [...RIVALS, 'minga:freshness'].map((name) => run(name))
      const field = { traces, bootstrap: new Bootstrap(traces.length, size.seed) }
      const rival = nearest(theirs.map((result) => judge(field, 'weightedVersions', ours, result)))
      return {
        class: kind,
        URLs: String(traces.length),
        budget: String(budget),
        'nearest rival': rival.rival,
        'minga ahead by': `${percentWithInterval(rival)} ${rival.verdict}`,
      }
    }),
  )
}

/** Every change is reported: the gate is whether `minga` catches half of them. */
export function toldRows(size: Size): Row[] {
  return [...classesOf(size)].flatMap(([kind, quiet]) =>
    [...BUDGETS, AMPLE].map((budget) => {
      const traces = quiet.map((trace) => ({ ...trace, notices: trace.changes }))
      const run = runner(traces, budget, size)
      const ours = run('minga')
      const field = { traces, bootstrap: new Bootstrap(traces.length, size.seed) }
      const judged = judge(field, 'weightedVersions', ours, run('complete-observation'))
      const lost = 1 - caughtShare(ours)
      return {
        class: kind,
        budget: String(budget),
        'lost by minga': `${(100 * lost).toFixed(0)} %`,
        gate: lost <= 0.5 ? 'passes' : 'fails',
        'minga ahead of complete-observation by': `${percentWithInterval(judged)} ${judged.verdict}`,
      }
    }),
  )
}

/**
 * All classes together: `minga` at one price for all, compared with the winner of each class at the class's share
 * of the budget. What a class gains by another policy it loses by its own purse.
 */
export function togetherRows(size: Size): Row[] {
  const classes = classesOf(size)
  const all = [...classes.values()].flat()
  return BUDGETS.map((budget) => {
    const whole = versionsOf(runner(all, budget, size)('minga'))
    const apart = [...classes].reduce((sum, [, traces]) => {
      const run = runner(traces, budget, size)
      const best = ['minga', 'minga:freshness', 'lambda-crawl'].map((name) => versionsOf(run(name)))
      return sum + Math.max(...best)
    }, 0)
    return {
      budget: String(budget),
      'minga for all': whole.toFixed(0),
      'the best of each class': apart.toFixed(0),
      difference: `${(100 * (whole / apart - 1)).toFixed(1)} %`,
    }
  })
}

const runner =
  (traces: readonly Trace[], budget: number, { seed }: Size) =>
  (name: string): RunResult =>
    runPolicy(policyNamed(name), traces, { budget, seed })

function versionsOf({ tallies }: RunResult): number {
  return tallies.reduce((sum, { versions, trace }) => sum + versions * trace.weight, 0)
}

function caughtShare({ tallies }: RunResult): number {
  const changes = tallies.reduce((sum, { trace }) => sum + trace.changes.length, 0)
  return tallies.reduce((sum, { caught }) => sum + caught, 0) / changes
}
