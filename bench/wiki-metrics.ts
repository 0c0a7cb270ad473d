/** The metrics of a whole wiki, each timed: the first answer of it, then some more. */
import {
  averagePerDay,
  coEditors,
  comparePages,
  compileFilter,
  countRevisions,
  editBursts,
  editGaps,
  editInequality,
  editorSplit,
  editsBy,
  editSessions,
  editWars,
  identityReverts,
  modeOf,
  runQuery,
  sizeDeltas,
  tagUse,
  topEditors,
  type Ask,
} from '@minga/wiki'
import { median } from './report.ts'

export interface MetricTimes {
  name: string
  firstMs: number
  medianMs: number
  worstMs: number
}

const TIMES = 5
const WHOLE = { datestart: '2001-01-01', dateend: '2030-01-01' }
const QUERY = {
  by: ['user', 'year'],
  measure: { edits: { count: true }, bytes: { sum: 'size' }, large: { quantile: ['size', 0.9] } },
  sort: ['-edits'],
  limit: 1_000,
}

export async function timeMetrics(ask: Ask, now: number): Promise<MetricTimes[]> {
  const times: MetricTimes[] = []
  for (const [name, metric] of Object.entries(metricsOf(ask, now))) {
    const firstMs = await elapsedMs(metric)
    const more: number[] = []
    for (let i = 0; i < TIMES; i++) more.push(await elapsedMs(metric))
    times.push({ name, firstMs, medianMs: median(more), worstMs: Math.max(...more) })
  }
  return times
}

function metricsOf(ask: Ask, now: number): Record<string, () => Promise<unknown>> {
  const all = compileFilter({}, now)
  return {
    count: () => countRevisions(ask, {}, now),
    'average per day': () => averagePerDay(ask, WHOLE, now),
    'mode: user': () => modeOf(ask, { attribute: 'user', filter: {} }, now),
    'mode: size': () => modeOf(ask, { attribute: 'size', filter: {} }, now),
    'top editors': () => topEditors(ask, all),
    'minor, anonymous, registered': () => editorSplit(ask, all),
    'Gini of edits': () => editInequality(ask, all),
    'edits by hour': () => editsBy(ask, all, { bucket: 'hour' }),
    'edits by month': () => editsBy(ask, all, { bucket: 'month' }),
    'gaps between edits': () => editGaps(ask, all),
    'edit sessions': () => editSessions(ask, all),
    'size deltas': () => sizeDeltas(ask, all),
    'identity reverts': () => identityReverts(ask, all),
    'edit wars': () => editWars(ask, all),
    bursts: () => editBursts(ask, all),
    'co-editor network': () => coEditors(ask, all),
    'tag use': () => tagUse(ask, all),
    'page comparison': () => comparePages(ask, { pageIds: [10, 17, 24, 31, 38] }),
    'free query: by user and year': () => runQuery(ask, QUERY),
  }
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
