/** The rows of `forecasts` and what is read and written of them. */
import { parseSpec, type UrlKey } from '@minga/frontier'
import { watchSettings, type CollectionSpec, type WatchSettings } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** A URL's place inside its watch, as in the frontier's queue. */
export interface WatchedUrlKey extends UrlKey {
  collectionId: number
}

export type ForecastRole = 'page' | 'probe' | 'sitemap' | 'feed'

export interface ForecastRow {
  collection_id: number
  host_id: number
  hash: number
  url: string
  role: ForecastRole
  weight: number
  next_visit_at: number | null
  out_since: number | null
  first_visit_at: number | null
  last_visit_at: number | null
  last_change_at: number | null
  visits: number
  changes: number
  failures: number
  magnitude: number
  rate: number
  belief: Uint8Array | null
  plan: string | null
  policy_state: string | null
  capture_id: number | null
  /** That a visit brings in the mean of the latest ones. */
  usual_bytes: number
}

export const FORECAST_KEYS = ['collection_id', 'host_id', 'hash'] as const

/** What visits teach and plan; the rest is what is watched. */
export const LEARNT_COLUMNS = [
  'next_visit_at',
  'out_since',
  'first_visit_at',
  'last_visit_at',
  'last_change_at',
  'visits',
  'changes',
  'failures',
  'magnitude',
  'rate',
  'belief',
  'plan',
  'policy_state',
  'capture_id',
  'usual_bytes',
] as const

export const FORECAST_COLUMNS = [...FORECAST_KEYS, 'url', 'role', 'weight', ...LEARNT_COLUMNS]

export async function forecastsAt(
  sql: Sql,
  keys: readonly WatchedUrlKey[],
): Promise<(ForecastRow | undefined)[]> {
  return sql.selectMany<ForecastRow>({
    table: 'forecasts',
    keys: [...FORECAST_KEYS],
    rows: keys.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
    columns: FORECAST_COLUMNS,
  })
}

export const watchedUrlKeyOf = (
  row: Pick<ForecastRow, (typeof FORECAST_KEYS)[number]>,
): WatchedUrlKey => ({ collectionId: row.collection_id, hostId: row.host_id, hash: row.hash })

export interface WatchRow {
  collectionId: number
  subject: string
  settings: WatchSettings
  spec: CollectionSpec
}

export async function watchesOf(
  sql: Sql,
  ids: readonly number[],
): Promise<ReadonlyMap<number, WatchRow>> {
  const unique = [...new Set(ids)]
  const rows = await sql.selectMany<{ subject: string; settings: string }>({
    table: 'watches',
    keys: ['collection_id'],
    rows: unique.map((id) => [id]),
    columns: ['subject', 'settings'],
  })
  const specs = await sql.selectMany<{ spec: string }>({
    table: 'collections',
    keys: ['id'],
    rows: unique.map((id) => [id]),
    columns: ['spec'],
  })
  const watches = new Map<number, WatchRow>()
  for (const [i, collectionId] of unique.entries()) {
    const row = rows[i]
    const spec = specs[i]
    if (!row || !spec) continue
    const settings = parseSettings(row.settings)
    watches.set(collectionId, {
      collectionId,
      subject: row.subject,
      settings,
      spec: parseSpec(spec.spec),
    })
  }
  return watches
}

const parsed = new Map<string, WatchSettings>()

/** Parsed at every visit; the text is the cache key, so that a changed watch is parsed again. */
export function parseSettings(text: string): WatchSettings {
  const known = parsed.get(text)
  if (known) return known
  const settings = watchSettings.parse(JSON.parse(text))
  if (parsed.size > 1_000) parsed.clear()
  parsed.set(text, settings)
  return settings
}
