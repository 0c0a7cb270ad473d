/** What feeds and sitemaps report about watched pages, and feeds that pages name. */
import { urlHash } from '@minga/frontier'
import { canonicalUrl, guardUrl, type GuardPolicy } from '@minga/net'
import type { Sql } from '@minga/store'
import type { WebsubView } from '@minga/protocol'
import { watchesOf, type WatchRow } from '../plan/forecast-rows.ts'
import { watchUrls } from '../create-watch.ts'
import { knownPlaces } from '../watch-places.ts'
import { watchToChange } from '../watch-rows.ts'
import { mainRow, takeNotices } from './notices.ts'
import type { SourceDocument } from './listen.ts'
import { momentOf } from './reported-changes.ts'

export interface ToldItem {
  /** Another whenever the item changes. */
  key: string
  url: string | null
  updatedAt: number | null
}

type Place = Pick<SourceDocument, 'collectionId' | 'hostId' | 'hash'>

export interface ReadSource extends Place {
  role: 'feed' | 'sitemap'
  digest: string
  items: readonly ToldItem[]
  problems: readonly string[]
  now: number
}

/** Longer lists are judged by their dates alone. */
const SEEN_MAX = 20_000

/**
 * What is in a source now and was not when it was read last is news. At the first reading all would
 * be: it is only remembered. Answers how many pages are visited sooner.
 */
export async function noteSource(sql: Sql, args: ReadSource): Promise<number> {
  const { collectionId, hostId, hash, items, now } = args
  const watch = (await watchesOf(sql, [collectionId])).get(collectionId)
  if (watch === undefined) return 0
  const former = await sql.get<{ seen: string; read_at: number }>(
    `SELECT seen, read_at FROM watch_sources WHERE collection_id = ? AND host_id = ? AND hash = ?`,
    [collectionId, hostId, hash],
  )
  await sql.insertMany({
    table: 'watch_sources',
    columns: [...PLACE, 'digest', 'seen', 'items', 'problems', 'read_at'],
    rows: [
      [
        collectionId,
        hostId,
        hash,
        args.digest,
        JSON.stringify(items.slice(0, SEEN_MAX).map(({ key }) => urlHash(key))),
        items.length,
        JSON.stringify(args.problems),
        now,
      ],
    ],
    onConflict: { keys: PLACE, update: ['digest', 'seen', 'items', 'problems', 'read_at'] },
  })
  if (former === undefined) return 0
  const seen = new Set(JSON.parse(former.seen) as number[])
  const fresh = items.filter(({ key, updatedAt }, i) =>
    i < SEEN_MAX ? !seen.has(urlHash(key)) : updatedAt !== null && updatedAt > former.read_at,
  )
  if (fresh.length === 0) return 0
  return tellOf(sql, watch, { ...args, items: fresh, quietUntil: former.read_at })
}

const PLACE = ['collection_id', 'host_id', 'hash']

/** News of a page that is watched is its own; any other news of a page's or a site's feed means that
 * the page or site itself has something new. */
async function tellOf(
  sql: Sql,
  watch: WatchRow,
  args: ReadSource & { quietUntil: number },
): Promise<number> {
  const { collectionId, now, role } = args
  const dated = new Map<string, number | null>()
  for (const { url, updatedAt } of args.items) if (url !== null) dated.set(url, updatedAt)
  const known = await knownPlaces(sql, { collectionId, urls: [...dated.keys()] })
  const visits = await sql.selectMany<{ last_visit_at: number | null }>({
    table: 'forecasts',
    keys: PLACE,
    rows: known.map(({ hostId, hash }) => [collectionId, hostId, hash]),
    columns: ['last_visit_at'],
  })
  // What was visited since it changed is known already.
  const urls = known
    .filter(({ url }, i) => (dated.get(url) ?? now) >= (visits[i]?.last_visit_at ?? 0))
    .map(({ url }) => url)
  const hasOthers = watch.subject !== 'list' && known.length < args.items.length
  const main = hasOthers ? await mainRow(sql, watch) : null
  const isItself = main?.host_id === args.hostId && main.hash === args.hash
  const all = main === null || isItself ? urls : [...new Set([...urls, main.url])]
  if (all.length === 0) return 0
  const latest = args.items.reduce((most, { updatedAt }) => Math.max(most, updatedAt ?? 0), 0)
  const moments = Object.fromEntries(
    all.map((url) => [url, momentOf(dated.has(url) ? dated.get(url)! : latest, args)]),
  )
  return (await takeNotices(sql, { collectionId, urls: all, source: role, now, moments })).early
}

