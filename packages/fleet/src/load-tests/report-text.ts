/** A load test's result as a person reads it. */
import type { Capacity } from './capacity.ts'
import type { BearingCriterion } from './plan.ts'
import type { StepSummary } from './step-figures.ts'

export interface LoadReportParts {
  host: string
  state: string
  reason: string | null
  steps: readonly StepSummary[]
  capacity: Capacity | null
  criterion: BearingCriterion
  notes: readonly string[]
}

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
  ['borne', ({ doesBear }) => (doesBear ? 'yes' : 'no')],
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
