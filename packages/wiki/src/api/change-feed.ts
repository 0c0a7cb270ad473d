/**
 * Polling the feeds of a wiki without missing anything between two polls: a change becomes visible some
 * seconds after the time it carries (databases commit and replicate in their own order), so every poll
 * begins a little before the last one ended, and what was seen there already is dropped by its number.
 */
import type { SiteInfo } from '../model.ts'
import type { PageChange } from './wiki-news.ts'
import { LIST_LIMIT, LOG_TYPES, type Ticket, type WikiStep } from './wiki-step.ts'

/** Commits and replicas are seldom further behind; too long only reads some changes twice. */
const OVERLAP_MS = 30_000
/** Wikis keep recent changes for 90 days, or for 30 as Wikimedia does; beyond, only logs and sweeps tell. */
const FEED_KEPT_MS = 25 * 24 * 60 * 60 * 1000

export interface FeedMark {
  /** The newest time that the feed reported. */
  at: number
  /** Numbers of the changes within the overlap before it. */
  seen: number[]
}

export interface PollPlan {
  steps: WikiStep[]
  /** The feed does not reach back to the mark: every page must be checked once. */
  needsSweep: boolean
}

/** `ticket.run` must be a new number for every poll: a quiet wiki is asked the same thing again. */
export function planPoll(
  mark: FeedMark | null,
  now: number,
  { site, ticket }: { site: SiteInfo; ticket: Ticket },
): PollPlan {
  const api = site.apiUrl
  if (api === null) return { steps: [], needsSweep: true }
  const common = { api, limit: LIST_LIMIT, more: {}, ticket }
  const oldest = now - FEED_KEPT_MS
  const isTooOld = mark !== null && mark.at < oldest
  const since = mark === null ? now - OVERLAP_MS : Math.max(mark.at - OVERLAP_MS, oldest)
  const changes: WikiStep = {
    ...common,
    kind: 'recentchanges',
    since: floorToSecond(since),
    until: null,
  }
  if (!isTooOld) return { steps: [changes], needsSweep: false }
  // Logs are kept for ever, so what the feed has forgotten of deletions and moves is still there.
  const logs = LOG_TYPES.filter((type) => type !== 'suppress').map((type): WikiStep => ({
    ...common,
    kind: 'logevents',
    type,
    since: floorToSecond(mark.at),
    title: null,
  }))
  return { steps: [changes, ...logs], needsSweep: true }
}

function floorToSecond(at: number): number {
  return Math.floor(at / 1000) * 1000
}

/** What the mark has not seen. */
export function freshChanges(changes: readonly PageChange[], mark: FeedMark | null): PageChange[] {
  if (mark === null) return [...changes]
  const seen = new Set(mark.seen)
  return changes.filter(
    ({ at, changeId }) => at >= mark.at - OVERLAP_MS && (changeId === null || !seen.has(changeId)),
  )
}

export function advanceMark(
  mark: FeedMark | null,
  changes: readonly PageChange[],
): FeedMark | null {
  const times = [...changes.map(({ at }) => at), ...(mark === null ? [] : [mark.at])]
  if (times.length === 0) return null
  const at = times.reduce((a, b) => Math.max(a, b))
  const recent = changes.filter((change) => change.at >= at - OVERLAP_MS)
  const numbers = recent.flatMap(({ changeId }) => changeId ?? [])
  const before = mark !== null && mark.at >= at - OVERLAP_MS ? mark.seen : []
  return { at, seen: [...new Set([...before, ...numbers])] }
}
