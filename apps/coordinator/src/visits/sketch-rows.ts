/** What the detector remembers of each watched URL. */
import type { Sql } from '@minga/store'
import { FORECAST_KEYS, type Place } from './forecast-rows.ts'

export interface Memory {
  sketch: Uint8Array
  /** Keys of the states it was seen in, the newest first, JSON. */
  states: string
  /** The learnt mask, JSON; null when nothing was learnt. */
  noise: string | null
  /** A visit before this is the second look of a pair: whatever differs is noise. */
  twin_until: number | null
}

export function sketchesAt(sql: Sql, places: readonly Place[]): Promise<(Memory | undefined)[]> {
  return sql.selectMany<Memory>({
    table: 'sketches',
    keys: [...FORECAST_KEYS],
    rows: places.map(({ collectionId, hostId, hash }) => [collectionId, hostId, hash]),
    columns: ['sketch', 'states', 'noise', 'twin_until'],
  })
}

export async function keepSketches(sql: Sql, rows: readonly (Place & Memory)[]): Promise<void> {
  const memory = ['sketch', 'states', 'noise', 'twin_until'] as const
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
