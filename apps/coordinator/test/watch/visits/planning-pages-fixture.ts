/**
 * The coordinator's operations, and in addition: pages after a month of visits, the notices about
 * them, and how long they wait. Loaded by the store.
 */
import { encodeBelief, newBelief, observeVisit, rateOf } from '@minga/forecast'
import type { OperationTable, Sql } from '@minga/store'
import { operations as coordinator } from '../../../src/operations.ts'
import { START } from '../../station-fixture.ts'
import { KNOWN_COLUMNS } from './forecast-columns-fixture.ts'

export { blobSeries } from '../../../src/operations.ts'

const DAY_MS = 86_400_000

export interface Pages {
  collectionId: number
  count: number
  /** All on one host, of this id; absent: each on its own. */
  hostId?: number
  bytes?: number
  crawlDelayMs?: number
}

/** They changed at every second of thirty daily visits. */
async function addPages(sql: Sql, args: Pages): Promise<void> {
  const { collectionId, count, hostId, bytes = 0, crawlDelayMs = 0 } = args
  const belief = newBelief()
  for (let day = 0; day < 30; day++) {
    const at = START - (29 - day) * DAY_MS
    observeVisit(belief, { at, sinceMs: DAY_MS, changed: day % 2 === 0 })
  }
  const rate = rateOf(belief).perDay
  const first = hostId ?? 1_000 * collectionId
  const hosts = Array.from({ length: hostId === undefined ? count : 1 }, (_, i) => first + i)
  await sql.insertMany({
    table: 'hosts',
    columns: ['id', 'name', 'crawl_delay_ms'],
    rows: hosts.map((id) => [id, `host-${id}.test`, crawlDelayMs]),
  })
  await sql.insertMany({
    table: 'forecasts',
    columns: COLUMNS,
    rows: Array.from({ length: count }, (_, i) => {
      const id = hostId ?? first + i
      const visits = [START + 30 * DAY_MS, START - 30 * DAY_MS, START, 30, 15, 1, rate]
      const known = [...visits, encodeBelief(belief), bytes]
      return [collectionId, id, i, `http://host-${id}.test/${i}`, 'page', 1, ...known]
    }),
  })
}

const COLUMNS = [...KNOWN_COLUMNS, 'usual_bytes']

/**
 * Notices of a hook for this many changes of the first page; each `caughtEvery`th was seen by a
 * visit.
 */
async function addNotices(
  sql: Sql,
  args: { collectionId: number; count: number; caughtEvery: number },
): Promise<void> {
  const { collectionId, count, caughtEvery } = args
  await sql.insertMany({
    table: 'notices',
    columns: ['collection_id', 'host_id', 'hash', 'url', 'source', 'at', 'is_early'].concat([
      'outcome',
      'settled_at',
    ]),
    rows: Array.from({ length: count }, (_, i) => {
      const at = START - (count - i) * 3_600_000
      const settledAt = START - (count - (i - (i % caughtEvery))) * 3_600_000
      return [collectionId, 1_000 * collectionId, 0, 'told', 'hook', at, 1, 'changed', settledAt]
    }),
  })
}

/** Days from the last visit to the next, in the order of the pages. */
async function gapsOf(sql: Sql, { collectionId }: { collectionId: number }): Promise<number[]> {
  const rows = await sql.all<{ ms: number }>(
    `SELECT next_visit_at - last_visit_at AS ms FROM forecasts WHERE collection_id = ?
     ORDER BY hash`,
    [collectionId],
  )
  return rows.map(({ ms }) => ms / DAY_MS)
}

export const operations = {
  ...coordinator,
  addPages,
  addNotices,
  gapsOf,
} satisfies OperationTable

export type PlanningOperations = typeof operations
