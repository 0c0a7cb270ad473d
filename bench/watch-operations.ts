/**
 * The coordinator's own operations, as they are, and two more: one that fills the tables of
 * watching as months of visits would have, one that ends visits without an agent. Loaded by the
 * store's thread.
 */
import { encodeBelief, newBelief, observeVisit, rateOf } from '@minga/forecast'
import type { Operations } from '@minga/coordinator'
import type { BlobSeries, OperationTable, Sql, Value } from '@minga/store'

interface OperationsModule {
  operations: Operations
  blobSeries: Record<string, BlobSeries>
}

interface EndModule {
  endVisits: (sql: Sql, args: { ended: object[]; now: number }) => Promise<void>
}

interface RowsModule {
  forecastsAt: (sql: Sql, places: object[]) => Promise<object[]>
  watchesOf: (sql: Sql, ids: number[]) => Promise<Map<number, object>>
}

// By address: a program's operations are no part of what its package offers to others.
const at = (file: string): string =>
  new URL(`../apps/coordinator/src/${file}`, import.meta.url).href
const coordinator = (await import(at('operations.ts'))) as OperationsModule
const { endVisits } = (await import(at('watch/visits/end-visits.ts'))) as EndModule
const { forecastsAt, watchesOf } = (await import(at('watch/plan/forecast-rows.ts'))) as RowsModule

const { KNOWN_COLUMNS } = (await import(
  at('../test/watch/visits/forecast-columns-fixture.ts')
)) as {
  KNOWN_COLUMNS: string[]
}

const DAY_MS = 86_400_000
/** Beliefs are drawn from a few thousand that were really learnt. */
const KINDS = 4_096

/** A spread of rates as on the web: a few changes a year to several a day. */
function learntBeliefs(now: number): { bytes: Uint8Array; rate: number }[] {
  return Array.from({ length: KINDS }, (_, i) => {
    const perDay = 0.003 * 2_000 ** (i / KINDS)
    const belief = newBelief()
    for (let visit = 0; visit < 30; visit++) {
      // A low-discrepancy draw instead of a random one: the same on every run.
      const draw = ((visit + 1) * 0.618_033_988_749_895 + i * 0.414_213_562_373_095) % 1
      const changed = draw < 1 - Math.exp(-perDay)
      observeVisit(belief, { at: now - (30 - visit) * DAY_MS, sinceMs: DAY_MS, changed })
    }
    return { bytes: encodeBelief(belief), rate: rateOf(belief).perDay }
  })
}

export interface FillWatch {
  collectionId: number
  from: number
  count: number
  now: number
}

async function benchFill(sql: Sql, { collectionId, from, count, now }: FillWatch): Promise<void> {
  const beliefs = learntBeliefs(now)
  const rows: Value[][] = []
  for (let i = from; i < from + count; i++) {
    const { bytes, rate } = beliefs[Math.imul(i, 2_654_435_761) >>> 20]!
    const url = `https://site-${i % 50_000}.example/pages/${i}`
    const hash = Math.imul(i, 2_246_822_519) >>> 0
    rows.push([
      collectionId,
      i % 50_000,
      hash * 1_048_576 + (i % 1_048_576),
      url,
      'page',
      1 + (i % 5),
      now + ((hash % DAY_MS) + 3_600_000),
      now - 30 * DAY_MS,
      now - (hash % DAY_MS),
      30,
      i % 30,
      0.2,
      rate,
      bytes,
    ])
  }
  await sql.insertMany({ table: 'forecasts', columns: KNOWN_COLUMNS, rows })
}

/** So many visits end, half of them with a change. */
async function benchVisits(
  sql: Sql,
  { collectionId, count, now }: { collectionId: number; count: number; now: number },
): Promise<number> {
  const places = await sql.all<{ host_id: number; hash: number }>(
    `SELECT host_id, hash FROM forecasts WHERE collection_id = ? ORDER BY next_visit_at LIMIT ?`,
    [collectionId, count],
  )
  const rows = await forecastsAt(
    sql,
    places.map(({ host_id: hostId, hash }) => ({ collectionId, hostId, hash })),
  )
  const watch = (await watchesOf(sql, [collectionId])).get(collectionId)!
  const startedMs = performance.now()
  const ended = rows.map((forecast, i) => {
    const isChange = i % 2 === 0
    const magnitude = isChange ? 0.2 : 0
    const change = {
      visual: 0,
      structural: 0,
      content: magnitude,
      magnitude,
      isImportant: isChange,
    }
    const outcome = isChange ? 'changed' : 'unchanged'
    const visit = { outcome, at: now, code: null, change, bytes: 0 } as const
    return {
      forecast,
      watch,
      visit: { ...visit, captureId: null, memory: null, isTwin: false, warnings: [] },
    }
  })
  await endVisits(sql, { ended, now })
  return (performance.now() - startedMs) / count
}

export const operations = {
  ...coordinator.operations,
  benchFill,
  benchVisits,
} satisfies OperationTable

export type WatchBenchOperations = typeof operations

export const blobSeries = coordinator.blobSeries
