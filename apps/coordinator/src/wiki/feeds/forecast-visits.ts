/**
 * Wikis whose api.php is closed have no feed, and checking a page costs as much as fetching it.
 * There forecasts decide: pages that have changed as likely as not are extracted again, by the
 * pipeline and with the arguments of the task that brought them.
 */
import type { Revisions } from '@minga/wiki'
import { forecastPage } from './page-forecast.ts'
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
