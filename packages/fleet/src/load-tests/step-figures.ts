/** What one step of a load test measured, and what follows from it. */
import { LatencyHistogram, type BucketCounts, type LoadError } from '@minga/protocol'
import type { BearingCriterion } from './plan.ts'

export type ErrorCounts = Partial<Record<LoadError, number>>

export interface StepFigures {
  visitors: number
  /** How long was counted, without the moments in which visitors were still coming. */
  countedMs: number
  requests: number
  perSecond: number
  bytes: number
  errors: ErrorCounts
  /** Of good answers, and of those that did not come in time: a fast error is no fast answer. */
  latencies: BucketCounts
  isHeldBack: boolean
}

export interface StepSummary extends Omit<StepFigures, 'latencies'> {
  errorRate: number
  p50Ms: number | null
  p90Ms: number | null
  p95Ms: number | null
  p99Ms: number | null
  doesBear: boolean
}

export function summaryOf(step: StepFigures, criterion: BearingCriterion): StepSummary {
  const { latencies, ...rest } = step
  const histogram = LatencyHistogram.of(latencies)
  const at = (share: number): number | null => rounded(histogram.quantile(share))
  return {
    ...rest,
    errorRate: errorRateOf(step),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    doesBear: doesBear(step, criterion),
  }
}

/** Tenths of a millisecond are more than the buckets know. */
function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10
}

export function errorCountOf(errors: ErrorCounts): number {
  return Object.values(errors).reduce((sum, count) => sum + count, 0)
}

export function errorRateOf({
  requests,
  errors,
}: Pick<StepFigures, 'requests' | 'errors'>): number {
  return requests === 0 ? 0 : errorCountOf(errors) / requests
}

/** A step in which nothing was answered proves nothing in the site's favour. */
export function doesBear(step: StepFigures, criterion: BearingCriterion): boolean {
  const p95Ms = LatencyHistogram.of(step.latencies).quantile(0.95)
  return p95Ms !== null && p95Ms <= criterion.p95Ms && errorRateOf(step) <= criterion.errorRate
}

export function addErrors(sum: ErrorCounts, more: ErrorCounts): void {
  for (const [kind, count] of Object.entries(more) as [LoadError, number][]) {
    sum[kind] = (sum[kind] ?? 0) + count
  }
}
