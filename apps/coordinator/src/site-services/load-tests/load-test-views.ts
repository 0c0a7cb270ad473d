/** A load test as its owner sees it. */
import {
  capacityOf,
  capacitySentence,
  reportText,
  summaryOf,
  type Capacity,
  type LoadPlan,
  type LoadTestRow,
  type ProofView,
  type StepSummary,
} from '@minga/fleet'
import type { LoadTestState } from '@minga/protocol'
import { instructionsFor, type OpenedProof } from '../site-owners.ts'
import type { LoadRun } from './load-run.ts'

export interface LoadTestView {
  id: string
  host: string
  state: LoadTestState
  reason: string | null
  plan: LoadPlan
  /** Where to publish what, while it is not started. A record in DNS proves no load test. */
  proof: (Pick<OpenedProof, 'file' | 'dns'> & { provenAt: number | null }) | null
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  /** Of the last few seconds, while it runs. */
  live: ReturnType<LoadRun['live']>
  steps: StepSummary[]
}

export interface LoadTestReport extends Omit<LoadTestView, 'proof' | 'live'> {
  capacity: Capacity | null
  /** The estimate in words, with its criterion. */
  says: string
  notes: string[]
  machines: { asked: number; joined: number; lost: number } | null
  totals: { requests: number; bytes: number } | null
}

export function viewOf(
  row: LoadTestRow,
  more: { proof: ProofView | null; live: LoadTestView['live'] },
): LoadTestView {
  const { id, host, plan, reason, createdAt, startedAt, endedAt } = row
  const { proof } = more
  const isWaiting = row.state === 'waiting'
  return {
    id,
    host,
    state: stateOf(row, proof),
    reason,
    plan,
    proof: isWaiting && proof !== null ? publicationOf(proof) : null,
    createdAt,
    startedAt,
    endedAt,
    live: more.live,
    steps: stepsOf(row),
  }
}

function publicationOf(proof: ProofView): NonNullable<LoadTestView['proof']> {
  const provenAt = proof.provenBy === 'file' ? proof.provenAt : null
  return { file: instructionsFor(proof).file, dns: null, provenAt }
}

function stateOf({ state }: LoadTestRow, proof: ProofView | null): LoadTestState {
  if (state !== 'waiting') return state
  return proof?.provenBy !== 'file' ? 'unproven' : 'ready'
}

function stepsOf({ plan, result }: LoadTestRow): StepSummary[] {
  return (result?.steps ?? []).map((step) => summaryOf(step, plan.bears))
}

export function reportOf(row: LoadTestRow): LoadTestReport {
  const { proof: _proof, live: _live, ...view } = viewOf(row, { proof: null, live: null })
  const { bears } = row.plan
  const capacity = capacityOf(row.result?.steps ?? [], bears)
  return {
    ...view,
    capacity,
    says: capacitySentence(capacity, bears),
    notes: row.result?.notes ?? [],
    machines: row.result?.machines ?? null,
    totals: row.result?.totals ?? null,
  }
}

export function textOf(report: LoadTestReport): string {
  return reportText({ ...report, criterion: report.plan.bears })
}
