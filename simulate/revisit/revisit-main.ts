/** The door of this folder: options in, finished texts out. `minga simulate revisit` knows no more. */
import { POLICY_NAMES } from '@minga/forecast'
import { policyOf } from './load-policy.ts'
import { barPlot } from './bar-plot.ts'
import { REGIMES, regimeTraces, type Regime } from './regimes.ts'
import { tableOf } from './report.ts'
import { compare, type Progress } from './simulate-revisit.ts'
import { tracesOf, type Trace } from './trace.ts'

export interface RevisitOptions {
  /** The text of a trace file; null: the regime. */
  trace: string | null
  regime: string
  urls: number
  days: number
  budget: number
  /** Empty: all. */
  policies: readonly string[]
  seed: number
}

export interface RevisitOutput {
  text: string
  json: string
  svg: string
}

export const regimeNames: readonly string[] = REGIMES

export async function revisitSimulation(
  options: RevisitOptions,
  onProgress?: Progress,
): Promise<RevisitOutput> {
  const { budget, seed } = options
  const names = options.policies.length > 0 ? options.policies : [...POLICY_NAMES, 'oracle']
  const policies = await Promise.all(names.map(policyOf))
  const traces = tracesFor(options)
  const { rows } = compare({ traces, policies, budget, seed }, onProgress)
  const changes = traces.reduce((sum, trace) => sum + trace.changes.length, 0)
  const source = options.trace === null ? options.regime : 'trace'
  const title = `${source}: ${traces.length} URLs, ${changes} changes, ${budget} visits per URL and day, seed ${seed}`
  return {
    text: `${title}\n${tableOf(rows)}`,
    json: JSON.stringify({ source, urls: traces.length, changes, budget, seed, policies: rows }),
    svg: barPlot(
      title,
      rows.map(({ name, weightedVersions, intervals }) => ({
        name,
        value: weightedVersions,
        interval: intervals.weightedVersions,
      })),
    ),
  }
}

function tracesFor({ trace, regime, urls, days, seed }: RevisitOptions): Trace[] {
  return trace === null ? regimeTraces(regime as Regime, { urls, days, seed }) : tracesOf(trace)
}
