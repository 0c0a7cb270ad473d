/** How work is placed, as operators changed it. Read inside each operation, so that a change holds
 * from the next operation on, for every coordinator. */
import type { Sql } from '@minga/store'

export const STRATEGIES = ['democratic', 'least-busy', 'nearest', 'fastest', 'partitioned'] as const
export type Strategy = (typeof STRATEGIES)[number]

export interface PlacementSettings {
  /**
   * From a change on turns are assigned by it. What is out stays out, what is assigned stays
   * assigned until it is taken or stolen by the new strategy's rule: nothing is lost by a switch.
   */
  strategy: Strategy
  /** Requests that one agent may hold at a time, over all its blocks. */
  inHandMax: number
  /** Requests of one block at most: larger ones save questions, smaller ones lose less with an agent. */
  blockMax: number
  /** Requests in flight to one host, over the whole fleet; collections may ask for fewer. */
  threadsPerHostMax: number
  /** Hosts of one address that are out at a time, where so many share it that it is not spaced. */
  hostsPerAddressMax: number
  /** The share of blocks that is filled with visits of watches first, crawls and requests second. */
  visitShare: number
  /** JSON of what the station's filter was changed to; null: it was not. */
  filter: string | null
}

export const PLACEMENT_DEFAULTS: PlacementSettings = {
  // It evens out agents of any speed by itself, and needs to know nothing of them.
  strategy: 'least-busy',
  // As many as one question may ask for; a dead agent's hosts are out of reach for ten seconds.
  inHandMax: 10_000,
  blockMax: 10_000,
  // As many as a collection may ask for.
  threadsPerHostMax: 16,
  hostsPerAddressMax: 16,
  // Collections and watches wait equally long when there is too much of both.
  visitShare: 0.5,
  filter: null,
}

/** Times slower than the fleet's median. Lower values mistake far agents for slow ones. */
export const SLOW_FACTOR = 4

const NAMES = Object.keys(PLACEMENT_DEFAULTS)
const MARKS = NAMES.map(() => '?').join(', ')

export async function placementSettings(sql: Sql): Promise<PlacementSettings> {
  const rows = await sql.all<{ name: string; value: string }>(
    `SELECT name, value FROM settings WHERE name IN (${MARKS})`,
    NAMES,
  )
  const stored = Object.fromEntries(
    rows.map(({ name, value }) => [name, name === 'filter' ? value : JSON.parse(value)]),
  )
  return { ...PLACEMENT_DEFAULTS, ...(stored as Partial<PlacementSettings>) }
}
