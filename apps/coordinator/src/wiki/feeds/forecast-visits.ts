/**
 * Wikis whose api.php is closed have no feed, and checking a page costs as much as fetching it.
 * There forecasts decide: pages that have changed as likely as not are extracted again, by the
 * pipeline and with the arguments of the task that brought them.
 */
import type { Revisions } from '@minga/wiki'
import { chanceOfChange, isBursting, newBelief, observeChanges, rateOf } from '@minga/forecast'
import type { Station } from '../../station/station.ts'

interface PageTimes {
  title: string
  lookedAt: number
  times: number[]
}

const TIMES = `
  SELECT p.title, p.last_at, list(r."at" ORDER BY r."at") AS times
  FROM revisions r JOIN pages p ON p.wiki = r.wiki AND p.page_id = r.page_id
  WHERE p.state IN ('complete', 'gapped') AND p.last_at IS NOT NULL GROUP BY ALL`
const LIMITS = { rowsMax: 1_000_000, timeMs: 60_000 }
/** Of one wiki a day. */
const PAGES_MAX = 1_000

export async function visitClosedWikis(station: Station): Promise<void> {
  const { store, clock } = station
  const closed = await store.call('closedWikis', {})
  for (const { wikiId, key } of closed) {
    const now = clock.now()
    const due = (await pageTimes(station.revisions, key))
      .map(({ title, times, lookedAt }) => {
        return { title, ...forecastPage(times, { lookedAt, now }) }
      })
      .filter(({ dueAt }) => dueAt <= now)
      .toSorted((a, b) => b.chance - a.chance)
    if (due.length === 0) continue
    const pages = due.slice(0, PAGES_MAX).map(({ title }) => title)
    const [former] = await store.call('wikiListTasks', {
      wikiId,
      kind: 'extract',
      states: ['done'],
      limit: 1,
    })
    if (former === undefined) continue
    const { arguments: given, limits } = former
    const chosen = { ...given, pages, pageIds: [], categories: [], namespaces: [], all: false }
    await store.call('openWikiTask', { wikiId, kind: 'extract', arguments: chosen, limits, now })
  }
}

async function pageTimes(revisions: Revisions, wiki: string): Promise<PageTimes[]> {
  const { rows } = await revisions.sql([wiki], TIMES, [], LIMITS)
  return rows.map(([title, lookedAt, times]) => ({
    title: String(title),
    lookedAt: Number(lookedAt),
    times: (Array.isArray(times) ? times : ((times as { items?: unknown[] })?.items ?? [])).map(
      Number,
    ),
  }))
}

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Even odds: sooner would mostly find nothing, later would mostly be late. */
const DUE_CHANCE = 0.5
/** Planning further ahead has no use. */
const HORIZON_DAYS = 365

interface PageForecast {
  /** Edits a day, and where the true rate lies nine times in ten. */
  perDay: number
  low: number
  high: number
  isBursting: boolean
  /** How likely there is something new by now. */
  chance: number
  /** When that is as likely as not. */
  dueAt: number
}

/**
 * When a page is likely to have changed, from the exact times of its revisions: the belief of
 * packages/forecast, fed week by week so that what is old is forgotten as it would have been.
 * `times` are sorted, `lookedAt` is when the page was asked for last.
 */
export function forecastPage(
  times: readonly number[],
  { lookedAt, now }: { lookedAt: number; now: number },
): PageForecast {
  const belief = newBelief()
  const [first] = times
  let at = 0
  for (let from = first ?? lookedAt; from < lookedAt; from += WEEK_MS) {
    const until = Math.min(from + WEEK_MS, lookedAt)
    const seen: number[] = []
    for (; at < times.length && times[at]! <= until; at++) seen.push(times[at]!)
    observeChanges(belief, { at: until, count: seen.length, spanMs: until - from, times: seen })
  }
  const { perDay, low, high } = rateOf(belief)
  const isLikely = (to: number): boolean => chanceOfChange(belief, lookedAt, to) >= DUE_CHANCE
  let days = 1 / 24
  while (days < HORIZON_DAYS && !isLikely(lookedAt + days * DAY_MS)) days *= 1.1
  return {
    perDay,
    low,
    high,
    isBursting: isBursting(belief),
    chance: chanceOfChange(belief, lookedAt, now),
    dueAt: Math.round(lookedAt + days * DAY_MS),
  }
}
