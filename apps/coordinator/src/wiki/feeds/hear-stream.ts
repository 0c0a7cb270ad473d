/** What was heard in the stream of events, in the transaction that keeps the place in it. */
import type { GuardPolicy } from '@minga/net'
import type { Sql } from '@minga/store'
import { isWikimediaHost, listWikis, noteEvents, type EventNote, type WikiEvent } from '@minga/wiki'
import { writeFact } from '../../station/station-facts.ts'
import { queueSteps } from '../tasks/queue-steps.ts'
import type { HeardChange } from './event-stream.ts'
import { readFeed, writeFeed } from './feed-state.ts'
import { stepsForChanges } from './note-feed.ts'
import { feedCollection, wakeFeed } from './advance-feeds.ts'

interface Hearing {
  changes: readonly HeardChange[]
  lastEventId: string | null
  guard: GuardPolicy
  now: number
}

const hostOf = (base: string): string => URL.parse(base)?.host ?? ''

/** Hosts of wikis that are kept fresh and of which the stream tells. */
export async function streamedHosts(sql: Sql): Promise<string[]> {
  const hosts: string[] = []
  for (const { wikiId, site } of await listWikis(sql)) {
    const host = hostOf(site.base)
    if (isWikimediaHost(host) && (await readFeed(sql, wikiId))?.isOn) hosts.push(host)
  }
  return hosts
}

/** Answers whether there is something new to fetch. */
export async function hearStream(sql: Sql, args: Hearing): Promise<boolean> {
  const { guard, now } = args
  let queued = 0
  for (const { wikiId, key, site } of await listWikis(sql)) {
    const heard = args.changes.filter(({ host }) => host === hostOf(site.base))
    const feed = heard.length === 0 ? null : await readFeed(sql, wikiId)
    if (feed === null || !feed.isOn) continue
    const wiki = { wikiId, key, site }
    const run = feed.run + 1
    const ticket = { run, task: 0, attempt: 0 }
    const changes = heard.flatMap(({ change }) => change ?? [])
    const events = heard.flatMap(({ event }) => event ?? [])
    await noteEvents(sql, { wikiId, events: events.map(eventNoteOf), now })
    const steps = await stepsForChanges(sql, { wiki, feed, changes, events, ticket })
    if (steps.length === 0) continue
    const collectionId = await feedCollection(sql, { wiki, feed, guard, now })
    await writeFeed(sql, wikiId, { ...feed, run, collectionId })
    queued += await queueSteps(sql, { collectionId, steps, guard })
    await wakeFeed(sql, collectionId)
  }
  if (args.lastEventId !== null) {
    await writeFact(sql, { name: 'wiki-stream', value: args.lastEventId })
  }
  return queued > 0
}

/** An entry of the wiki's log as it is kept. */
export function eventNoteOf(event: WikiEvent): EventNote {
  const { kind, at, logId, pageId, title, ...details } = event
  return { kind, at, logId: logId ?? 0, pageId, title, details }
}
