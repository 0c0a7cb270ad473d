/** Ends visits: their rows, what their URLs' beliefs learn, and when to come back. */
import { faultPoint, learningOf } from '@minga/protocol'
import { logEvents, type Sql, type Value } from '@minga/store'
import { withBeliefs } from '../plan/cold-start.ts'
import {
  FORECAST_KEYS,
  LEARNT_COLUMNS,
  watchedUrlKeyOf,
  type ForecastRow,
  type WatchRow,
} from '../plan/forecast-rows.ts'
import { readReportedChanges, type ReportedChanges } from '../signals/reported-changes.ts'
import { askForHarvest } from './harvests.ts'
import type { Visit } from './decide-visit.ts'
import { planAfter, type Planned } from '../plan/plan-visits.ts'
import { readPlanning } from '../plan/planning.ts'
import { keepSketches } from './sketch-rows.ts'
import { requestTwins, TWIN_PAUSE_MS, twinsInTime, type WantedTwin } from './twin-requests.ts'
import { spendBytes } from '../plan/visit-allowance.ts'

export interface EndedVisit {
  forecast: ForecastRow
  watch: WatchRow
  visit: Visit
}

interface PlannedVisit extends EndedVisit {
  planned: Planned
  twin: WantedTwin | null
}

export async function endVisits(
  sql: Sql,
  args: { ended: readonly EndedVisit[]; now: number },
): Promise<void> {
  if (args.ended.length === 0) return
  const planning = await readPlanning(sql)
  const ready = await withBeliefs(sql, args.ended)
  const twins = await wantedTwins(sql, ready)
  const planned: PlannedVisit[] = []
  for (const each of ready) {
    const reported = await reportedBefore(sql, each)
    const twin = twins.find(({ forecast }) => forecast === each.forecast) ?? null
    planned.push({ ...each, twin, planned: planAfter({ ...each, reported }, planning) })
  }
  await sql.insertMany({
    table: 'visits',
    columns: VISIT_COLUMNS,
    rows: args.ended.filter(({ visit }) => !visit.isTwin).map(visitRow),
  })
  await sql.updateMany({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    set: [...LEARNT_COLUMNS],
    rows: planned.map(forecastRow),
  })
  await keepSketches(
    sql,
    args.ended.flatMap(({ forecast, visit }) =>
      visit.memory === null ? [] : [{ ...watchedUrlKeyOf(forecast), ...visit.memory }],
    ),
  )
  await requestTwins(sql, { ended: args.ended.map(({ forecast }) => forecast), wanted: twins })
  await harvestChanged(sql, args)
  await logVisits(sql, args)
  await logWarnings(sql, args)
  await spendBytes(
    sql,
    args.ended.reduce((sum, { visit }) => sum + visit.bytes, 0),
  )
  faultPoint('watch:visits-noted')
}

/** A visit that was requested in the meantime comes first: what it finds is an observation. */
function wantedTwins(sql: Sql, ended: readonly EndedVisit[]): Promise<WantedTwin[]> {
  const wanted = ended.flatMap(({ forecast, watch, visit }): WantedTwin[] => {
    const { twin, captureId, at } = visit
    const isWanted = watch.settings.isActive && askedMeanwhile(forecast, visit) === null
    if (twin === null || captureId === null || !isWanted) return []
    return [{ forecast, captureId, dueAt: at + TWIN_PAUSE_MS, ...twin }]
  })
  return twinsInTime(sql, wanted)
}

/** In a row: a page that is away for a moment is not lost. */
const LOST_AFTER = 3

/** One line for each watch, however many of its pages an upload brought. */
async function logVisits(
  sql: Sql,
  { ended, now }: { ended: readonly EndedVisit[]; now: number },
): Promise<void> {
  const told = ended.flatMap(({ forecast, visit }) => {
    const isLost = visit.outcome === 'failed' && forecast.failures + 1 === LOST_AFTER
    const isChanged = visit.outcome === 'changed' && !visit.isTwin
    if (!isLost && !isChanged) return []
    const code = isLost ? ('watch:lost' as const) : ('watch:changed' as const)
    return [{ code, subject: String(forecast.collection_id), url: forecast.url }]
  })
  const groups = Map.groupBy(told, ({ code, subject }) => `${code} ${subject}`)
  await logEvents(
    sql,
    [...groups.values()].map((group) => {
      const { code, subject, url } = group[0]!
      const what = code === 'watch:lost' ? 'could not be fetched any more' : 'changed'
      const others = group.length - 1
      const sentence = `${url} ${what}${others > 0 ? `, and ${others} others` : ''}.`
      const details = { url, ...(others > 0 ? { others } : {}) }
      return { at: now, code, subject, sentence, details, times: group.length }
    }),
  )
}

