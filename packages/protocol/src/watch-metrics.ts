/** Figures of watches, of their groups and of the archive's growth, as the station answers them. */

/** Of the share of days on which a site changes: low below 0.4, medium below 0.7, high from there. */
export type FrequencyGroup = 'high' | 'medium' | 'low'

/** The six figures of a site. Losses are expectations: they were not observed. */
export interface SiteMetrics {
  lost: number
  occurred: number
  generatedBytes: number
  storedBytes: number
  visits: number
  /** The share of days with a change, lost ones included. */
  frequency: number
}

/** One day of a watch. */
export interface WatchDay {
  /** Whole days since the Unix epoch. */
  day: number
  /** Those that did not fail. */
  visits: number
  /** Visits that found a change. */
  changes: number
  /** States kept: the first, and each that was found changed. */
  versions: number
  storedBytes: number
  failures: number
  /** Expected number of states that came and went unseen. */
  lost: number
}

export type Behaviour = 'steady' | 'rare' | 'seasonal' | 'without pattern'

/** How a page behaves, and from what one sees it. */
export interface BehaviourView {
  kind: Behaviour
  /** One sentence. */
  reason: string
  /** The page has lately become faster. */
  burst: boolean
}

/** The same four numbers wherever a watch is shown. */
export interface WatchTotals {
  /** Visits to its pages, failed ones included. */
  visits: number
  /** Visits to its pages that found a change. */
  changes: number
  /** Visits to its pages that failed. */
  failures: number
  /** Visits to its feeds and sitemaps. */
  feedChecks: number
}

export interface WatchMetricsView {
  id: number
  /** Within the days that were asked for. */
  totals: WatchTotals
  name: string
  url: string
  /** The first visit within the requested period; null when there was none. */
  from: number | null
  to: number
  urls: number
  /** Of very long lists only the most visited URLs are counted. */
  urlsLeftOut: number
  metrics: SiteMetrics
  /** Null until a day of observation is over. */
  group: FrequencyGroup | null
  /** Of the most visited URL; null before its second visit. */
  behaviour: BehaviourView | null
  /** Visits that brought nothing to keep. */
  waste: number
  days: WatchDay[]
}

/**
 * A line of the table of groups: the nine columns of the original formula, and three corrected
 * ones.
 */
export interface GroupRow {
  group: FrequencyGroup
  /** The longest observation of a site. */
  intervalHours: number
  sites: number
  meanFrequency: number
  lost: number
  /** Of site-days. */
  lostShare: number
  visits: number
  /** All that occurred, caught or not. */
  changes: number
  /** Visits less changes (original formula): below zero when many changes were lost. */
  unnecessary: number
  /** Of site-days. */
  unnecessaryShare: number
  lostOfChanges: number
  /** Visits that brought nothing to keep. */
  waste: number
  wasteOfVisits: number
  /** Sites of each behaviour, as far as it is known. */
  behaviours: Record<Behaviour, number>
}

export interface GroupedWatch {
  id: number
  name: string
  url: string
  frequency: number
  group: FrequencyGroup
  behaviour: BehaviourView | null
}

export interface WatchGroupsView {
  from: number
  to: number
  rows: GroupRow[]
  watches: GroupedWatch[]
  /** Watches whose first day of observation is not over. */
  unobserved: number
  /** Watches beyond what is counted in one go. */
  leftOut: number
}

export interface ComparedRow {
  changes: number
  visits: number
  /** Different states kept. */
  versions: number
  /** Changes whose state was gone before anyone came. */
  lost: number
  /** Days with a change and no visit on that day (original formula). */
  lostSameDay: number
  /** Each state once. */
  storedBytes: number
  /** Every visit stored in full. */
  repeatedBytes: number
  visitsPerDay: number
  /** Original formula: changed days per day of the dynamic row, visits per day of the fixed one. */
  frequency: number
}

/** A site as it was visited compared with the same site visited at a fixed period. */
export interface Comparison {
  periodMs: number
  days: number
  dynamic: ComparedRow
  fixed: ComparedRow
  /** What the dynamic side stores less, with states kept once on both sides. */
  savedBytes: number
  /** What it seems to store less when the fixed side keeps every visit and the dynamic side does not. */
  unfairSavedBytes: number
  savedVisits: number
}

