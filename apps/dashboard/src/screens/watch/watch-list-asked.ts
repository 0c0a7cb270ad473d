/** What the list of watches is asked to show, as the station is asked for it. */
import type { ListQuestion } from '../../components/list/list-rows.ts'
import { sortOf } from '../../components/list/list-state.ts'

/** What the page's list asks for; what is undefined is not asked. */
interface WatchListAsked {
  search?: string | undefined
  category?: string | undefined
  state?: string | undefined
  subject?: string | undefined
  trouble?: string | undefined
  group?: string | undefined
  sort: string
  descending: boolean
  after: string | null
  limit: number
}

/** The station's own words for the columns it sorts by. */
const SORTS: Readonly<Record<string, string>> = {
  name: 'name',
  nextVisit: 'nextVisit',
  lastVisit: 'lastVisit',
  lastChange: 'lastChange',
  visits: 'visits',
  changes: 'changes',
  importance: 'importance',
}

export function listAsked({ text, filters, sort, cursor, limit }: ListQuestion): WatchListAsked {
  const asked = sortOf(sort)
  const key = asked === null ? undefined : SORTS[asked.id]
  return {
    search: text === '' ? undefined : text,
    category: filters['category'],
    state: filters['state'],
    subject: filters['subject'],
    trouble: filters['news'],
    group: filters['group'],
    sort: key ?? 'newest',
    descending: key === undefined || asked!.isDescending,
    after: cursor,
    limit,
  }
}

const DAY_MS = 86_400_000

/**
 * How likely the newest copy is still current: nothing has changed since the last visit with e^−λt,
 * at the mean rate of its addresses. Null while no rate is known.
 */
export function freshnessOf(
  watch: { ratePerDay: number | null; urls: number; lastVisitAt: number | null },
  now: number,
): number | null {
  const { ratePerDay, urls, lastVisitAt } = watch
  if (ratePerDay === null || lastVisitAt === null || urls === 0) return null
  return Math.exp((-(ratePerDay / urls) * Math.max(0, now - lastVisitAt)) / DAY_MS)
}

/**
 * How sure a rate is, from 0 to 1: the interval of a belief that knows nothing spans some six orders
 * of magnitude, that of a page visited for a year less than a factor of two.
 */
export function surenessOf(low: number | null, high: number | null): number | null {
  if (low === null || high === null || low <= 0 || high <= low) return null
  const WIDEST = 6
  return Math.min(1, Math.max(0, 1 - Math.log10(high / low) / WIDEST))
}
