/** Changes a watch and its next visit manually, and undoes changes. */
import { cancelQueued } from '@minga/frontier'
import type { WatchDetail, WatchSettings, WatchSubject } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { requireCategory } from './categories.ts'
import { SETTING_COLUMNS, settingValues, watchUrls } from './create-watch.ts'
import { replanWatch } from './plan/replan.ts'
import { NothingToUndo, WatchRefused } from './watch-errors.ts'
import { knownPlaces, type WatchedUrl } from './watch-places.ts'
import { watchDetail, watchToChange, type WatchRow } from './watch-rows.ts'
import { lastEdit, noteTrail } from './watch-trail.ts'

export interface WatchChange {
  id: number
  /** Whose watches may be changed; null: everyone's. */
  owner: string | null
  by: string
  settings: Partial<WatchSettings>
  /** Judged and canonical, all of them. */
  addUrls: readonly string[]
  addFeeds: readonly string[]
  addSitemaps: readonly string[]
  removeUrls: readonly string[]
  now: number
}

export async function changeWatch(sql: Sql, args: WatchChange): Promise<WatchDetail> {
  const row = await watchToChange(sql, args)
  const settings = { ...row.settings, ...args.settings }
  const { before, after } = differenceOf(row.settings, settings)
  const entry = { collectionId: row.id, by: args.by, now: args.now }
  if (Object.keys(after).length > 0) {
    await writeSettings(sql, { row, settings, changed: Object.keys(after), now: args.now })
    await noteTrail(sql, { ...entry, kind: 'edited', before, after })
  }
  await changeUrls(sql, { ...args, row, settings })
  return watchDetail(sql, { id: row.id })
}

/** Takes back the newest change that still holds; called again, the one before it. */
export async function undoWatch(
  sql: Sql,
  args: { id: number; owner: string | null; by: string; now: number },
): Promise<WatchDetail> {
  const row = await watchToChange(sql, args)
  const edit = await lastEdit(sql, row.id)
  if (edit === null) throw new NothingToUndo(row.id)
  const settings = { ...row.settings, ...(edit.before as Partial<WatchSettings>) }
  await writeSettings(sql, { row, settings, changed: Object.keys(edit.before), now: args.now })
  await sql.run('UPDATE watch_trail SET undone_at = ?, undone_by = ? WHERE id = ?', [
    args.now,
    args.by,
    edit.id,
  ])
  return watchDetail(sql, { id: row.id })
}

interface Difference {
  before: Record<string, unknown>
  after: Record<string, unknown>
}

function differenceOf(from: WatchSettings, to: WatchSettings): Difference {
  const difference: Difference = { before: {}, after: {} }
  for (const key of Object.keys(to) as (keyof WatchSettings)[]) {
    if (JSON.stringify(from[key]) === JSON.stringify(to[key])) continue
    difference.before[key] = from[key]
    difference.after[key] = to[key]
  }
  return difference
}

/** The plan depends on these; the rest may change without a new one. */
const PLANNED_BY: ReadonlySet<string> = new Set([
  'isActive',
  'periodMs',
  'policy',
  'importance',
  'budgetShare',
  'floorMs',
])

async function writeSettings(
  sql: Sql,
  args: { row: WatchRow; settings: WatchSettings; changed: readonly string[]; now: number },
): Promise<void> {
  const { row, settings, changed, now } = args
  await requireCategory(sql, settings.category)
  await sql.updateMany({
    table: 'watches',
    keys: ['collection_id'],
    set: [...SETTING_COLUMNS, 'updated_at'],
    rows: [[row.id, ...settingValues(settings), now]],
  })
  if (changed.includes('importance')) {
    await sql.run('UPDATE forecasts SET weight = ? WHERE collection_id = ?', [
      settings.importance,
      row.id,
    ])
  }
  if (changed.some((name) => name.endsWith('Selectors'))) {
    // What counted before has to be compared through the new selectors, too: it is read again.
    await sql.run('DELETE FROM sketches WHERE collection_id = ?', [row.id])
    await sql.run('DELETE FROM twin_requests WHERE collection_id = ?', [row.id])
  }
  if (!changed.some((name) => PLANNED_BY.has(name))) return
  await scheduleWatch(sql, { collectionId: row.id, isActive: settings.isActive, now })
}

type UrlChange = WatchChange & { row: WatchRow; settings: WatchSettings }

async function changeUrls(sql: Sql, args: UrlChange): Promise<void> {
  const { row } = args
  const urls = addedUrls(args)
  if (urls.length === 0 && args.removeUrls.length === 0) return
  const added = await watchUrls(sql, { ...args, collectionId: row.id, urls })
  const removed = await unwatchUrls(sql, args)
  await keepSeeds(sql, args)
  const after = { added, removed }
  const entry = { collectionId: row.id, by: args.by, now: args.now }
  await noteTrail(sql, { ...entry, kind: 'urls', before: {}, after })
}

