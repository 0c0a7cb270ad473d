/**
 * By what the map changed, epoch by epoch. Every change of it is one transaction with an epoch of its own, so a host's
 * epoch says why its owner is the owner. Most epochs are claims; only the others are noted, as ranges.
 */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'

/** A plan moved hosts; or a station was lost or left, and others got what was its. */
export type MapChange = 'plan' | 'handed-on'

interface Changes {
  /** Up to this epoch it is not known: another station was the registrar, or it is too long ago. */
  since: number
  /** Oldest first; both ends belong to it. */
  ranges: [change: MapChange, first: number, last: number][]
}

const CHANGES = 'federation.changes'
/** Plans and losses of years, in a few KB. */
const RANGES_MAX = 500

async function readChanges(sql: Sql): Promise<Changes> {
  const text = await readFact(sql, { name: CHANGES })
  return text === null ? { since: 0, ranges: [] } : (JSON.parse(text) as Changes)
}

const writeChanges = (sql: Sql, changes: Changes): Promise<void> =>
  writeFact(sql, { name: CHANGES, value: JSON.stringify(changes) })

/** In the transaction that holds the epoch. */
export async function noteChange(sql: Sql, change: MapChange, epoch: number): Promise<void> {
  const { since, ranges } = await readChanges(sql)
  const latest = ranges.at(-1)
  if (latest?.[0] === change && latest[2] === epoch - 1) latest[2] = epoch
  else ranges.push([change, epoch, epoch])
  const dropped = ranges.splice(0, ranges.length - RANGES_MAX).at(-1)
  await writeChanges(sql, { since: dropped?.[2] ?? since, ranges })
}

/** This station did not see what the map changed by until then. */
export async function forgetChanges(sql: Sql, since: number): Promise<void> {
  await writeChanges(sql, { since, ranges: [] })
}

/** `claim`: a station requested an owner. Null when the reason is not known. */
export async function changeAt(sql: Sql, epoch: number): Promise<MapChange | 'claim' | null> {
  const { since, ranges } = await readChanges(sql)
  if (epoch <= since) return null
  return ranges.find(([, first, last]) => first <= epoch && epoch <= last)?.[0] ?? 'claim'
}
