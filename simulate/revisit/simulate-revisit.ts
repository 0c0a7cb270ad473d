/** Every policy on the same traces, compared with the oracle. */
import type { Policy } from '@minga/forecast'
import { Bootstrap } from './bootstrap.ts'
import { oraclePolicy, oracleState } from './oracle.ts'
import { rowOf, type PolicyRow } from './report.ts'
import { runPolicy, type RunResult } from './run.ts'
import type { Trace } from './trace.ts'

export type Progress = (done: number, total: number) => void

export interface Comparison {
  traces: readonly Trace[]
  policies: readonly Policy[]
  budget: number
  seed: number
}

export interface Compared {
  rows: PolicyRow[]
  results: RunResult[]
}

export function compare(comparison: Comparison, onProgress: Progress = () => {}): Compared {
  const { traces, policies, budget, seed } = comparison
  const oracle = runPolicy(oraclePolicy, traces, { budget, seed, stateOf: oracleState })
  const bootstrap = new Bootstrap(traces.length, seed)
  const compared: Compared = { rows: [], results: [] }
  for (const [i, policy] of policies.entries()) {
    const result =
      policy.name === oraclePolicy.name ? oracle : runPolicy(policy, traces, { budget, seed })
    compared.results.push(result)
    compared.rows.push(rowOf(policy, result, { traces, oracle, bootstrap }))
    onProgress(i + 1, policies.length)
  }
  return compared
}
