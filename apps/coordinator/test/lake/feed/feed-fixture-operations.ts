/** The station's operations, and one that makes something happen: for tests of kills. */
import { noteStationEvents, type Sql, type OperationTable } from '@minga/store'
import { insertCaptures, type NewCapture } from '../../../src/archive/captures/captures.ts'
import { operations as ofStation } from '../../../src/operations.ts'
import { markForPurge, lowerFeedMarks } from '../../../src/archive/pending-purges.ts'
import { pack } from '../../../src/lake/feed/packed-rows.ts'

export { blobSeries } from '../../../src/operations.ts'

export const ROWS = 10

/** Every fourth round is taken down. */
export const isPurged = (round: number): boolean => round % 4 === 3

export const urlOf = (round: number, row: number): string => `http://round.test/${round}/${row}`

const capture = (round: number, row: number): NewCapture => ({
  collectionId: 1,
  hostId: 1,
  hash: 1,
  url: urlOf(round, row),
  capturedAt: round,
  kind: 'response',
  status: 200,
  mime: 'text/html',
  digest: '-',
  payloadBytes: row,
  file: 'a.warc.gz',
  offset: 0,
  length: 1,
  recordId: null,
  title: null,
  etag: null,
  lastModified: null,
  device: null,
  verified: 1,
})

/**
 * What happens in a round, in one transaction. Returns the next round; repeated after a kill it
 * continues.
 */
async function happen(sql: Sql): Promise<number> {
  const last = await sql.get<{ value: string }>(
    `SELECT value FROM station_facts WHERE name = 'round'`,
  )
  const round = Number(last?.value ?? 0)
  const rows = Array.from({ length: ROWS }, (_, row) => row)
  await insertCaptures(
    sql,
    rows.map((row) => capture(round, row)),
  )
  const links = rows.map((row) => ({
    place: row,
    collection: 1,
    url: urlOf(round, row),
    at: round,
    to: [['link', ['http://round.test/']]] as [string, string[]][],
  }))
  await sql.insertMany({
    table: 'lake_batches',
    columns: ['feed', 'row_count', 'kept', 'bytes'],
    rows: [['links', ROWS, JSON.stringify(rows), pack(links)]],
  })
  await noteStationEvents(sql, [{ at: round, kind: 'round', subject: String(round), detail: '' }])
  await sql.run(
    `INSERT INTO station_facts (name, value) VALUES ('round', ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(round + 1)],
  )
  return round + 1
}

async function takeDownRound(sql: Sql, { round }: { round: number }): Promise<void> {
  await markForPurge(sql, 'captured_at = ?', [round])
  await sql.run('DELETE FROM captures WHERE captured_at = ?', [round])
  await lowerFeedMarks(sql)
}

export const operations = { ...ofStation, happen, takeDownRound } satisfies OperationTable

export type FeedFixtureOperations = typeof operations
