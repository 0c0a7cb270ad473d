/**
 * What each agent has been given and what it still has to do: the figures that strategies compare.
 * Read without locks to choose by, changed by differences under a lock at the end of an
 * operation: two coordinators may choose by figures a moment old, but none is ever lost.
 */
import type { Sql } from '@minga/store'
import { forUpdate } from '../row-locks.ts'

export interface Load {
  device: string
  connected: number
  ready: number
  country: string
  assigned: number
  balance: number
  due: number
  promised: number
  in_hand: number
  success: number
  busy: number
  latency_ms: number
  idle_since: number | null
}

const SAVED = [
  'ready',
  'assigned',
  'balance',
  'due',
  'promised',
  'in_hand',
  'success',
  'busy',
  'latency_ms',
  'idle_since',
]
const NAMES = ['device', 'connected', 'country', ...SAVED]
const COLUMNS = NAMES.join(', ')

/** Counted as a little work even when idle, so that success decides among idle agents. */
export function busyOf(load: Pick<Load, 'promised' | 'in_hand' | 'success'>): number {
  return (load.promised + load.in_hand + 1) / load.success
}

export async function readLoad(sql: Sql, device: string): Promise<Load | undefined> {
  return sql.get<Load>(`SELECT ${COLUMNS} FROM agent_loads WHERE device = ?`, [device])
}

export async function readLoads(sql: Sql, devices: readonly string[]): Promise<Load[]> {
  const rows = await sql.selectMany<Load>({
    table: 'agent_loads',
    keys: ['device'],
    rows: devices.map((device) => [device]),
    columns: NAMES,
  })
  return rows.filter((row) => row !== undefined)
}

/** The agents that have been given least over their lives. */
export function leastServed(sql: Sql, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE ready = 1 ORDER BY balance, busy, device LIMIT ?`,
    [atMost],
  )
}

export function leastBusy(sql: Sql, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE ready = 1 ORDER BY busy, device LIMIT ?`,
    [atMost],
  )
}

/** In an order that nothing changes but their coming and going. Who is ready is connected; ordered so, no
 * database reads those that are not. */
export function firstReady(sql: Sql, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE ready = 1 ORDER BY connected, device LIMIT ?`,
    [atMost],
  )
}

export function leastBusyIn(sql: Sql, country: string, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE ready = 1 AND country = ?
     ORDER BY busy, device LIMIT ?`,
    [country, atMost],
  )
}

/** Those with the longest lines of due turns; turns are stolen from them alone. */
export function longestQueues(sql: Sql, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE due > 0 ORDER BY due DESC, device LIMIT ?`,
    [atMost],
  )
}

export function longestQueuesIn(sql: Sql, country: string, atMost: number): Promise<Load[]> {
  return sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE due > 0 AND country = ?
     ORDER BY due DESC, device LIMIT ?`,
    [country, atMost],
  )
}

/**
 * The countries that agents are in, of those that may be chosen or of those that may be stolen from.
 * One seek per country (at most some 250), however many agents there are.
 */
export async function countriesOf(sql: Sql, which: 'ready = 1' | 'due > 0'): Promise<string[]> {
  const countries: string[] = []
  for (let last: string | null = null; ; last = countries.at(-1)!) {
    const row: { country: string } | undefined = await sql.get(
      `SELECT country FROM agent_loads WHERE ${which}${last === null ? '' : ' AND country > ?'}
       ORDER BY country LIMIT 1`,
      last === null ? [] : [last],
    )
    if (!row) return countries
    countries.push(row.country)
  }
}

/** By how much an operation changes an agent's figures. */
export interface LoadChange {
  assigned: number
  balance: number
  due: number
  promised: number
  in_hand: number
}

export const noChange = (): LoadChange => ({
  assigned: 0,
  balance: 0,
  due: 0,
  promised: 0,
  in_hand: 0,
})

export function changedLoad(load: Load, change: LoadChange): Load {
  const changed = { ...load }
  changed.assigned += change.assigned
  changed.balance += change.balance
  changed.due = Math.max(0, load.due + change.due)
  changed.promised = Math.max(0, load.promised + change.promised)
  changed.in_hand = Math.max(0, load.in_hand + change.in_hand)
  changed.busy = busyOf(changed)
  return changed
}

/**
 * All callers lock in one order, and after all other rows of an operation, which rules out a
 * deadlock.
 */
export async function lockLoads(sql: Sql, devices: readonly string[]): Promise<Map<string, Load>> {
  const loads = new Map<string, Load>()
  if (sql.dialect !== 'postgres') {
    for (const load of await readLoads(sql, devices)) loads.set(load.device, load)
    return loads
  }
  if (devices.length === 0) return loads
  const marks = devices.map(() => '?').join(', ')
  const rows = await sql.all<Load>(
    `SELECT ${COLUMNS} FROM agent_loads WHERE device IN (${marks}) ORDER BY device${forUpdate(sql)}`,
    devices,
  )
  for (const row of rows) loads.set(row.device, row)
  return loads
}

export async function saveLoads(sql: Sql, loads: readonly Load[]): Promise<void> {
  await sql.updateMany({
    table: 'agent_loads',
    keys: ['device'],
    set: SAVED,
    rows: loads.map((load) => [
      load.device,
      load.ready,
      load.assigned,
      load.balance,
      load.due,
      load.promised,
      load.in_hand,
      load.success,
      load.busy,
      load.latency_ms,
      load.idle_since,
    ]),
  })
}