export interface WatchCompareView {
  /** Within the days that were asked for; the rows below are estimates from them. */
  totals: WatchTotals
  id: number
  name: string
  url: string
  urls: number
  urlsLeftOut: number
  /** Null until some URL was visited twice. */
  comparison: Comparison | null
  /** May the watch be left to its policy? Held against the fixed period. */
  gate: GateView | null
}

/** The three qualities required of a predictor, each with its measured value. */
export interface GateView {
  passes: boolean
  requirements: {
    name: string
    holds: boolean
    /** What was measured and the bound it is held against, both as shares; null: without measure. */
    measured: number | null
    bound: number
    text: string
  }[]
}

/** What was stored in all at a moment. */
export interface GrowthSample {
  at: number
  bytes: number
}

/** Ninety times of a hundred between low and high. */
export interface GrowthSpan {
  likely: number
  low: number
  high: number
}

/** Instants; null: not within the foreseeable future. */
export interface FullAt {
  earliest: number | null
  likely: number | null
  latest: number | null
}

export interface Growth {
  bytes: number
  /** Null while too little is known: it takes three days. */
  bytesPerDay: GrowthSpan | null
  /** What the growth was read from: whole weeks, or days while there are no two weeks yet. */
  basis: 'weeks' | 'days' | null
  /** What one extreme week brought beyond the others, taken to happen only once. */
  setAsideBytes: number
  /** dated: it will be full; never: not in the foreseeable future; unknown: no limit or no rate. */
  outlook: 'full' | 'dated' | 'never' | 'unknown'
  fullAt: FullAt | null
}

export interface GrowthPart extends Growth {
  /** What fits in all: the disk for the archive, its limit of bytes for a collection; null: no limit. */
  capacityBytes: number | null
}

export interface CollectionGrowth extends GrowthPart {
  id: number
  name: string
}

export interface ArchiveGrowthView {
  at: number
  archive: GrowthPart & { samples: GrowthSample[] }
  /** The largest first. */
  collections: CollectionGrowth[]
  collectionsLeftOut: number
}

/** Visits that were said to find a change with about this chance, and how many did. */
export interface CalibrationDrawer {
  from: number
  to: number
  visits: number
  /** The mean of what was said. */
  predicted: number
  observed: number
  /** Nine times of ten the true share lies between these. */
  low: number
  high: number
}

export interface CalibrationView {
  visits: number
  drawers: CalibrationDrawer[]
  /** Mean square of what was said less what came; null without visits. */
  brier: number | null
  /** Brier score of a forecast that always gives the mean share of changes. */
  baseBrier: number | null
}

/** What a year of a watch brought. */
export interface WatchYear extends WatchTotals {
  year: number
  /** Visits that a forecast started: the others were requested, signalled or set by a period. */
  forecast: number
  storedBytes: number
}

/** One fixed period compared with the actual visits. */
export interface ComparedPeriod {
  periodMs: number
  visits: number
  versions: number
  lost: number
}

export interface CompareCurveView {
  /** As it was visited; null until some URL was visited twice. */
  dynamic: Omit<ComparedPeriod, 'periodMs'> | null
  /** The shortest period first. */
  fixed: ComparedPeriod[]
}

/** What a budget of visits would bring, in a day. */
export interface BudgetPoint {
  visitsPerDay: number
  /** What would be made of it: pages that hardly change leave some over. */
  usedVisitsPerDay: number
  versionsPerDay: number
  changesPerDay: number
  /** The mean share of time that the newest copy is current. */
  freshness: number
  /** Addresses that would be visited less than once a year. */
  rareUrls: number
}

export interface BudgetView {
  /** In force now. */
  visitsPerDay: number
  /** Not set by a user: a visit a day for each address. */
  isDefault: boolean
  urls: number
  urlsLeftOut: number
  /** The smallest budget first; one of them is that in force. */
  points: BudgetPoint[]
}
