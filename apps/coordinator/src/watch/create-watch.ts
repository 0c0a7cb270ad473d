/** Makes a watch: a collection that rests, its settings, and a forecast for each watched URL. */
import { nextIds } from '@minga/frontier'
import type { CollectionSpec, WatchDetail, WatchSettings, WatchSubject } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { requireCategory } from './categories.ts'
import { newPlaces, type WatchedUrl } from './watch-places.ts'
import { watchDetail, watchToChange } from './watch-rows.ts'
import { noteTrail } from './watch-trail.ts'

export interface NewWatch {
  subject: WatchSubject
  settings: WatchSettings
  spec: CollectionSpec
  /** Judged and canonical. */
  urls: readonly WatchedUrl[]
  owner: string
  now: number
}

export async function createWatch(sql: Sql, args: NewWatch): Promise<WatchDetail> {
  const { subject, settings, spec, owner, now } = args
  await requireCategory(sql, settings.category)
  const id = await nextIds(sql, 'collection')
  await sql.insertMany({
    table: 'collections',
    columns: ['id', 'identity', 'owner', 'spec', 'state', 'created_at', 'ended_at'],
    rows: [[id, `watch ${id}`, owner, JSON.stringify(spec), 'finished', now, now]],
  })
  await sql.insertMany({
    table: 'watches',
    columns: ['collection_id', 'subject', ...SETTING_COLUMNS, 'created_at', 'updated_at'],
    rows: [[id, subject, ...settingValues(settings), now, now]],
  })
  await watchUrls(sql, { collectionId: id, settings, urls: args.urls, now })
  const { periodMs, policy } = settings
  const after = {
    ...(periodMs === null ? {} : { periodMs }),
    ...(policy === null ? {} : { policy }),
  }
  await noteTrail(sql, { collectionId: id, by: owner, kind: 'created', before: {}, after, now })
  return watchDetail(sql, { id })
}

/** The rest of a list that is too long for one transaction. */
export async function addWatchUrls(
  sql: Sql,
  args: { id: number; owner: string; urls: readonly WatchedUrl[]; now: number },
): Promise<void> {
  const { settings } = await watchToChange(sql, args)
  await watchUrls(sql, { ...args, collectionId: args.id, settings })
}

export const SETTING_COLUMNS = ['name', 'category', 'is_active', 'importance', 'settings'] as const

export function settingValues(settings: WatchSettings): Value[] {
  const { name, category, isActive, importance } = settings
  return [name, category, isActive ? 1 : 0, importance, JSON.stringify(settings)]
}

/** Adds what is not watched yet, to be visited at once. Answers how many were new. */
export async function watchUrls(
  sql: Sql,
  args: { collectionId: number; settings: WatchSettings; urls: readonly WatchedUrl[]; now: number },
): Promise<number> {
  const fresh = await newPlaces(sql, args)
  const due = args.settings.isActive ? args.now : null
  await sql.insertMany({
    table: 'forecasts',
    columns: ['collection_id', 'host_id', 'hash', 'url', 'role', 'weight', 'next_visit_at'],
    rows: fresh.map(({ hostId, hash, url, role }) => [
      args.collectionId,
      hostId,
      hash,
      url,
      role,
      args.settings.importance,
      due,
    ]),
  })
  return fresh.length
}
