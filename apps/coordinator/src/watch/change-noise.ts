/** What people say about the regions that are ignored as noise: one is not noise, or all are forgotten. */
import { encodeNoise, forgetNoise, restoreRegion, type LearntNoise } from '@minga/forecast'
import type { NoiseRegionView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { NoSuchRegion } from './watch-errors.ts'
import { learntIn, noiseRows, regionsOf, watchNoise, type NoiseRow } from './watch-noise.ts'
import { watchToChange } from './watch-rows.ts'

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
