/**
 * How many simultaneous visitors does a site bear? The plain knee: the largest number at which the
 * 95th percentile of the response time and the share of errors both stay within the criterion,
 * found between the last step that met it and the first that did not, by a straight line between
 * the two. No law of scaling is fitted: a Universal Scalability fit extrapolates beyond what was
 * tried, and what was never tried is not known.
 *
 * The interval: at its lower end even the upper 95 % confidence bound of the percentile meets the
 * criterion, at its upper end even the lower bound does not (order statistics of a binomial;
 * errors by Wilson's score). Both take answers as independent; in a queue neighbours are alike, so
 * the true interval is somewhat wider.
 */
import { LatencyHistogram } from '@minga/protocol'
import { edgeOf, type BearingCriterion } from './plan.ts'
import {
  doesBear,
  errorCountOf,
  errorRateOf,
  type StepFigures,
  type StepSummary,
} from './step-figures.ts'

const QUANTILE = 0.95
/** Of the normal distribution, for 95 % on both sides. */
const Z = 1.96

export interface Capacity {
  visitors: number
  /** The site bore all that came: it may bear more. */
  isAtLeast: boolean
  low: number
  /** Null: nothing that was tried was certainly too much. */
  high: number | null
}

/** Null when no step measured anything. */
export function capacityOf(
  steps: readonly StepFigures[],
  criterion: BearingCriterion,
): Capacity | null {
  const tried = steps
    .filter(({ requests }) => requests > 0)
    .map((step) => ({ ...step, doesBear: doesBear(step, criterion) }))
    // Visitors who were kept waiting by a ceiling did not all visit.
    .filter((step) => !(step.isHeldBack && step.doesBear))
    .toSorted((a, b) => a.visitors - b.visitors)
  if (tried.length === 0) return null
  const { borne, unborne } = edgeOf(tried)
  const at = (visitors: number | null): StepFigures | undefined =>
    tried.find((step) => step.visitors === visitors)
  const visitors = kneeBetween(at(borne), at(unborne), criterion)
  const sure = tried.filter((step) => step.visitors <= visitors && surelyBears(step, criterion))
  const over = tried.filter((step) => step.visitors > visitors && surelyFails(step, criterion))
  return {
    visitors,
    isAtLeast: unborne === null,
    low: sure.at(-1)?.visitors ?? 0,
    high: over[0]?.visitors ?? null,
  }
}

function kneeBetween(
  borne: StepFigures | undefined,
  unborne: StepFigures | undefined,
  criterion: BearingCriterion,
): number {
  if (borne === undefined) return 0
  if (unborne === undefined) return borne.visitors
  const crossings = [
    wayTo(criterion.p95Ms, p95Of(borne) ?? 0, p95Of(unborne) ?? Infinity),
    wayTo(criterion.errorRate, errorRateOf(borne), errorRateOf(unborne)),
  ]
  const way = Math.min(...crossings)
  return Math.floor(borne.visitors + way * (unborne.visitors - borne.visitors))
}

/** How far along the way from one value to another the limit is met; 1 when it is not on the way. */
function wayTo(limit: number, from: number, to: number): number {
  if (to <= limit) return 1
  return Number.isFinite(to) ? Math.max(0, (limit - from) / (to - from)) : 0
}

function p95Of({ latencies }: StepFigures): number | null {
  return LatencyHistogram.of(latencies).quantile(QUANTILE)
}

function surelyBears(step: StepFigures, criterion: BearingCriterion): boolean {
  const { upperMs } = p95Bounds(step)
  return doesBear(step, criterion) && upperMs !== null && upperMs <= criterion.p95Ms
}

function surelyFails(step: StepFigures, criterion: BearingCriterion): boolean {
  const { lowerMs } = p95Bounds(step)
  if (lowerMs !== null && lowerMs > criterion.p95Ms) return true
  return wilsonLower(errorCountOf(step.errors), step.requests) > criterion.errorRate
}

function p95Bounds({ latencies }: StepFigures): { lowerMs: number | null; upperMs: number | null } {
  const histogram = LatencyHistogram.of(latencies)
  const { count } = histogram
  const spread = Z * Math.sqrt(count * QUANTILE * (1 - QUANTILE))
  return {
    lowerMs: histogram.atRank(Math.floor(count * QUANTILE - spread)),
    upperMs: histogram.atRank(Math.ceil(count * QUANTILE + spread) + 1),
  }
}

/** The lower end of Wilson's score interval: how large the true share is at least. */
function wilsonLower(hits: number, of: number): number {
  if (of === 0) return 0
  const share = hits / of
  const z2 = Z * Z
  const centre = share + z2 / (2 * of)
  const spread = Z * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of))
  return (centre - spread) / (1 + z2 / of)
}

interface LoadReportParts {
  host: string
  state: string
  reason: string | null
  steps: readonly StepSummary[]
  capacity: Capacity | null
  criterion: BearingCriterion
  notes: readonly string[]
}

/** A load test's result as a person reads it. */
export function capacitySentence(capacity: Capacity | null, criterion: BearingCriterion): string {
  const { p95Ms, errorRate } = criterion
  const bears = `95 % of the answers within ${p95Ms} ms and at most ${errorRate * 100} % errors`
  if (capacity === null)
    return 'Nothing was measured, so nothing can be said of what the site bears.'
  const { visitors, isAtLeast, low, high } = capacity
  const most =
    high === null
      ? 'nothing that was tried was certainly too much'
      : `${high} are certainly too much`
  const interval = `${low} are certainly borne, ${most}`
  if (visitors === 0) return `The site does not bear a single visitor by this measure (${bears}).`
  const least = isAtLeast ? 'at least ' : ''
  return `The site is estimated to bear ${least}${visitors} simultaneous visitors (${bears}); ${interval}.`
}

const COLUMNS: readonly [title: string, of: (step: StepSummary) => string][] = [
  ['visitors', ({ visitors }) => String(visitors)],
  ['requests', ({ requests }) => String(requests)],
  ['per second', ({ perSecond }) => perSecond.toFixed(1)],
  ['p50 ms', ({ p50Ms }) => figure(p50Ms)],
  ['p90 ms', ({ p90Ms }) => figure(p90Ms)],
  ['p95 ms', ({ p95Ms }) => figure(p95Ms)],
  ['p99 ms', ({ p99Ms }) => figure(p99Ms)],
  ['errors %', ({ errorRate }) => (errorRate * 100).toFixed(2)],
  ['borne', (step) => (step.doesBear ? 'yes' : 'no')],
]
const WIDTH = 11

function figure(ms: number | null): string {
  return ms === null ? '-' : String(ms)
}

export function reportText(report: LoadReportParts): string {
  const { host, state, reason, notes } = report
  const steps = report.steps.toSorted((a, b) => a.visitors - b.visitors)
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => cell.padStart(WIDTH)).join('')
  return [
    `Load test of ${host}: ${state}${reason === null ? '' : ` (${reason})`}`,
    '',
    line(COLUMNS.map(([title]) => title)),
    ...steps.map((step) => line(COLUMNS.map(([, of]) => of(step)))),
    '',
    capacitySentence(report.capacity, report.criterion),
    ...steps.filter(({ errorRate }) => errorRate > 0).map(errorLine),
    ...notes,
    '',
  ].join('\n')
}

function errorLine({ visitors, errors }: StepSummary): string {
  const kinds = Object.entries(errors).map(([kind, count]) => `${count} ${kind}`)
  return `Errors at ${visitors} visitors: ${kinds.join(', ')}.`
}
