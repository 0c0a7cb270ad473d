/**
 * After a filter changed: what is out and no longer wanted is taken back, in the transaction of the
 * change. The whole lease ends, for an agent can give up no less; its other hosts are leased again.
 */
import type { Filter } from '@minga/partition'
import { SILENCE_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections/collections.ts'
import { endLeases } from '../lease/lease-end.ts'
import { gateFor, type Gate } from './gate.ts'

/** Any number that no other lock of this database has. */
const FILTERS = 5_236_001

/** Before a lease reads filters: they stay as they are until it is over. */
export async function holdFilters(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock_shared(?)', [FILTERS])
}

/** Before filters change, and before any row is touched: leases that are being opened by the old
 * ones are waited for, and are found below. */
export async function lockFilters(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?)', [FILTERS])
}

interface HostOut {
  host_id: number
  fence: number
  name: string
  spec: string
}

export interface Recall {
  station: Filter | null
  /** Null: all of them. */
  collectionId: number | null
  now: number
}

/** Answers the boots that have lost a lease: they learn of it by their next heartbeat. */
export async function recallUnwanted(sql: Sql, args: Recall): Promise<string[]> {
  const { station, collectionId, now } = args
  const out = await sql.all<HostOut>(
    `SELECT l.host_id, l.fence, h.name, c.spec FROM host_leases l
     JOIN hosts h ON h.id = l.host_id JOIN collections c ON c.id = l.collection_id
     ${collectionId === null ? '' : 'WHERE l.collection_id = ?'}`,
    collectionId === null ? [] : [collectionId],
  )
  const gates = new Map<string, Gate | null>()
  for (const { spec } of out) {
    if (!gates.has(spec)) gates.set(spec, gateFor(station, parseSpec(spec)))
  }
  const fences = new Set<number>()
  for (const { host_id: hostId, fence, name, spec } of out) {
    if (fences.has(fence)) continue
    const standing = await gates.get(spec)?.standingOf(sql, { hostId, name, now })
    if (standing === 'unwanted' || standing === 'unknown') fences.add(fence)
  }
  const boots = new Set<string>()
  for (const fence of fences) {
    const lease = await sql.get<{ boot: string }>('SELECT boot FROM leases WHERE fence = ?', [
      fence,
    ])
    if (lease) boots.add(lease.boot)
  }
  const ended = [...fences].toSorted((a, b) => a - b)
  await endLeases(sql, { fences: ended, now, stillDialsMs: SILENCE_MS })
  return [...boots]
}
