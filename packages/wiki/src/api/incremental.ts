/** What to ask a wiki for when something of a page is stored already. */
import type { SiteInfo } from '../model.ts'
import { apiOf, listOfIds, revisionsByIds, wholeHistory } from './plan-steps.ts'
import type { PageNews, WikiEvent } from './wiki-news.ts'
import type { Ticket, WikiStep } from './wiki-step.ts'

export interface StoredPage {
  lastRevId: number | null
  /** Time of its newest revision. */
  newestAt: number | null
  revisions: number
  /** Its history was read to the end and has no gap that asking again could fill. */
  isComplete: boolean
}

interface PagePlan {
  page: Pick<PageNews, 'pageId' | 'lastRevId'>
  stored: StoredPage | null
  site: SiteInfo
  ticket: Ticket
}

/**
 * What to ask for a page. Numbers of revisions do not follow time (imports and undeletions bring old ones
 * with high numbers), so news is asked for by time, the newest stored second included. Where the numbers
 * contradict that, the wiki's whole list tells what is missing.
 */
export function planPage({ page, stored, site, ticket }: PagePlan): WikiStep[] {
  const { pageId, lastRevId } = page
  if (stored === null || stored.revisions === 0 || stored.newestAt === null) {
    return [wholeHistory(site, pageId, ticket)]
  }
  if (!stored.isComplete) return [listOfIds(site, pageId, ticket)]
  if (lastRevId === null) return [{ ...wholeHistory(site, pageId, ticket), since: stored.newestAt }]
  if (lastRevId === stored.lastRevId) return []
  // The newest went back: it was deleted, merged away, or the page was replaced.
  if (stored.lastRevId !== null && lastRevId < stored.lastRevId)
    return [listOfIds(site, pageId, ticket)]
  return [{ ...wholeHistory(site, pageId, ticket), since: stored.newestAt }]
}

/** After an entry of the log: what changed without an edit that a newest revision would show. */
export function planEvent(event: WikiEvent, site: SiteInfo, ticket: Ticket): WikiStep[] {
  const { kind, pageId, revIds, title, newTitle } = event
  if (pageId !== null && kind === 'hidden' && revIds.length > 0) {
    return revisionsByIds(site, { pageId, revIds }, ticket)
  }
  const common = { kind: 'titles', api: apiOf(site), isFollowing: false, more: {}, ticket } as const
  const names = [title, newTitle].filter((name) => name !== null)
  const byName: WikiStep = { ...common, by: 'titles', of: names }
  const isRewritten = kind === 'restored' || kind === 'merged' || kind === 'imported'
  if (pageId === null) return [byName]
  if (isRewritten) return [listOfIds(site, pageId, ticket), byName]
  const byId: WikiStep = { ...common, by: 'pageids', of: [String(pageId)] }
  // A move leaves a redirect at the old title, of which no feed tells.
  return kind === 'moved' ? [byId, byName] : [byId]
}
