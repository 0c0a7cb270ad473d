/**
 * How a watch compares a page: only what its selectors keep, and without the noise that double
 * fetches revealed. A comparison of two captures uses the same options, or it would show changes
 * where the watch reports none.
 *
 * Of several watches that have the page it is the most important one, of equals the oldest.
 */
import { BadSketch, decodeNoise, maskAt, type DiffOptions, type NoiseMask } from '@minga/forecast'
import { watchSettings, type DiffWatch } from '@minga/protocol'
import type { Sql, Calls } from '@minga/store'
import { placeOfUrl, PROBES_MAX } from '../captures/captures.ts'
import { NoSuchWatch } from '../../station/errors.ts'
import type { Operations } from '../../station/station-operations.ts'

export interface WatchDiffQuery {
  url: string
  /** The watch to look like, which need not have this very page (a site's has many); null: any. */
  watchId: number | null
  /** When the later version was captured: noise that had expired by then counts. */
  at: number
}

export interface WatchDiffOptions extends DiffOptions {
  watch: DiffWatch
}

interface WatchDiffRow {
  id: number
  name: string
  settings: string
  /** What was learnt about its noise, JSON. */
  noise: string | null
}

/** Null when the page has no watch. */
export async function watchDiffOptions(
  sql: Sql,
  { url, watchId, at }: WatchDiffQuery,
): Promise<WatchDiffOptions | null> {
  const rows = await watchesOf(sql, url)
  if (watchId === null) {
    const chosen = rows.length === 1 ? 'only' : 'important'
    return rows.length === 0 ? null : diffOptionsOf(rows[0]!, { chosen, at })
  }
  const row = rows.find(({ id }) => id === watchId) ?? (await watchNumbered(sql, watchId))
  return diffOptionsOf(row, { chosen: 'asked', at })
}

/** The most important first. A place is looked up in each watch: there is no index of pages over all of them. */
async function watchesOf(sql: Sql, url: string): Promise<WatchDiffRow[]> {
  const place = await placeOfUrl(sql, url)
  if (place === null) return []
  return sql.all<WatchDiffRow>(
    `SELECT w.collection_id AS id, w.name, w.settings, s.noise
     FROM watches w
     JOIN forecasts f ON f.collection_id = w.collection_id AND f.host_id = ?
       AND f.hash BETWEEN ? AND ? AND f.url = ? AND f.role IN ('page', 'probe')
     LEFT JOIN sketches s ON s.collection_id = f.collection_id AND s.host_id = f.host_id
       AND s.hash = f.hash
     ORDER BY w.importance DESC, w.collection_id`,
    [place.hostId, place.hash, place.hash + PROBES_MAX, place.url],
  )
}

async function watchNumbered(sql: Sql, id: number): Promise<WatchDiffRow> {
  const row = await sql.get<WatchDiffRow>(
    'SELECT collection_id AS id, name, settings, NULL AS noise FROM watches WHERE collection_id = ?',
    [id],
  )
  if (!row) throw new NoSuchWatch(id)
  return row
}

function diffOptionsOf(
  { id, name, settings, noise }: WatchDiffRow,
  { chosen, at }: { chosen: DiffWatch['chosen']; at: number },
): WatchDiffOptions {
  const { includeSelectors: include, excludeSelectors: exclude } = watchSettings.parse(
    JSON.parse(settings),
  )
  const mask = maskOf(noise, at)
  return {
    watch: { id, name, chosen, selectors: { include, exclude }, masks: mask?.keys.size ?? 0 },
    selectors: { include, exclude },
    mask,
  }
}

/** What an older or damaged program left is as if nothing had been learnt, as it is to visits. */
function maskOf(noise: string | null, at: number): NoiseMask | null {
  try {
    return noise === null ? null : maskAt(decodeNoise(noise), at)
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}

/** Everything counts. */
export const PLAINLY: DiffOptions = { selectors: { include: [], exclude: [] } }

export function readWatchDiffOptions(
  { store }: { store: Calls<Pick<Operations, 'watchDiffOptions'>> },
  query: WatchDiffQuery,
): Promise<WatchDiffOptions | null> {
  return store.call('watchDiffOptions', query)
}
