/** What a feed of changes leads to: pages that are wanted and were changed are extracted again. */
import type { Sql } from '@minga/store'
import {
  advanceMark,
  freshChanges,
  listOfIds,
  pageRows,
  planEvent,
  stepsForPages,
  type PageChange,
  type Ticket,
  type WikiEvent,
  type WikiStep,
} from '@minga/wiki'
import { NEW_FEED, readFeed, withCall, writeFeed, type FeedState } from './feed-state.ts'
import type { WikiAnswerNoted } from '../read/note-wiki.ts'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

interface Hearing {
  wiki: WikiOfCollection
  answer: WikiAnswerNoted
  /** It is for the feed itself; an update asks the feed as well. */
  isFeed: boolean
}

export async function noteFeed(sql: Sql, args: Hearing): Promise<WikiStep[]> {
  const { wiki, answer, isFeed } = args
  const { wikiId } = wiki
  const { news, step } = answer.reading
  // A log that is read to explain a gap tells nothing new.
  const isPoll =
    step.kind === 'recentchanges' || (step.kind === 'logevents' && !step.ticket.attempt)
  if (!isFeed && !isPoll) return []
  const feed = (await readFeed(sql, wikiId)) ?? { ...NEW_FEED, isOn: false }
  const fresh = freshChanges(news.changes, feed.mark)
  const steps = await stepsForChanges(sql, {
    wiki,
    feed,
    changes: fresh,
    events: news.events,
    ticket: step.ticket,
  })
  await writeFeed(sql, wikiId, {
    ...withCall(feed, answer.now),
    requests: feed.requests + (isPoll ? 1 : 0),
    changes: feed.changes + steps.length,
    // Feeds are read oldest first: what was heard is known, whatever becomes of the rest.
    mark: advanceMark(feed.mark, news.changes),
  })
  return steps
}

interface Choosing {
  wiki: WikiOfCollection
  feed: FeedState
  changes: readonly PageChange[]
  events: readonly WikiEvent[]
  ticket: Ticket
}

/** Of pages that are stored, or of namespaces that are followed whole. Some feeds know titles alone. */
export async function stepsForChanges(sql: Sql, args: Choosing): Promise<WikiStep[]> {
  const { wiki, feed, changes, events, ticket } = args
  const all = [...changes, ...events]
  const rows = await pageRows(sql, {
    wikiId: wiki.wikiId,
    pageIds: [...new Set(all.flatMap(({ pageId }) => pageId ?? []))],
    titles: [...new Set(all.flatMap(({ pageId, title }) => (pageId === null ? title : [])))],
  })
  const ids = new Set(rows.map(({ pageId }) => pageId))
  const titles = new Set(rows.map(({ title }) => title))
  const isWanted = ({ pageId, ns, title }: Named): boolean =>
    feed.follows.includes(ns) || (pageId === null ? titles.has(title) : ids.has(pageId))
  const wanted = changes.filter(isWanted)
  const byId = wanted.flatMap(({ pageId }) => pageId ?? [])
  const byTitle = wanted.flatMap(({ pageId, title }) => (pageId === null ? title : []))
  const grown = await pageRows(sql, { wikiId: wiki.wikiId, titles: mergedInto(events) })
  return [
    ...stepsForPages(wiki.site, { pageIds: byId, titles: byTitle, isFollowing: false }, ticket),
    ...events.filter(isWanted).flatMap((event) => planEvent(event, wiki.site, ticket)),
    ...grown.map(({ pageId }) => listOfIds(wiki.site, pageId, ticket)),
  ]
}

/** The log names the page that lost revisions; the one that gained them has the same newest one as before. */
function mergedInto(events: readonly WikiEvent[]): string[] {
  const merges = events.filter(({ kind }) => kind === 'merged')
  return [...new Set(merges.flatMap(({ newTitle }) => newTitle ?? []))]
}

type Named = Pick<PageChange, 'pageId' | 'ns' | 'title'>
