/** The regions of watched pages that are ignored as noise, or that a user restored. */
import {
  BadSketch,
  decodeNoise,
  encodeNoise,
  expiresAt,
  forgetNoise,
  isMasked,
  restoreRegion,
  type LearntNoise,
  type NoiseRegion,
} from '@minga/forecast'
import type { NoiseRegionView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { NoSuchRegion } from './watch-errors.ts'
import { watchToChange } from './watch-rows.ts'

export interface NoiseRow {
  hostId: number
  hash: number
  url: string
  noise: string
  /** Masks are shown as the last visit applied them. */
  lastVisitAt: number | null
}

/** More than anyone reads; a list of a million pages must not be read whole. */
const PAGES_MAX = 1_000

export async function watchNoise(sql: Sql, { id }: { id: number }): Promise<NoiseRegionView[]> {
  const rows = await noiseRows(sql, id)
  return rows.flatMap((row) => regionsOf(row))
}

function noiseRows(sql: Sql, id: number): Promise<NoiseRow[]> {
  return sql.all<NoiseRow>(
    `SELECT s.host_id AS "hostId", s.hash, f.url, s.noise, f.last_visit_at AS "lastVisitAt"
     FROM sketches s JOIN forecasts f
       ON f.collection_id = s.collection_id AND f.host_id = s.host_id AND f.hash = s.hash
     WHERE s.collection_id = ? AND s.noise_regions > 0 AND s.noise IS NOT NULL
     ORDER BY f.url LIMIT ${PAGES_MAX}`,
    [id],
  )
}

function regionsOf({ url, noise, lastVisitAt }: NoiseRow): NoiseRegionView[] {
  const regions = learntIn(noise)?.regions ?? []
  return regions.flatMap((region) => {
    const isIgnored = isMasked(region, lastVisitAt ?? 0)
    return isIgnored || region.isRestored ? [regionView(url, region, isIgnored)] : []
  })
}

function regionView(url: string, region: NoiseRegion, isIgnored: boolean): NoiseRegionView {
  const { key, preview, share, confirmedAt, visits, differed } = region
  return {
    url,
    region: key,
    state: isIgnored ? 'ignored' : 'restored',
    preview,
    share,
    ignoredSince: isIgnored ? region.maskedAt : null,
    confirmedAt,
    expiresAt: isIgnored ? expiresAt(region) : null,
    visits,
    differed,
    isWarned: isIgnored && region.isWarned,
  }
}

/** What an older or damaged program left is as if nothing had been learnt, as it is to visits. */
function learntIn(text: string): LearntNoise | null {
  try {
    return decodeNoise(text)
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}

interface ChangeNoise {
  id: number
  owner: string | null
}

/** "Not noise": the region counts from the next visit on, and is never ignored again. */
export async function restoreNoise(
  sql: Sql,
  args: ChangeNoise & { url: string; region: number },
): Promise<NoiseRegionView[]> {
  await watchToChange(sql, args)
  await holdForecasts(sql, args.id)
  const rows = await noiseRows(sql, args.id)
  const row = rows.find(({ url }) => url === args.url)
  const learnt = row === undefined ? null : learntIn(row.noise)
  const restored = learnt === null ? null : restoreRegion(learnt, args.region)
  if (row === undefined || restored === null) throw new NoSuchRegion(args)
  await keepNoise(sql, { id: args.id, row, noise: restored })
  return watchNoise(sql, { id: args.id })
}

/** Everything that was learnt about noise is learnt again; what people restored stays restored. */
export async function forgetAllNoise(sql: Sql, args: ChangeNoise): Promise<NoiseRegionView[]> {
  await watchToChange(sql, args)
  await holdForecasts(sql, args.id)
  for (const row of await noiseRows(sql, args.id)) {
    const learnt = learntIn(row.noise)
    if (learnt !== null) await keepNoise(sql, { id: args.id, row, noise: forgetNoise(learnt) })
  }
  return watchNoise(sql, { id: args.id })
}

/** On PostgreSQL a visit may end at the same time: what it learnt must not overwrite what people said. */
async function holdForecasts(sql: Sql, id: number): Promise<void> {
  if (sql.dialect !== 'postgres') return
  await sql.all(
    `SELECT 1 FROM forecasts f WHERE f.collection_id = ? AND EXISTS (SELECT 1 FROM sketches s
       WHERE s.collection_id = f.collection_id AND s.host_id = f.host_id AND s.hash = f.hash
         AND s.noise_regions > 0) FOR UPDATE`,
    [id],
  )
}

async function keepNoise(
  sql: Sql,
  { id, row, noise }: { id: number; row: NoiseRow; noise: LearntNoise },
): Promise<void> {
  const regions = regionsOf({ ...row, noise: encodeNoise(noise) }).length
  // States are distinguished without noise: under another mask they cannot be recognised any more.
  await sql.run(
    `UPDATE sketches SET noise = ?, noise_regions = ?, states = '[]'
     WHERE collection_id = ? AND host_id = ? AND hash = ?`,
    [encodeNoise(noise), regions, id, row.hostId, row.hash],
  )
}