/** A hub has sent what is new: of pages that are watched, and of the page or site they are on. */
export async function takePush(
  sql: Sql,
  args: { collectionId: number; urls: readonly string[]; now: number },
): Promise<void> {
  const watch = (await watchesOf(sql, [args.collectionId])).get(args.collectionId)
  if (watch === undefined) return
  const known = await knownPlaces(sql, args)
  const main = watch.subject === 'list' ? null : await mainRow(sql, watch)
  const urls = [...known.map(({ url }) => url), ...(main === null ? [] : [main.url])]
  await takeNotices(sql, { ...args, urls: [...new Set(urls)], source: 'websub' })
}

/** Sources that a watch follows; more would cost more than they tell. */
const FEEDS_MAX = 3
const SITEMAPS_MAX = 3

export interface FoundSources {
  collectionId: number
  hostId: number
  /** Of the page, which a redirect may have led to. */
  url: string
  /** Canonical. */
  feeds: readonly string[]
  guard: GuardPolicy
  now: number
}

/** Feeds that a page names, and sitemaps that its robots.txt does, are visited from now on. */
export async function addSources(sql: Sql, args: FoundSources): Promise<number> {
  const watch = (await watchesOf(sql, [args.collectionId])).get(args.collectionId)
  if (watch === undefined) return 0
  const { collectionId, settings } = watch
  const sitemaps = watch.subject === 'site' ? await sitemapsOf(sql, args.hostId) : []
  let added = 0
  for (const [role, found, most] of [
    ['feed', args.feeds, FEEDS_MAX],
    ['sitemap', sitemaps, SITEMAPS_MAX],
  ] as const) {
    const there = await sql.get<{ count: number }>(
      'SELECT COUNT(*) AS count FROM forecasts WHERE collection_id = ? AND role = ?',
      [collectionId, role],
    )
    const urls = found
      .map((text) => canonicalUrl(text, args.url))
      .filter((url) => url !== null && guardUrl(url, args.guard) === null)
      .slice(0, Math.max(0, most - there!.count))
      .map((url) => ({ url: url!, role }))
    added += await watchUrls(sql, { collectionId, settings, urls, now: args.now })
  }
  return added
}

async function sitemapsOf(sql: Sql, hostId: number): Promise<string[]> {
  const rows = await sql.all<{ rules: string | null }>(
    'SELECT rules FROM robots WHERE host_id = ?',
    [hostId],
  )
  return rows.flatMap(({ rules }) =>
    rules === null ? [] : ((JSON.parse(rules) as { sitemaps?: string[] }).sitemaps ?? []),
  )
}

/** A new secret ends the former one. */
export async function setWatchHook(
  sql: Sql,
  args: { id: number; owner: string | null; by: string; hash: string; now: number },
): Promise<void> {
  const { id } = await watchToChange(sql, args)
  await sql.insertMany({
    table: 'watch_hooks',
    columns: ['collection_id', 'hash', 'made_at', 'made_by'],
    rows: [[id, args.hash, args.now, args.by]],
    onConflict: { keys: ['collection_id'], update: ['hash', 'made_at', 'made_by'] },
  })
}

export async function dropWatchHook(
  sql: Sql,
  args: { id: number; owner: string | null },
): Promise<void> {
  const { id } = await watchToChange(sql, args)
  await sql.run('DELETE FROM watch_hooks WHERE collection_id = ?', [id])
}

export async function isWatchHook(sql: Sql, args: { id: number; hash: string }): Promise<boolean> {
  const row = await sql.get(
    'SELECT 1 AS one FROM watch_hooks WHERE collection_id = ? AND hash = ?',
    [args.id, args.hash],
  )
  return row !== undefined
}

export function watchHubs(sql: Sql, args: { id: number }): Promise<WebsubView[]> {
  return sql.all<WebsubView>(
    `SELECT topic, hub, state, lease_until AS "leaseUntil", problem FROM websub_subscriptions
     WHERE collection_id = ? ORDER BY topic`,
    [args.id],
  )
}
