/** Figures of watches: of one, of all by groups, and of one compared with a fixed period. */
import { availableParallelism } from 'node:os'
import {
  DAY_MS,
  calibrationOf,
  classOf,
  compareVisited,
  eligibility,
  groupOf,
  groupTable,
  siteMetrics,
  type GroupSite,
  type VisitedUrl,
} from '@minga/forecast'
import {
  learningOf,
  type ArchiveGrowthView,
  type BehaviourView,
  type BudgetPoint,
  type BudgetView,
  type CalibrationView,
  type CompareCurveView,
  type Comparison,
  type FrequencyGroup,
  type GateView,
  type WatchCompareView,
  type WatchGroupsView,
  type WatchMetricsView,
  type WatchTotals,
  type WatchYear,
} from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { WhatIf } from '../plan/what-if.ts'
import type { Station } from '../../station/station.ts'
import { may } from '../../accounts/access.ts'
import type { WatchContext } from '../watch-context.ts'
import { ArchiveGrowth, type ArchiveGrowthParts } from './archive-growth.ts'
import type { DaySpan, WatchFigures } from './watch-figures.ts'

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const PERIOD_MS_MOST = 3_660 * UNITS_MS.d

const idParams = z.object({ id: z.coerce.number().int() })
const daysQuery = z.object({ days: z.coerce.number().int().min(1).max(3_660).default(365) })
const periodField = z
  .string()
  .regex(/^\d{1,6}[mhd]$/, 'must be a whole number of minutes, hours or days: 90m, 6h, 15d')
  .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.at(-1) as keyof typeof UNITS_MS])
  .refine((ms) => ms >= UNITS_MS.m && ms <= PERIOD_MS_MOST, 'must be from one minute to ten years')
const compareQuery = daysQuery.extend({ period: periodField.default(UNITS_MS.d) })

const READ = may('watches:read')

/** Figures of watches and of the archive's growth over HTTP. */
export function metricsRoutes(app: FastifyInstance, { access, watchMetrics }: WatchContext): void {
  app.get('/watches/:id/metrics', READ, (request) =>
    watchMetrics.metrics(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/compare', READ, (request) => {
    const { days, period } = compareQuery.parse(request.query)
    return watchMetrics.compare(idParams.parse(request.params).id, { days, periodMs: period })
  })
  app.get('/watches/:id/compare-curve', READ, (request) =>
    watchMetrics.curve(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/calibration', READ, (request) =>
    watchMetrics.calibration(idParams.parse(request.params).id, daysQuery.parse(request.query)),
  )
  app.get('/watches/:id/years', READ, (request) =>
    watchMetrics.years(idParams.parse(request.params).id),
  )
  app.get('/watch-calibration', READ, (request) =>
    watchMetrics.calibration(null, daysQuery.parse(request.query)),
  )
  app.get('/watch-budget', READ, () => watchMetrics.budget())
  app.get('/watch-groups', READ, async (request): Promise<WatchGroupsView> => {
    const view = await watchMetrics.groups(daysQuery.parse(request.query))
    const hidden = await access.storeFor(request).call('hiddenCollections', {})
    return { ...view, watches: view.watches.filter(({ id }) => !hidden.includes(id)) }
  })
  app.get('/archive/growth', READ, async (request): Promise<ArchiveGrowthView> => {
    const view = await watchMetrics.growth.view()
    const hidden = await access.storeFor(request).call('hiddenCollections', {})
    return { ...view, collections: view.collections.filter(({ id }) => !hidden.includes(id)) }
  })
}

interface BudgetParts extends Pick<Station, 'store' | 'clock'> {
  /** In force now; null: a visit a day for each address, and bytes cost nothing. */
  budget: () => { visitsPerDay: number | null; visitBytesPerDay: number | null }
}

/** Times the budget in force. */
const FACTORS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 3 / 2, 2, 4, 8, 16]

/** Budgets around the one in force, each with what it would bring. */
class BudgetOutlook {
  readonly #parts: BudgetParts
  #known: { untilMs: number; inForce: string; view: Promise<BudgetView> } | null = null

