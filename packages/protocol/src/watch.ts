/** What a user wants watched, as the command line, the API and the page all write it. */
import { z } from 'zod'
import { collectionSpec, type CollectionState } from './collection.ts'

export const WATCH_SUBJECTS = ['page', 'site', 'list'] as const
export type WatchSubject = (typeof WATCH_SUBJECTS)[number]

const WATCHED_URLS_MAX = 1_000_000
const address = z.string().min(1).max(8_192)
const selectors = z.array(z.string().min(1).max(1_000)).max(100)

/** What people may change of a watch while it is watched. */
export const watchSettings = z.object({
  name: z
    .string()
    .min(1)
    .max(300)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  /** A code of the station's list of categories. */
  category: z.number().int().nullable().default(null),
  observations: z.string().max(20_000).default(''),
  isActive: z.boolean().default(true),
  /** A period set manually, in milliseconds; null: automatic. */
  periodMs: z.number().int().min(60_000).nullable().default(null),
  /** The name of a policy chosen manually; null: Minga chooses. */
  policy: z.string().min(1).max(300).nullable().default(null),
  importance: z.number().positive().max(1_000).default(1),
  /** The greatest share of the station's budget of visits that this watch may use. */
  budgetShare: z.number().min(0).max(1).nullable().default(null),
  /** Come at least this often, whatever the forecast says; null: no such promise. */
  floorMs: z.number().int().min(60_000).nullable().default(null),
  /** A change is important when its magnitude is above this; 0: every change that is not noise. */
  threshold: z.number().min(0).max(1).default(0),
  /** CSS: only what matches counts; what is excluded never does. */
  includeSelectors: selectors.default([]),
  excludeSelectors: selectors.default([]),
})
export type WatchSettings = z.infer<typeof watchSettings>

/**
 * A user's changes of a watch; what is not named stays unchanged. Written out because a field with
 * a default would come back as that default.
 */
export const watchChanges = z
  .strictObject({
    name: watchSettings.shape.name,
    category: watchSettings.shape.category.unwrap(),
    observations: watchSettings.shape.observations.unwrap(),
    isActive: watchSettings.shape.isActive.unwrap(),
    periodMs: watchSettings.shape.periodMs.unwrap(),
    policy: watchSettings.shape.policy.unwrap(),
    importance: watchSettings.shape.importance.unwrap(),
    budgetShare: watchSettings.shape.budgetShare.unwrap(),
    floorMs: watchSettings.shape.floorMs.unwrap(),
    threshold: watchSettings.shape.threshold.unwrap(),
    includeSelectors: watchSettings.shape.includeSelectors.unwrap(),
    excludeSelectors: watchSettings.shape.excludeSelectors.unwrap(),
    addUrls: z.array(address).max(WATCHED_URLS_MAX),
    addFeeds: z.array(address).max(100),
    addSitemaps: z.array(address).max(100),
    removeUrls: z.array(address).max(WATCHED_URLS_MAX),
  })
  .partial()
export type WatchChanges = z.infer<typeof watchChanges>

/** Of a site: how far a harvest goes. */
export const harvestSpec = collectionSpec.pick({
  scope: true,
  include: true,
  exclude: true,
  maxPages: true,
  maxBytes: true,
  maxTimeS: true,
  delayMs: true,
  politeness: true,
  delayMinMs: true,
})

/**
 * What a user may request. A site is harvested whole when it has changed; a page or the pages of a
 * list are visited themselves.
 */
export const watchRequest = watchSettings.extend({
  name: watchSettings.shape.name.optional(),
  subject: z.enum(WATCH_SUBJECTS).default('page'),
  urls: z.array(address).min(1).max(WATCHED_URLS_MAX),
  /** Feeds and sitemaps that report changes; those that pages name are found automatically. */
  feeds: z.array(address).max(100).default([]),
  sitemaps: z.array(address).max(100).default([]),
  ...harvestSpec.shape,
})
export type WatchRequest = z.input<typeof watchRequest>

/** Why the next visit is when it is; `text` says it in a sentence. */
export interface PlanView {
  policy: string
  /**
   * Why this policy: Minga's reason where no user chose, what is wrong with the one that was
   * chosen; null: a user chose it, and it plans.
   */
  because: string | null
  text: string
  /** By the time of the visit, from 0 to 1; null when the policy does not know. */
  chance: number | null
  ratePerDay: number | null
  rateLow: number | null
  rateHigh: number | null
}

/** How many visits there were of those that a forecast needs. */
export interface LearningView {
  visits: number
  of: number
}

export interface ForecastView {
  url: string
  role: string
  /** Null once it has been visited often enough; until then its plan names neither rate nor chance. */
  learning: LearningView | null
  nextVisitAt: number | null
  /** A visit is queued or under way since then. */
  outSince: number | null
  lastVisitAt: number | null
  lastChangeAt: number | null
  visits: number
  changes: number
  failures: number
  plan: PlanView | null
}

export interface WatchView extends WatchSettings {
  id: number
  subject: WatchSubject
  owner: string | null
  urls: number
  /** The first of them, or all of a page watch. */
  url: string
  state: CollectionState
  createdAt: number
  updatedAt: number
  /** Visits to its pages, failed ones included; feeds and sitemaps are counted apart. */
  visits: number
  /** Visits to its pages that found a change. */
  changes: number
  /** Failed visits in a row, of all its pages. */
  failures: number
  /** Visits to its feeds and sitemaps. */
  feedChecks: number
  captures: number
  bytes: number
  lastVisitAt: number | null
  lastChangeAt: number | null
  nextVisitAt: number | null
  nextFeedCheckAt: number | null
  /** Of the page that was visited most; null once that is enough for a forecast. */
  learning: LearningView | null
  /** Null while it is learning. */
  ratePerDay: number | null
}

