/**
 * Once a day: how many requests the baseline rule would make of each wiki today (a page whose
 * expected gap has passed since its newest revision is requested once), compared with how many
 * keeping it fresh by feeds and sweeps made. Computed from exact times of revisions.
 */
import { isRevisitDue, type ChangeSample } from '@minga/forecast'
import { isMingaError } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { listWikis, type WikiRow } from '@minga/wiki'
import { visitClosedWikis } from '../feeds/forecast-visits.ts'
import { DAY_MS, dayOf, readFeed, writeFeed, type FeedState } from '../feeds/feed-state.ts'
import type { Station } from '../../station/station.ts'

export interface WikiScheduleView {
  wiki: string
  isOn: boolean
  /** When its feed and its pages are asked next. */
  nextPollAt: number
  nextSweepAt: number
  days: { day: string; calls: number; ruleCalls: number | null; saved: number | null }[]
}

/** The newest revisions of each page that the rule asks; `exponential-gap.ts` says how many. */
const SAMPLES = `
  WITH ranked AS (
    SELECT page_id, "at", row_number() OVER (PARTITION BY page_id ORDER BY "at" DESC) AS place,
           count(*) OVER (PARTITION BY page_id) AS total
    FROM revisions)
  SELECT count(*) AS n, max("at") AS newest, min("at") AS oldest
  FROM ranked WHERE place <= greatest(20, total // 10) GROUP BY page_id`
const PAGES_MAX = 10_000_000
const PATIENCE_MS = 60_000

export class WikiSchedule {
  readonly #station: Station
  #day: string | null = null

  constructor(station: Station) {
    this.#station = station
  }

  /** Looks once a day, after midnight (UTC) or when the station starts. */
  async look(): Promise<void> {
    const { store, clock } = this.#station
    const now = clock.now()
    const day = dayOf(now)
    if (day === this.#day) return
    this.#day = day
    for (const { wikiId, key } of await store.call('wikisToSchedule', { day })) {
      const ruleCalls = await this.#ruleCalls(key, now)
      if (ruleCalls !== null) await store.call('noteRuleCalls', { wikiId, day, ruleCalls })
    }
    await visitClosedWikis(this.#station)
  }

  async #ruleCalls(wiki: string, now: number): Promise<number | null> {
    const limits = { rowsMax: PAGES_MAX, timeMs: PATIENCE_MS }
    try {
      const { rows } = await this.#station.revisions.sql([wiki], SAMPLES, [], limits)
      return rows.filter((row) => isRevisitDue(sampleIn(row), now)).length
    } catch (error) {
      // A figure for a report is no reason to stop.
      if (isMingaError(error)) return null
      throw error
    }
  }

  view(): Promise<WikiScheduleView[]> {
    return this.#station.store.call('wikiSchedules', {})
  }
}

function sampleIn(row: readonly unknown[]): ChangeSample {
  const [n, newestAt, oldestAt] = row.map(Number)
  return { n: n!, newestAt: newestAt!, oldestAt: oldestAt! }
}

interface WikiToSchedule {
  wikiId: number
  key: string
}

/** Those that are kept fresh and of which today's figure is not known. */
export async function wikisToSchedule(
  sql: Sql,
  { day }: { day: string },
): Promise<WikiToSchedule[]> {
  const open: WikiToSchedule[] = []
  for (const { wikiId, key } of await listWikis(sql)) {
    const feed = await readFeed(sql, wikiId)
    const today = feed?.days.find((one) => one.day === day)
    if (feed?.isOn && (today?.ruleCalls ?? null) === null) open.push({ wikiId, key })
  }
  return open
}

export async function noteRuleCalls(
  sql: Sql,
  { wikiId, day, ruleCalls }: { wikiId: number; day: string; ruleCalls: number },
): Promise<void> {
  const feed = await readFeed(sql, wikiId)
  if (feed === null) return
  const others = feed.days.filter((one) => one.day !== day)
  const calls = feed.days.find((one) => one.day === day)?.calls ?? 0
  await writeFeed(sql, wikiId, { ...feed, days: [...others, { day, calls, ruleCalls }] })
}

export async function wikiSchedules(sql: Sql): Promise<WikiScheduleView[]> {
  const views: WikiScheduleView[] = []
  for (const { wikiId, key } of await listWikis(sql)) {
    const feed = await readFeed(sql, wikiId)
    if (feed !== null) views.push(viewOf(key, feed))
  }
  return views
}

function viewOf(
  wiki: string,
  { isOn, polledAt, everyMs, sweptAt, days }: FeedState,
): WikiScheduleView {
  return {
    wiki,
    isOn,
    nextPollAt: polledAt + everyMs,
    nextSweepAt: sweptAt + DAY_MS,
    days: days.map(({ day, calls, ruleCalls }) => {
      return { day, calls, ruleCalls, saved: ruleCalls === null ? null : ruleCalls - calls }
    }),
  }
}

/** Those that are kept fresh and have no api.php to ask. */
export async function closedWikis(sql: Sql): Promise<WikiRow[]> {
  const closed: WikiRow[] = []
  for (const wiki of await listWikis(sql)) {
    if (wiki.apiUrl === null && (await readFeed(sql, wiki.wikiId))?.isOn) closed.push(wiki)
  }
  return closed
}
