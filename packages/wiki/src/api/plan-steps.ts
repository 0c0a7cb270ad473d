/** The first steps for what a user asks, and the steps that histories are read with. */
import type { SiteInfo } from '../model.ts'
import { NoSuchWiki } from '../errors.ts'
import { hasSlots } from './read-site.ts'
import {
  LIST_LIMIT,
  portionsOf,
  TITLES_LIMIT,
  type IdsStep,
  type RevisionsStep,
  type Ticket,
  type TitlesStep,
  type WikiStep,
} from './wiki-step.ts'
import { CATEGORY_NS, normaliseTitle } from './wiki-title.ts'

export interface WantedPages {
  titles?: readonly string[]
  pageIds?: readonly number[]
  revIds?: readonly number[]
  categories?: readonly { title: string; depth: number }[]
  namespaces?: readonly number[]
  /** False for pages that are known already: a redirect is then a page like any other. */
  isFollowing?: boolean
}

export function stepsForPages(site: SiteInfo, wanted: WantedPages, ticket: Ticket): WikiStep[] {
  const api = apiOf(site)
  const isFollowing = wanted.isFollowing ?? true
  const lists: [TitlesStep['by'], readonly string[]][] = [
    ['titles', wanted.titles ?? []],
    ['pageids', (wanted.pageIds ?? []).map(String)],
    ['revids', (wanted.revIds ?? []).map(String)],
  ]
  const byName = lists.flatMap(([by, items]) =>
    portionsOf([...new Set(items)]).map((of): WikiStep => ({
      kind: 'titles',
      api,
      by,
      of,
      isFollowing,
      more: {},
      ticket,
    })),
  )
  const common = { api, limit: LIST_LIMIT, more: {}, ticket }
  return [
    ...byName,
    ...(wanted.categories ?? []).map((each): WikiStep => ({
      ...common,
      kind: 'category',
      title: categoryTitle(site, each.title),
      depth: each.depth,
    })),
    ...(wanted.namespaces ?? []).map((ns): WikiStep => ({ ...common, kind: 'allpages', ns })),
  ]
}

/** People say `Birds` where wikis say `Category:Birds`, in English or in their own language. */
function categoryTitle(site: SiteInfo, title: string): string {
  const known = normaliseTitle(title, site)
  const isFull = typeof known === 'string' || known.ns === CATEGORY_NS
  return isFull ? title : `Category:${title}`
}

/** A whole wiki: all that has pages of its own. */
export function allNamespaces(site: SiteInfo): number[] {
  return site.namespaces.map(({ id }) => id).filter((id) => id >= 0)
}

export function apiOf(site: SiteInfo): string {
  if (site.apiUrl === null) throw NoSuchWiki.named(site.base, [])
  return site.apiUrl
}

export function wholeHistory(site: SiteInfo, pageId: number, ticket: Ticket): RevisionsStep {
  return {
    kind: 'revisions',
    api: apiOf(site),
    pageId,
    hasSlots: hasSlots(site),
    order: 'oldest-first',
    since: null,
    limit: site.rvLimit,
    withText: true,
    soFar: 0,
    reached: null,
    more: {},
    ticket,
  }
}

export function listOfIds(site: SiteInfo, pageId: number, ticket: Ticket): IdsStep {
  return {
    kind: 'ids',
    api: apiOf(site),
    pageId,
    hasSlots: hasSlots(site),
    limit: LIST_LIMIT,
    soFar: 0,
    reached: null,
    more: {},
    ticket,
  }
}

/** Revisions by number, in portions. */
export function revisionsByIds(
  site: SiteInfo,
  { pageId, revIds }: { pageId: number; revIds: readonly number[] },
  ticket: Ticket,
): WikiStep[] {
  const common = { kind: 'byIds', api: apiOf(site), pageId, hasSlots: hasSlots(site) } as const
  const portions = Math.ceil(revIds.length / TITLES_LIMIT)
  return Array.from({ length: portions }, (_, at) => ({
    ...common,
    revIds: revIds.slice(at * TITLES_LIMIT, (at + 1) * TITLES_LIMIT),
    more: {},
    ticket,
  }))
}
