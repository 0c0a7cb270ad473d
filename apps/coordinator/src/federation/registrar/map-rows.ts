/**
 * The registrar's side of the map: every change of it is one transaction with the next epoch, which
 * also takes effect at the registrar itself. A writer takes the epoch first, so two changes never
 * see the same host or address as free.
 */
import { applyMap, forUpdate } from '@minga/frontier'
import { MAP_ROWS_MAX, type MapRow } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'

/** A host in the map, with what its owner has to carry. */
export interface PlacedRow extends MapRow {
  pages: number
}

/**
 * The epoch of the next change; the row lock keeps it exclusive until the end of the transaction.
 */
export async function nextEpoch(sql: Sql): Promise<number> {
  const row = await sql.get<{ value: string }>(
    `SELECT value FROM station_facts WHERE name = 'federation.epoch'${forUpdate(sql)}`,
  )
  return Number(row?.value ?? 0) + 1
}

export async function writeRows(
  sql: Sql,
  { rows, epoch, now }: { rows: readonly PlacedRow[]; epoch: number; now: number },
): Promise<void> {
  if (rows.length === 0) return
  await applyMap(sql, { rows: rows.map(toldRow), epoch, now })
  await sql.updateMany({
    table: 'placement_hosts',
    keys: ['host'],
    set: ['pages'],
    rows: rows.map(({ host, pages }) => [host, pages]),
  })
}

/** The row as it is sent to other stations. */
function toldRow({ host, station, awaits, address, epoch }: PlacedRow): MapRow {
  return { host, station, awaits, address, epoch }
}

export interface MapPage {
  rows: MapRow[]
  /** Up to here the map is known with these rows. */
  epoch: number
  more: boolean
}

/**
 * What changed after an epoch, in whole epochs: a station that has the rows up to one has missed
 * nothing before it. An epoch with more rows than a page (an address with very many hosts) is sent
 * complete even so.
 */
export async function mapSince(
  sql: Sql,
  args: { epoch: number; limit?: number },
): Promise<MapPage> {
  const { epoch, limit = MAP_ROWS_MAX } = args
  const rows = await sql.all<MapRow>(`${TOLD} WHERE epoch > ? ORDER BY epoch, host LIMIT ?`, [
    epoch,
    limit + 1,
  ])
  const more = rows.length > limit
  if (!more) return { rows, epoch: rows.at(-1)?.epoch ?? epoch, more }
  const cut = rows.at(-1)!.epoch
  const before = rows.filter((row) => row.epoch !== cut)
  const whole =
    before.length > 0
      ? before
      : await sql.all<MapRow>(`${TOLD} WHERE epoch = ? ORDER BY host`, [cut])
  return { rows: whole, epoch: whole.at(-1)!.epoch, more }
}

const TOLD = 'SELECT host, station, awaits, address, epoch FROM placement_hosts'

const LOADS = 'federation.loads'

/** What each station carries, so that a claim need not count the whole map. */
export async function readLoads(sql: Sql): Promise<Map<string, number>> {
  const text = await readFact(sql, { name: LOADS })
  return new Map(Object.entries(JSON.parse(text ?? '{}') as Record<string, number>))
}

export async function writeLoads(sql: Sql, loads: ReadonlyMap<string, number>): Promise<void> {
  await writeFact(sql, { name: LOADS, value: JSON.stringify(Object.fromEntries(loads)) })
}

/** A host whose pages have not been counted counts as one page. */
export const weightOf = ({ pages }: { pages: number }): number => Math.max(1, pages)

export function moveLoad(
  loads: Map<string, number>,
  weight: number,
  way: { from: string | null; to: string },
): void {
  if (way.from !== null) loads.set(way.from, (loads.get(way.from) ?? 0) - weight)
  loads.set(way.to, (loads.get(way.to) ?? 0) + weight)
}

/** Computed from the map itself, at a promotion and after a replan. */
export async function recountLoads(sql: Sql): Promise<void> {
  const counted = await sql.all<{ station: string; load: number }>(
    `SELECT station, CAST(SUM(CASE WHEN pages > 1 THEN pages ELSE 1 END) AS BIGINT) AS load
     FROM placement_hosts GROUP BY station`,
  )
  await writeLoads(sql, new Map(counted.map(({ station, load }) => [station, load])))
}

// By what the map changed, epoch by epoch. Every change of it is one transaction with an epoch of its own, so a host's
// epoch says why its owner is the owner. Most epochs are claims; only the others are noted, as ranges.

/** A plan moved hosts; or a station was lost or left, and others got what was its. */
type MapChange = 'plan' | 'handed-on'

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
