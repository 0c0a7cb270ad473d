/** Step 1 for links: drop what was seen or is out of scope before the database is asked. */
import { FILTERED } from '@minga/frontier'
import { originOf, type GuardPolicy, type ScopeTest } from '@minga/net'
import type { Filter } from '@minga/partition'
import type { CapturedResult, Clock, CollectionSpec, Result } from '@minga/protocol'
import { createFilterAdmission, createLinkAdmission } from '../station/admission.ts'
import { LoopTurns } from '../station/loop-turns.ts'
import type { SeenLinks } from './collection-views.ts'

/** What one result's page points at, filtered by scope and by what is known to be seen. */
export interface FoundLinks {
  links: string[]
  embeds: string[]
  sitemaps: string[]
  redirect: { url: string; isInScope: boolean } | null
  /** How many a filter left out. */
  filtered?: number
  /** How many were beyond the limit of one page. */
  linksDropped?: number
}

export interface CollectionView {
  spec: CollectionSpec
  isInScope: ScopeTest
  seen: Pick<SeenLinks, 'has' | 'add'>
  /** What the collector wants of it; null: everything. */
  filter: Filter | null
}

interface LinkingItem {
  result: Result
  found?: FoundLinks
}

export interface Found {
  refusals: Record<string, string>
  /**
   * To be called once the ingest is durable, with the results it learnt from. The links of a stale
   * result never reached the seen-set: remembered as seen, they would be lost for good.
   */
  remember: (learnt: readonly Result[]) => void
}

export interface Finding {
  views: ReadonlyMap<number, CollectionView>
  guard: GuardPolicy
  /** What the station wants at all; null: everything. */
  station: Filter | null
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>
}

/**
 * Links are many, and patterns of a collection are asked about each: others have their turns in the
 * meantime.
 */
export async function findLinks(
  items: readonly LinkingItem[],
  { views, guard, station, clock }: Finding,
): Promise<Found> {
  const fresh: { seen: CollectionView['seen']; url: string; result: Result }[] = []
  const refusals: Record<string, string> = {}
  const findRefusal = createLinkAdmission(guard)
  const isWanted = createFilterAdmission()
  const turns = new LoopTurns(clock)

  const isNew = (view: CollectionView, url: string, page: Page): boolean => {
    if (view.seen.has(url) || !view.isInScope(url)) return false
    fresh.push({ seen: view.seen, url, result: page.result })
    if (!isWanted(station, url) || !isWanted(view.filter, url)) {
      page.filtered++
      return false
    }
    checkAddress(url, page)
    return true
  }
  const checkAddress = (url: string, page: Page): void => {
    const refusal = findRefusal(url, page.origin)
    if (refusal !== null) refusals[url] = refusal.code
  }
  const shared = { station, isNew, checkAddress, isWanted, refusals, turns }

  for (const item of items) {
    const { result } = item
    const view = views.get(result.collectionId)
    if (result.type !== 'captured' || !view) continue
    item.found = await linksOf(result, { ...shared, view })
  }
  const remember = (learnt: readonly Result[]): void => {
    const known = new Set(learnt)
    for (const { seen, url, result } of fresh) if (known.has(result)) seen.add(url)
  }
  return { refusals, remember }
}

/** Where links were found. */
interface Page {
  result: Result
  origin: string
  /** Links that a filter left out. */
  filtered: number
}

interface Looking {
  view: CollectionView
  station: Filter | null
  isNew: (view: CollectionView, url: string, page: Page) => boolean
  checkAddress: (url: string, page: Page) => void
  isWanted: ReturnType<typeof createFilterAdmission>
  refusals: Record<string, string>
  turns: LoopTurns
}

/** So many are judged between two checks of the time. */
const LINKS_PER_LOOK = 32

async function linksOf(result: CapturedResult, looking: Looking): Promise<FoundLinks> {
  const { view, isNew, turns } = looking
  const isClosed = result.nofollow && view.spec.obeyNofollow
  const page = { result, origin: originOf(result.url), filtered: 0 }
  const wanted = async (urls: readonly string[]): Promise<string[]> => {
    const kept: string[] = []
    for (const [i, url] of urls.entries()) {
      if (isNew(view, url, page)) kept.push(url)
      if (i % LINKS_PER_LOOK === 0) await turns.offer()
    }
    return kept
  }
  return {
    links: isClosed ? [] : await wanted(result.links),
    embeds: isClosed || !view.spec.embeds ? [] : await wanted(result.embeds),
    sitemaps: view.spec.sitemaps ? await wanted(result.sitemaps) : [],
    redirect: redirectOf(result, page, looking),
    filtered: page.filtered,
    linksDropped: isClosed ? 0 : (result.linksDropped ?? 0),
  }
}

/** Redirect targets are never skipped as seen here: the seen-set decides with their hop count. */
function redirectOf(
  { location }: CapturedResult,
  page: Page,
  { view, station, checkAddress, isWanted, refusals }: Looking,
): FoundLinks['redirect'] {
  if (location === null) return null
  checkAddress(location, page)
  const mayFollow = isWanted(station, location)
  if (mayFollow && isWanted(view.filter, location)) {
    return { url: location, isInScope: view.isInScope(location) }
  }
  page.filtered++
  // Clients that wait for this very document get the reason why it ends here.
  if (!mayFollow) refusals[location] ??= FILTERED
  return null
}