/** A watch in the list of the page: what is believed is of its most visited address. */
export interface WatchListRow extends WatchView {
  /** Of the last visits, oldest first. */
  outcomes: VisitOutcome[]
  /** A change was found that the caller has not seen; null for an anonymous one. */
  isUnread: boolean | null
  /** From the last visit to the next. */
  gapMs: number | null
  /** That it has changed by the next visit, from 0 to 1. */
  chance: number | null
  rateLow: number | null
  rateHigh: number | null
}

export interface WatchListPage {
  watches: WatchListRow[]
  /** To be sent as `after` for more; null at the end. */
  next: string | null
  total: number
}

/** A setting that a user fixed manually, and that Minga therefore leaves alone. */
export interface ManualSetting {
  setting: 'periodMs' | 'policy'
  by: string
  at: number
}

export interface WatchDetail extends WatchView {
  scope: z.infer<typeof collectionSpec>['scope']
  include: string[]
  exclude: string[]
  maxPages: number | null
  maxBytes: number | null
  maxTimeS: number | null
  delayMs: number
  politeness: z.infer<typeof collectionSpec>['politeness']
  delayMinMs: number
  byHand: ManualSetting[]
  feeds: string[]
  sitemaps: string[]
  /** Regions of its pages that are ignored as noise, and how many of them may hide real changes. */
  ignoredRegions: number
  noiseWarnings: number
}

/** One change by a user. */
export interface TrailView {
  id: number
  at: number
  by: string
  kind: 'created' | 'edited' | 'urls' | 'visit'
  before: Record<string, unknown>
  after: Record<string, unknown>
  undoneAt: number | null
  undoneBy: string | null
}

export interface WatchCategoryView {
  code: number
  name: string
  watches: number
}

export type NoticeSource = 'hook' | 'websub' | 'feed' | 'sitemap'

/** A report that a page has changed. */
export interface NoticeView {
  id: number
  url: string
  source: NoticeSource
  at: number
  /** It made the page due at once. */
  isEarly: boolean
  /** What the first visit after it found; null before that. */
  outcome: 'changed' | 'unchanged' | 'failed' | null
  settledAt: number | null
}

/** What a source of notices has been worth. */
export interface SignalView {
  source: NoticeSource
  notices: number
  changed: number
  unchanged: number
  failed: number
  /** The share of judged notices that were true; null before the first. */
  precision: number | null
}

export interface WebsubView {
  topic: string
  hub: string
  state: 'wanted' | 'asked' | 'active' | 'refused'
  leaseUntil: number | null
  problem: string | null
}

/** Watches with the same category, owner or subject. */
export interface WatchGroupView {
  /** Null: those that have none. */
  key: string | null
  name: string | null
  watches: number
  active: number
  captures: number
  bytes: number
}

/** What visits found on one day (UTC). */
export interface ActivityView {
  day: string
  visits: number
  changes: number
  failures: number
  feedChecks: number
}

/** `noise`: only regions differ that are ignored as noise. */
export type VisitOutcome = 'first' | 'changed' | 'unchanged' | 'noise' | 'failed'

/** What made a visit happen: its plan, a period set manually, a user, or the signal of a change. */
export type VisitCause = 'first' | 'plan' | 'period' | 'manual' | NoticeSource

export interface VisitView {
  url: string
  role: string
  cause: VisitCause
  at: number
  sinceMs: number | null
  outcome: VisitOutcome
  code: string | null
  visual: number
  structural: number
  content: number
  magnitude: number
  isImportant: boolean
  chance: number | null
  bytes: number
  captureId: number | null
  beforeId: number | null
}

/** A region of a watched page that changes by itself, as double fetches have shown. */
export interface NoiseRegionView {
  url: string
  /** Its number on this page. */
  region: number
  /** `ignored`: what differs there is no change; `restored`: a user said that it is not noise. */
  state: 'ignored' | 'restored'
  /** The beginning of what it showed last; empty where it has no text. */
  preview: string
  /** The share of the words of the page that it held, from 0 to 1. */
  share: number
  /** Null for what is not ignored. */
  ignoredSince: number | null
  /** When a double fetch last showed that it differs by itself. */
  confirmedAt: number
  /** Unless it is confirmed again, or has hidden twenty differences before; null for what is not ignored. */
  expiresAt: number | null
  /** Visits since it is ignored, and those in which it differed. */
  visits: number
  differed: number
  /** It differs in over 80 % of visits and holds over 20 % of the words: it may hide real changes. */
  isWarned: boolean
}

/** `waiting`: it begins as soon as nothing of its watch is out. */
/** `failed`: it ended, and nothing was captured. */
export type VersionState =
  | 'waiting'
  | 'running'
  | 'paused'
  | 'complete'
  | 'truncated'
  | 'failed'
  | 'cancelled'

/** A harvest of a whole site: its state at one moment, as far as it could be gathered. */
export interface VersionView {
  watchId: number
  number: number
  state: VersionState
  reason: string | null
  cause: string
  startedAt: number
  endedAt: number | null
  documents: number
  bytes: number
  failed: number
  files: string[]
  agents: string[]
}

/** What a round of visits came to. */
export interface VisitCounts {
  visited: number
  changed: number
  unchanged: number
  /** Only regions differed that are ignored as noise. */
  noise: number
  failed: number
}
