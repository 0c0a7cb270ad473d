/** The station's operations and one more: a visit as ingest would have written it. */
import type { VisitOutcome } from '@minga/protocol'
import type { OperationTable, Sql } from '@minga/store'
import { operations as real } from '../../../src/operations.ts'

export { blobSeries } from '../../../src/operations.ts'

export interface MadeVisit {
  watchId: number
  owner: string
  /** Which page of the watch. */
  hash?: number
  at: number
  outcome: VisitOutcome
  isImportant?: boolean
  magnitude?: number
  /** As if another coordinator had taken the number before, and commits only now. */
  id?: number
}

async function makeVisit(sql: Sql, visit: MadeVisit): Promise<void> {
  const { watchId, owner, hash = 1, at, outcome, isImportant = false, magnitude = 0 } = visit
  const put = (table: string, columns: Record<string, string | number>): Promise<number> =>
    sql.insertMany({
      table,
      columns: Object.keys(columns),
      rows: [Object.values(columns)],
      onConflict: 'ignore',
    })
  const times = { created_at: at, updated_at: at }
  const settings = JSON.stringify({ name: `watch ${watchId}` })
  const watch = { collection_id: watchId, subject: 'list', name: `watch ${watchId}`, settings }
  await put('collections', {
    id: watchId,
    identity: `watch ${watchId}`,
    owner,
    spec: '{}',
    state: 'finished',
    created_at: at,
  })
  await put('watches', { ...watch, ...times })
  const place = { collection_id: watchId, host_id: 1, hash }
  await put('forecasts', { ...place, url: `https://a.test/${hash}`, role: 'page' })
  const code = outcome === 'failed' ? { code: 'MINGA_ROBOTS_DENIED' } : {}
  const facts = { at, outcome, ...code, magnitude, is_important: isImportant ? 1 : 0 }
  const number = visit.id === undefined ? {} : { id: visit.id }
  await put('visits', { ...place, ...facts, ...number })
}

export const operations = { ...real, makeVisit } satisfies OperationTable

export type AlertsFixtureOperations = typeof operations
