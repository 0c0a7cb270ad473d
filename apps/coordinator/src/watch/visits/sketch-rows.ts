/** What the detector remembers of each watched URL. */
import type { Sql } from '@minga/store'
import { FORECAST_KEYS, type WatchedUrlKey } from '../plan/forecast-rows.ts'

export interface Memory {
  sketch: Uint8Array
  /** Keys of the states it was seen in, the newest first, JSON. */
  states: string
  /** What was learnt about its noise, JSON; null when nothing was. */
  noise: string | null
  /** Regions that are ignored or that a user restored. */
  noise_regions: number
}

export function sketchesAt(
  sql: Sql,
  keys: readonly WatchedUrlKey[],
): Promise<(Memory | undefined)[]> {
  return sql.selectMany<Memory>({
    table: 'sketches',
    keys: [...FORECAST_KEYS],
    rows: keys.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
    columns: ['sketch', 'states', 'noise', 'noise_regions'],
  })
}

export async function keepSketches(
  sql: Sql,
  rows: readonly (WatchedUrlKey & Memory)[],
): Promise<void> {
  const memory = ['sketch', 'states', 'noise', 'noise_regions'] as const
  await sql.insertMany({
    table: 'sketches',
    columns: [...FORECAST_KEYS, ...memory],
    rows: rows.map((row) => [
      row.collectionId,
      row.hostId,
      row.hash,
      ...memory.map((name) => row[name]),
    ]),
    onConflict: { keys: [...FORECAST_KEYS], update: [...memory] },
  })
}
