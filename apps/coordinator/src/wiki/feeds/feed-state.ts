/** How a wiki is kept fresh: what its feed reported last, and when to poll it again. */
import type { Sql } from '@minga/store'
import { z } from 'zod'
import { readFact, writeFact } from '../../station/station-facts.ts'

const MINUTE_MS = 60_000
export const DAY_MS = 1_440 * MINUTE_MS

/** Sooner would be a poll per edit; a wiki that is edited all the time is asked this often. */
const POLL_MIN_MS = 2 * MINUTE_MS
/** A quiet wiki is asked this often: a day's silence costs 24 requests. */
const POLL_MAX_MS = 60 * MINUTE_MS
const POLL_FIRST_MS = 5 * MINUTE_MS

const feedState = z.object({
  isOn: z.boolean().default(true),
  /** The collection in which it asks. */
  collectionId: z.number().nullable().default(null),
  /** Number of the last poll or sweep; it tells their requests apart. */
  run: z.number().default(0),
  /** Everything up to here is known, and these of what came last. */
  mark: z
    .object({ at: z.number(), seen: z.array(z.number()) })
    .nullable()
    .default(null),
  everyMs: z.number().default(POLL_FIRST_MS),
  polledAt: z.number().default(0),
  sweptAt: z.number().default(0),
  /** Namespaces of which every page is wanted, so that new ones are, too. */
  follows: z.array(z.number()).default([]),
  /** Requests and changes of wanted pages since the last poll began. */
  requests: z.number().default(0),
  changes: z.number().default(0),
  /** Requests that the last poll took: a wiki that is edited a lot is swept instead. */
  lastPollRequests: z.number().default(0),
  /** Where the stream of events continues, for wikis that have one. */
  lastEventId: z.string().nullable().default(null),
  /** By day (UTC): requests made, and pages that the baseline rule would have requested. */
  days: z
    .array(z.object({ day: z.string(), calls: z.number(), ruleCalls: z.number().nullable() }))
    .default([]),
})
export type FeedState = z.infer<typeof feedState>

const nameOf = (wikiId: number): string => `wiki-feed ${wikiId}`
const DAYS_KEPT = 60

/** Null when the wiki is not to be kept fresh. */
export async function readFeed(sql: Sql, wikiId: number): Promise<FeedState | null> {
  const value = await readFact(sql, { name: nameOf(wikiId) })
  return value === null ? null : feedState.parse(JSON.parse(value))
}

export async function writeFeed(sql: Sql, wikiId: number, feed: FeedState): Promise<void> {
  const days = feed.days.slice(-DAYS_KEPT)
  await writeFact(sql, { name: nameOf(wikiId), value: JSON.stringify({ ...feed, days }) })
}

export const NEW_FEED: FeedState = feedState.parse({})

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** One more request today. */
export function withCall(feed: FeedState, now: number): FeedState {
  const day = dayOf(now)
  const today = feed.days.find((one) => one.day === day)
  if (today === undefined) {
    return { ...feed, days: [...feed.days, { day, calls: 1, ruleCalls: null }] }
  }
  const days = feed.days.map((one) => (one.day === day ? { ...one, calls: one.calls + 1 } : one))
  return { ...feed, days }
}

/** Twice as often after news of wanted pages, half as often again without. */
export function pollPauseMs({ everyMs, changes }: Pick<FeedState, 'everyMs' | 'changes'>): number {
  const next = changes > 0 ? everyMs / 2 : everyMs * 1.5
  return Math.round(Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, next)))
}