function addedUrls({ row, addUrls, addFeeds, addSitemaps }: UrlChange): WatchedUrl[] {
  const role = row.subject === 'site' ? 'probe' : 'page'
  return [
    ...addFeeds.map((url): WatchedUrl => ({ url, role: 'feed' })),
    ...addSitemaps.map((url): WatchedUrl => ({ url, role: 'sitemap' })),
    ...addUrls.map((url): WatchedUrl => ({ url, role })),
  ]
}

const OF_URL = ['forecasts', 'sketches', 'twin_requests', 'visits', 'notices', 'watch_sources']

/** What was captured of them stays; what is queued of them is still fetched once. */
async function unwatchUrls(sql: Sql, args: UrlChange): Promise<number> {
  const { id } = args.row
  const places = await knownPlaces(sql, { collectionId: id, urls: args.removeUrls })
  const rows = places.map(({ hostId, hash }) => [id, hostId, hash])
  for (const table of OF_URL) {
    await sql.deleteMany({ table, keys: ['collection_id', 'host_id', 'hash'], rows })
  }
  return rows.length
}

/** The seeds of a site are what its harvests begin with; of a list one stands for all. */
async function keepSeeds(sql: Sql, { row, now }: UrlChange): Promise<void> {
  const pages = await urlsOf(sql, row.id, `role IN ('page', 'probe')`)
  const all = pages.length === 0 ? (await urlsOf(sql, row.id, `role = 'feed'`)).slice(0, 1) : pages
  if (all.length === 0) throw WatchRefused.nothingLeft(row.id)
  refuseTooMany(row.subject, all.length)
  const seeds = row.subject === 'site' ? all : all.slice(0, 1)
  await sql.run('UPDATE collections SET spec = ? WHERE id = ?', [
    JSON.stringify({ ...row.spec, seeds }),
    row.id,
  ])
  await sql.run('UPDATE watches SET updated_at = ? WHERE collection_id = ?', [now, row.id])
}

async function urlsOf(sql: Sql, id: number, condition: string): Promise<string[]> {
  const rows = await sql.all<{ url: string }>(
    `SELECT url FROM forecasts WHERE collection_id = ? AND ${condition} LIMIT ${SEEDS_MAX + 1}`,
    [id],
  )
  return rows.map(({ url }) => url).toSorted()
}

/** Each is probed by itself. */
const SEEDS_MAX = 1_000

export function refuseTooMany(subject: WatchSubject, count: number): void {
  if (subject === 'page' && count > 1) throw WatchRefused.severalPages(count)
  if (subject === 'site' && count > SEEDS_MAX) throw WatchRefused.severalSeeds(count, SEEDS_MAX)
}

/**
 * An active watch is replanned; an inactive one is never scheduled, and its queued requests end as
 * cancelled. Requests that are leased to an agent come back without an owner.
 */
async function scheduleWatch(
  sql: Sql,
  args: { collectionId: number; isActive: boolean; now: number },
): Promise<void> {
  const { collectionId, isActive, now } = args
  if (isActive) return replanWatch(sql, args)
  await sql.run(
    'UPDATE forecasts SET next_visit_at = NULL, out_since = NULL WHERE collection_id = ?',
    [collectionId],
  )
  await sql.run('DELETE FROM visit_chains WHERE collection_id = ?', [collectionId])
  await cancelQueued(sql, collectionId)
  await sql.run(
    `UPDATE collections SET state = 'finished', reason = 'inactive', ended_at = ? WHERE id = ?`,
    [now, collectionId],
  )
}

interface NextVisitArgs {
  id: number
  owner: string | null
  by: string
  at: number
  now: number
}

/**
 * A next visit set manually applies once, whereas a manual period is permanent. A visit in progress
 * comes back as it would have; the visit itself plans the one after it. When prices jump, all
 * visits are replanned, this one too.
 */
export async function setNextVisit(sql: Sql, args: NextVisitArgs): Promise<WatchDetail> {
  const row = await watchToChange(sql, args)
  if (!row.settings.isActive) throw WatchRefused.paused(row.id)
  const planned = await sql.get<{ at: number | null }>(
    'SELECT MIN(next_visit_at) AS at FROM forecasts WHERE collection_id = ?',
    [row.id],
  )
  await sql.run(
    `UPDATE forecasts SET next_visit_at = ? WHERE collection_id = ? AND out_since IS NULL
       AND role IN ('page', 'probe')`,
    [Math.max(args.at, args.now), row.id],
  )
  await noteTrail(sql, {
    collectionId: row.id,
    by: args.by,
    kind: 'visit',
    before: { nextVisitAt: planned?.at ?? null },
    after: { nextVisitAt: args.at },
    now: args.now,
  })
  return watchDetail(sql, { id: row.id })
}