  constructor(parts: BudgetParts) {
    this.#parts = parts
  }

  /** Repeated calls within a minute return the same view, unless the budget was changed. */
  view(): Promise<BudgetView> {
    const nowMs = this.#parts.clock.monotonicMs()
    const inForce = JSON.stringify(this.#parts.budget())
    const known = this.#known
    if (known !== null && known.untilMs > nowMs && known.inForce === inForce) return known.view
    const view = this.#read()
    this.#known = { untilMs: nowMs + REMEMBERED_MS, inForce, view }
    // A failed view is not remembered.
    view.catch(() => (this.#known = null))
    return view
  }

  /** One after the other: the store has other work in between. */
  async #read(): Promise<BudgetView> {
    const { visitsPerDay, visitBytesPerDay } = this.#parts.budget()
    const now = await this.#whatIf(visitsPerDay, visitBytesPerDay)
    const { urls, urlsLeftOut } = now
    const points: BudgetPoint[] = []
    for (const factor of urls === 0 ? [] : FACTORS) {
      const budget = factor * now.point.visitsPerDay
      const bytes = visitBytesPerDay === null ? null : factor * visitBytesPerDay
      points.push(factor === 1 ? now.point : (await this.#whatIf(budget, bytes)).point)
    }
    const isDefault = visitsPerDay === null
    return { visitsPerDay: now.point.visitsPerDay, isDefault, urls, urlsLeftOut, points }
  }

  #whatIf(visitsPerDay: number | null, bytesPerDay: number | null): Promise<WhatIf> {
    return this.#parts.store.call('whatIf', { visitsPerDay, bytesPerDay })
  }
}

export interface WatchMetricsParts extends ArchiveGrowthParts, BudgetParts {
  /** Of the machine: what this program has used, and what it could have. */
  capacity: () => { used: number; whole: number }
}

/** URLs of one watch that are counted: of its own page, of a line among many, of a comparison. */
const URLS_MOST = 2_000
const GROUP_URLS_MOST = 200
const COMPARED_URLS_MOST = 200
const CURVE_URLS_MOST = 20
const HOUR_MS = 3_600_000
/** From a tenth of a visit a day on each side of what people choose. */
const CURVE_PERIODS_MS = [1, 3, 6, 12, 24, 48, 72, 120, 168, 240, 360, 720, 1_440].map(
  (hours) => hours * HOUR_MS,
)
/** Of each URL: some years of a visit a day. */
const SEEN_VISITS_MOST = 1_000
/** Watches whose behaviour is judged in one go: a few seconds of reading. */
const JUDGED_MOST = 1_000
/** Watches read in one go, and in all. */
const GROUP_ROWS = 20
const WATCHES_MOST = 20_000
/** Within this time repeated calls return the same table of groups. */
const REMEMBERED_MS = 60_000
const REMEMBERED_MOST = 4

const NO_CURVE: CompareCurveView = { dynamic: null, fixed: [] }

type GroupFigures = Omit<WatchFigures, 'days'>
type Observed = Pick<WatchFigures, 'observation' | 'spanDays'>

export class WatchMetrics {
  readonly growth: ArchiveGrowth
  readonly #parts: WatchMetricsParts
  readonly #outlook: BudgetOutlook
  readonly #groups = new Map<number, { untilMs: number; view: Promise<WatchGroupsView> }>()

  readonly #judged = new Map<number, { visits: number; behaviour: BehaviourView | null }>()

  constructor(parts: WatchMetricsParts) {
    this.#parts = parts
    this.growth = new ArchiveGrowth(parts)
    this.#outlook = new BudgetOutlook(parts)
  }

  async metrics(id: number, asked: { days: number }): Promise<WatchMetricsView> {
    const span = this.#span(asked.days)
    const args = { id, ...span, urlsMost: URLS_MOST }
    const figures = await this.#parts.store.call('watchFigures', args)
    const { name, url, urls, urlsLeftOut, observation, days } = figures
    const first = days.find(({ visits }) => visits > 0)
    return {
      id,
      name,
      totals: await this.#totals(id, span),
      url,
      urls,
      urlsLeftOut,
      from: first === undefined ? null : first.day * DAY_MS,
      to: this.#parts.clock.now(),
      metrics: siteMetrics(observation),
      group: groupFor(figures),
      behaviour: await this.#behaviour(id, span),
      waste: observation.visits - observation.versions,
      days,
    }
  }

  /** Read a few watches at a time: the store has other work, too. */
  groups({ days }: { days: number }): Promise<WatchGroupsView> {
    const nowMs = this.#parts.clock.monotonicMs()
    const known = this.#groups.get(days)
    if (known !== undefined && known.untilMs > nowMs) return known.view
    const view = this.#readGroups(this.#span(days))
    for (const [other, { untilMs }] of this.#groups) {
      if (untilMs <= nowMs || this.#groups.size >= REMEMBERED_MOST) this.#groups.delete(other)
    }
    this.#groups.set(days, { untilMs: nowMs + REMEMBERED_MS, view })
    // A failed view is not remembered.
    view.catch(() => this.#groups.delete(days))
    return view
  }

  async #readGroups(span: DaySpan): Promise<WatchGroupsView> {
    const { store, clock } = this.#parts
    const all: GroupFigures[] = []
    for (let after = 0; all.length < WATCHES_MOST; after = all.at(-1)!.id) {
      const args = { after, limit: GROUP_ROWS, ...span, urlsMost: GROUP_URLS_MOST }
      const some = await store.call('groupFigures', args)
      if (some.length === 0) break
      all.push(...some)
    }
    await this.#judge(all, span)
    const total = await store.call('countWatches', {})
    const grouped = all.filter((figures) => groupFor(figures) !== null)
    return {
      from: span.fromDay * DAY_MS,
      to: clock.now(),
      rows: groupTable(
        grouped.map((figures) =>
          groupSite(figures, this.#judged.get(figures.id)?.behaviour ?? null),
        ),
      ),
      watches: grouped.map(({ id, name, url, observation }) => {
        const { frequency } = siteMetrics(observation)
        const behaviour = this.#judged.get(id)?.behaviour ?? null
        return { id, name, url, frequency, group: groupOf(frequency), behaviour }
      }),
      unobserved: all.length - grouped.length,
      leftOut: Math.max(0, total - all.length),
    }
  }

  async compare(id: number, asked: { days: number; periodMs: number }): Promise<WatchCompareView> {
    const { store } = this.#parts
    const { subject: _subject, ...watch } = await store.call('watchName', { id })
    const span = this.#span(asked.days)
    const urls = await this.#seen(id, { fromDay: span.fromDay, urlsMost: COMPARED_URLS_MOST })
    const { periodMs } = asked
    const total = await store.call('countWatchedUrls', { id })
    const totals = await this.#totals(id, span)
    const isLearning = learningOf(totals.visits) !== null
    const draws = { periodMs, random: xorshiftRandom(id) }
    // Two visits are one comparison: what they would let expect is a guess.
    const comparison = isLearning ? null : compareVisited(urls, draws)
    return {
      ...watch,
      totals,
      urls: urls.length,
      urlsLeftOut: total - urls.length,
      comparison,
      gate: comparison === null ? null : this.#gate(comparison),
    }
  }

  /** Every period of the curve is held against the same draws of change times. */
  async curve(id: number, asked: { days: number }): Promise<CompareCurveView> {
    await this.#parts.store.call('watchName', { id })
    const span = this.#span(asked.days)
    if (learningOf((await this.#totals(id, span)).visits) !== null) return NO_CURVE
    const urls = await this.#seen(id, { fromDay: span.fromDay, urlsMost: CURVE_URLS_MOST })
    const compared = CURVE_PERIODS_MS.flatMap(
      (periodMs) => compareVisited(urls, { periodMs, random: xorshiftRandom(id) }) ?? [],
    )
    const [first] = compared
    if (first === undefined) return NO_CURVE
    const { visits, versions, lost } = first.dynamic
    return {
      dynamic: { visits, versions, lost },
      fixed: compared.map(({ periodMs, fixed }) => ({
        periodMs,
        visits: fixed.visits,
        versions: fixed.versions,
        lost: fixed.lost,
      })),
    }
  }

  /** Of one watch, or of all together. */
  async calibration(id: number | null, asked: { days: number }): Promise<CalibrationView> {
    const { store } = this.#parts
    if (id !== null) await store.call('watchName', { id })
    const from = this.#span(asked.days).fromDay * DAY_MS
    return calibrationOf(await store.call('calibrationTallies', { id, from }))
  }

  async years(id: number): Promise<WatchYear[]> {
    const { store } = this.#parts
    await store.call('watchName', { id })
    return store.call('watchYears', { id })
  }

  budget(): Promise<BudgetView> {
    return this.#outlook.view()
  }

  /** The whole program counts as the predictor's: what holds for it holds for its part. */
  #gate({ dynamic, fixed }: Comparison): GateView {
    const { used, whole } = this.#parts.capacity()
    return eligibility({
      changes: dynamic.changes,
      lost: dynamic.lost,
      storedBytes: dynamic.storedBytes,
      fixedBytes: fixed.storedBytes,
      usedCapacity: used,
      wholeCapacity: whole,
    })
  }

  /**
   * First those that were never evaluated or have been visited since; the rest at the next call.
   */
  async #judge(all: readonly GroupFigures[], span: DaySpan): Promise<void> {
    const isDue = ({ id, observation }: GroupFigures): boolean =>
      this.#judged.get(id)?.visits !== observation.visits
    for (const { id, observation } of all.filter(isDue).slice(0, JUDGED_MOST)) {
      const behaviour = await this.#behaviour(id, span)
      this.#judged.set(id, { visits: observation.visits, behaviour })
    }
  }

  async #behaviour(id: number, { fromDay }: DaySpan): Promise<BehaviourView | null> {
    const [url] = await this.#seen(id, { fromDay, urlsMost: 1 })
    const visits = url?.visits.flatMap(({ at, sinceMs, changed }) =>
      sinceMs === null ? [] : [{ at, sinceMs, changed }],
    )
    return visits === undefined || visits.length === 0 ? null : classOf(visits)
  }

  #seen(id: number, args: { fromDay: number; urlsMost: number }): Promise<VisitedUrl[]> {
    const { fromDay, urlsMost } = args
    const from = fromDay * DAY_MS
    const visitsMost = SEEN_VISITS_MOST
    return this.#parts.store.call('seenVisits', { id, from, urlsMost, visitsMost })
  }

  #totals(id: number, { fromDay, toDay }: DaySpan): Promise<WatchTotals> {
    const span = { from: fromDay * DAY_MS, to: toDay * DAY_MS }
    return this.#parts.store.call('watchTotals', { id, ...span })
  }

  /** So many days that end with today, by the coordinator's clock (UTC). */
  #span(days: number): DaySpan {
    const toDay = Math.floor(this.#parts.clock.now() / DAY_MS) + 1
    return { fromDay: toDay - days, toDay }
  }
}

/** A day says nothing about how often days change. */
const DAYS_LEAST = 2

function groupFor({ observation, spanDays }: Observed): FrequencyGroup | null {
  return spanDays < DAYS_LEAST ? null : groupOf(siteMetrics(observation).frequency)
}

function groupSite(
  { observation, spanDays }: Observed,
  behaviour: BehaviourView | null,
): GroupSite {
  const { days, versions } = observation
  const kind = behaviour?.kind ?? null
  return { days, spanDays, versions, behaviour: kind, ...siteMetrics(observation) }
}

/**
 * Numbers that look drawn and are the same each time: who asks for a comparison twice gets the
 * same answer. Marsaglia, "Xorshift RNGs", 2003.
 */
export function xorshiftRandom(seed: number): () => number {
  // Zero would stay zero; neighbouring seeds are spread apart first.
  let state = Math.imul(seed | 0, 0x9e3779b1) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Microseconds of processor time: used by this program since it started, and there to be used. */
export function processorUse(): { used: number; whole: number } {
  const { user, system } = process.cpuUsage()
  return { used: user + system, whole: process.uptime() * 1_000_000 * availableParallelism() }
}