/** An ignored region that may hide what people watch for; once for each region. */
async function logWarnings(
  sql: Sql,
  { ended, now }: { ended: readonly EndedVisit[]; now: number },
): Promise<void> {
  const events = ended.flatMap(({ forecast: { url, collection_id: id }, visit }) =>
    visit.warnings.map(({ share, preview }) => {
      const percent = Math.round(100 * share)
      const sentence = `A region of ${url} with ${percent} % of its words is ignored as noise and differs at nearly every visit.`
      const details = { url, share: percent, ...(preview === '' ? {} : { preview }) }
      return { at: now, code: 'watch:noisy' as const, subject: String(id), sentence, details }
    }),
  )
  await logEvents(sql, events)
}

function reportedBefore(
  sql: Sql,
  { forecast, visit }: EndedVisit,
): Promise<ReportedChanges | null> | null {
  const { last_visit_at: from } = forecast
  if (from === null || visit.isTwin || visit.outcome !== 'changed') return null
  return readReportedChanges(sql, { key: watchedUrlKeyOf(forecast), from, to: visit.at })
}

const VISIT_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'at',
  'since_ms',
  'outcome',
  'code',
  'visual',
  'structural',
  'content',
  'magnitude',
  'is_important',
  'chance',
  'bytes',
  'capture_id',
  'before_id',
]

function visitRow({ forecast, visit }: EndedVisit): Value[] {
  const { change } = visit
  const isCompared = visit.outcome !== 'failed' && visit.outcome !== 'first'
  return [
    forecast.collection_id,
    forecast.host_id,
    forecast.hash,
    visit.at,
    forecast.last_visit_at === null ? null : Math.max(0, visit.at - forecast.last_visit_at),
    visit.outcome,
    visit.code,
    change.visual,
    change.structural,
    change.content,
    change.magnitude,
    change.isImportant ? 1 : 0,
    chanceSaid(forecast),
    visit.bytes,
    visit.captureId,
    isCompared ? forecast.capture_id : null,
  ]
}

/** Of a page that was hardly visited no chance was said, whatever its plan reckoned with. */
function chanceSaid({ plan, visits }: ForecastRow): number | null {
  if (plan === null || learningOf(visits) !== null) return null
  return (JSON.parse(plan) as { chance?: number }).chance ?? null
}

/** In the order of `LEARNT_COLUMNS`, behind the key. */
function forecastRow({ forecast, visit, planned, twin }: PlannedVisit): Value[] {
  const isFailed = visit.outcome === 'failed'
  const isChange = visit.outcome === 'changed'
  const counts = visit.isTwin ? 0 : 1
  const changes = forecast.changes + (isChange ? 1 : 0)
  return [
    forecast.collection_id,
    forecast.host_id,
    forecast.hash,
    askedMeanwhile(forecast, visit) ?? twin?.dueAt ?? planned.at,
    null,
    forecast.first_visit_at ?? (isFailed ? null : visit.at),
    isFailed || visit.isTwin ? forecast.last_visit_at : visit.at,
    isChange ? visit.at : forecast.last_change_at,
    forecast.visits + counts,
    changes,
    // In a row: one visit that succeeds forgives them.
    isFailed ? forecast.failures + 1 : 0,
    isChange ? meanAfter(forecast.magnitude, visit.change.magnitude, changes) : forecast.magnitude,
    planned.rate,
    planned.belief,
    planned.plan === null ? null : JSON.stringify(planned.plan),
    planned.state === undefined ? null : JSON.stringify(planned.state),
    countsAfter({ forecast, visit }),
    isFailed || visit.isTwin ? forecast.usual_bytes : usualBytesAfter(forecast, visit),
  ]
}

/**
 * The capture that the next visit is compared with. What only noise or a twin brought does not count: an
 * edit that it shows as well must still be found by the next visit.
 */
function countsAfter({ forecast, visit }: Pick<EndedVisit, 'forecast' | 'visit'>): number | null {
  const leaves = visit.outcome === 'failed' || visit.outcome === 'noise' || visit.isTwin
  return leaves ? forecast.capture_id : (visit.captureId ?? forecast.capture_id)
}

/** The latest twenty visits or so: pages grow, and answers "not modified" come and go. */
const USUAL_OF = 20

function usualBytesAfter({ usual_bytes: usual, visits }: ForecastRow, { bytes }: Visit): number {
  return meanAfter(usual, bytes, Math.min(visits + 1, USUAL_OF))
}

/** A round that began while the visit was out wants to know what the page shows since then. */
function askedMeanwhile({ next_visit_at: asked }: ForecastRow, { at }: Visit): number | null {
  return asked !== null && at < asked ? asked : null
}

function meanAfter(mean: number, value: number, count: number): number {
  return mean + (value - mean) / count
}

/** A site is harvested whole when a visit found something important, or it is new. */
async function harvestChanged(
  sql: Sql,
  { ended, now }: { ended: readonly EndedVisit[]; now: number },
): Promise<void> {
  for (const { forecast, watch, visit } of ended) {
    if (watch.subject !== 'site') continue
    const isNews =
      visit.outcome === 'first' || (visit.outcome === 'changed' && visit.change.isImportant)
    if (!isNews) continue
    const cause = visit.outcome === 'first' ? 'first' : `changed: ${forecast.url}`
    await askForHarvest(sql, { collectionId: forecast.collection_id, cause, now })
  }
}
