/**
 * Keeps wikis fresh: their feeds are polled every few minutes, more often where wanted pages
 * change; once a day a sweep finds what no feed reported. A wiki with few wanted pages is swept
 * instead of polled, because fifty pages cost one request. All of it goes through the same pipeline
 * as every other request.
 */
import { openCollection } from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import { collectionSpec } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { planPoll, type Ticket } from '@minga/wiki'
import { DAY_MS, NEW_FEED, pollPauseMs, readFeed, writeFeed, type FeedState } from './feed-state.ts'
import { queueSteps } from '../tasks/queue-steps.ts'
import { sweepSteps } from '../tasks/update-steps.ts'
import { wikiOfId, type WikiOfCollection } from '../wiki-of-collection.ts'

interface Tending {
  guard: GuardPolicy
  now: number
}

/** Pages of one `titles` step. */
const PAGES_PER_STEP = 50
const RETRIES = 6

/** Answers whether there is something new to fetch. */
export async function advanceFeeds(sql: Sql, args: Tending): Promise<boolean> {
  const wikis = await sql.all<{ id: number }>('SELECT id FROM wikis ORDER BY id')
  let hasNew = false
  for (const { id } of wikis) {
    const feed = await readFeed(sql, id)
    if (feed === null || !feed.isOn) continue
    if (args.now < Math.min(feed.polledAt + feed.everyMs, feed.sweptAt + DAY_MS)) continue
    const wiki = await wikiOfId(sql, id)
    // Where api.php is closed there is no feed to ask; see forecast-visits.ts.
    if (wiki === null || wiki.site.apiUrl === null) continue
    if (await askFeed(sql, { wiki, feed, ...args })) hasNew = true
  }
  return hasNew
}

interface Asking extends Tending {
  wiki: WikiOfCollection
  feed: FeedState
}

async function askFeed(sql: Sql, { wiki, feed, guard, now }: Asking): Promise<boolean> {
  const collectionId = await feedCollection(sql, { wiki, feed, guard, now })
  const busy = await sql.get<{ queued: number }>('SELECT queued FROM collections WHERE id = ?', [
    collectionId,
  ])
  // The last poll is not over: the site is slow or asked for a pause.
  if ((busy?.queued ?? 0) > 0) return false
  const run = feed.run + 1
  const ticket: Ticket = { run, task: 0, attempt: 0 }
  const poll = planPoll(feed.mark, now, { site: wiki.site, ticket })
  const isSweep =
    poll.needsSweep ||
    now >= feed.sweptAt + DAY_MS ||
    (await isSweepCheaper(sql, wiki.wikiId, feed))
  const steps = isSweep ? await sweepSteps(sql, { wiki, ticket }) : poll.steps
  await writeFeed(sql, wiki.wikiId, {
    ...feed,
    collectionId,
    run,
    polledAt: now,
    sweptAt: isSweep ? now : feed.sweptAt,
    everyMs: feed.run === 0 ? feed.everyMs : pollPauseMs(feed),
    lastPollRequests: feed.requests,
    requests: 0,
    changes: 0,
  })
  await queueSteps(sql, { collectionId, steps, guard })
  await wakeFeed(sql, collectionId)
  return steps.length > 0
}

/** It rests when nothing of it is queued. */
export async function wakeFeed(sql: Sql, collectionId: number): Promise<void> {
  await sql.run(
    `UPDATE collections SET state = 'running', reason = NULL, ended_at = NULL
     WHERE id = ? AND state = 'finished'`,
    [collectionId],
  )
}

async function isSweepCheaper(sql: Sql, wikiId: number, feed: FeedState): Promise<boolean> {
  if (feed.follows.length > 0) return false
  const row = await sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM wiki_pages WHERE wiki_id = ?',
    [wikiId],
  )
  // A poll is a question to the feed and one to the logs, at least.
  return Math.ceil((row?.n ?? 0) / PAGES_PER_STEP) < Math.max(2, feed.lastPollRequests)
}

async function isPrivate(sql: Sql, wikiId: number): Promise<boolean> {
  const text = `SELECT 1 FROM wikis WHERE id = ? AND visibility = 'private'`
  return (await sql.get(text, [wikiId])) !== undefined
}

export async function feedCollection(
  sql: Sql,
  { wiki, feed, guard, now }: Asking,
): Promise<number> {
  if (feed.collectionId !== null) return feed.collectionId
  const { id } = await openCollection(sql, {
    identity: `wiki feed ${wiki.wikiId}`,
    spec: collectionSpec.parse({
      kind: 'wiki',
      seeds: [wiki.site.apiUrl ?? wiki.site.base],
      scope: 'page',
      retries: RETRIES,
      sitemaps: false,
      embeds: false,
      trapBudget: false,
      wiki: { id: wiki.wikiId, task: null },
    }),
    visibility: (await isPrivate(sql, wiki.wikiId)) ? 'private' : 'shared',
    allowPrivateAddresses: guard.allowPrivateAddresses,
    now,
  })
  return id
}

/** From the end of its first extraction on a wiki is kept fresh by default. */
export async function followWiki(
  sql: Sql,
  args: { wikiId: number; namespaces: readonly number[]; since: number; now: number },
): Promise<void> {
  const feed = (await readFeed(sql, args.wikiId)) ?? {
    ...NEW_FEED,
    polledAt: args.now,
    sweptAt: args.now,
    // Pages that were extracted first may have changed before the last one was.
    mark: { at: args.since, seen: [] },
  }
  const follows = [...new Set([...feed.follows, ...args.namespaces])].toSorted((a, b) => a - b)
  await writeFeed(sql, args.wikiId, { ...feed, follows })
}

export async function setWikiFeed(
  sql: Sql,
  args: { wikiId: number; isOn: boolean },
): Promise<FeedState> {
  const feed = { ...((await readFeed(sql, args.wikiId)) ?? NEW_FEED), isOn: args.isOn }
  await writeFeed(sql, args.wikiId, feed)
  return feed
}
