/** Hosts of the map in bulk: all of them to plan with, and those that go to another station by a plan. */
import type { Sql } from '@minga/store'
import {
  moveLoad,
  nextEpoch,
  noteChange,
  readLoads,
  weightOf,
  writeLoads,
  writeRows,
  type PlacedRow,
} from './map-rows.ts'
import { writeAddresses } from './reassign-hosts.ts'
import { activeIds } from '../station-rows.ts'

export interface PlacedHost {
  host: string
  station: string
  address: string | null
  pages: number
  /** It has just moved, or is about to: it stays. */
  isUnsettled: boolean
}

export const PLACED_PER_CALL = 10_000

export async function placedHosts(sql: Sql, { after }: { after: string }): Promise<PlacedHost[]> {
  const rows = await sql.all<PlacedRow>(
    'SELECT host, station, awaits, address, pages FROM placement_hosts WHERE host > ? ORDER BY host LIMIT ?',
    [after, PLACED_PER_CALL],
  )
  return rows.map(({ awaits, host, station, address, pages }) => ({
    host,
    station,
    address,
    pages,
    isUnsettled: awaits !== null,
  }))
}

/** What stays together: an address, or a host that stands for itself. */
export interface UnitMove {
  host: string
  /** Null: the host alone. */
  address: string | null
  from: string
  to: string
}

/** Answers how many hosts went. What has changed since the plan was made stays where it is. */
export async function moveHosts(
  sql: Sql,
  { moves, now }: { moves: readonly UnitMove[]; now: number },
): Promise<number> {
  const epoch = await nextEpoch(sql)
  const active = new Set(await activeIds(sql))
  const loads = await readLoads(sql)
  const rows: PlacedRow[] = []
  for (const move of moves) {
    const { from, to } = move
    const unit = await unitOf(sql, move)
    const maygo = active.has(from) && active.has(to) && from !== to
    if (!maygo || unit.some(({ awaits, station }) => awaits !== null || station !== from)) continue
    for (const row of unit) {
      moveLoad(loads, weightOf(row), { from, to })
      rows.push({ ...row, station: to, awaits: from, epoch })
    }
  }
  await writeAddresses(sql, rows)
  await writeLoads(sql, loads)
  if (rows.length > 0) await noteChange(sql, 'plan', epoch)
  await writeRows(sql, { rows, epoch, now })
  return rows.length
}

function unitOf(sql: Sql, { host, address }: UnitMove): Promise<PlacedRow[]> {
  const columns = 'host, station, awaits, address, epoch, pages'
  return address === null
    ? sql.all<PlacedRow>(`SELECT ${columns} FROM placement_hosts WHERE host = ?`, [host])
    : sql.all<PlacedRow>(`SELECT ${columns} FROM placement_hosts WHERE address = ?`, [address])
}
