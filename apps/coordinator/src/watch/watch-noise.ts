/** The regions of watched pages that are ignored as noise, or that a user restored. */
import {
  BadSketch,
  decodeNoise,
  expiresAt,
  isMasked,
  type LearntNoise,
  type NoiseRegion,
} from '@minga/forecast'
import type { NoiseRegionView } from '@minga/protocol'
import type { Sql } from '@minga/store'

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

export function noiseRows(sql: Sql, id: number): Promise<NoiseRow[]> {
  return sql.all<NoiseRow>(
    `SELECT s.host_id AS "hostId", s.hash, f.url, s.noise, f.last_visit_at AS "lastVisitAt"
     FROM sketches s JOIN forecasts f
       ON f.collection_id = s.collection_id AND f.host_id = s.host_id AND f.hash = s.hash
     WHERE s.collection_id = ? AND s.noise_regions > 0 AND s.noise IS NOT NULL
     ORDER BY f.url LIMIT ${PAGES_MAX}`,
    [id],
  )
}

export function regionsOf({ url, noise, lastVisitAt }: NoiseRow): NoiseRegionView[] {
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
export function learntIn(text: string): LearntNoise | null {
  try {
    return decodeNoise(text)
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}
