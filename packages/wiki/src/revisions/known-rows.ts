/** What the segments of a wiki hold already of given revisions. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { duckDbLibrary, sqlList } from './duckdb.ts'
import type { RevisionFiles } from './revision-files.ts'
import { quotedColumns, rowOf, type Row } from './rows.ts'
import type { Manifest, SegmentRow } from './segment-operations.ts'

export interface KnownRow extends Row {
  segmentId: number
}

export interface Holdings {
  connection: DuckDBConnection
  files: RevisionFiles
  manifest: Pick<Manifest, 'segments' | 'superseded'>
}

/** Looks only into segments whose revisions lie around those asked for. */
export async function knownRows(
  { connection, files, manifest }: Holdings,
  revIds: readonly number[],
): Promise<KnownRow[]> {
  const around = segmentsAround(manifest.segments, revIds)
  if (around.length === 0) return []
  await wantRevisions(connection, revIds)
  const byFile = new Map(around.map((one) => [files.at(one.wikiId, one.rows), one.id]))
  const result = await connection.runAndReadAll(
    `SELECT ${quotedColumns}, filename FROM read_parquet(${sqlList([...byFile.keys()])}, filename = true)
     WHERE rev_id IN (SELECT rev_id FROM wanted)`,
  )
  const gone = supersededKeys(manifest)
  return result.getRowsJS().flatMap((cells) => {
    const row = { ...rowOf(cells), segmentId: byFile.get(cells.at(-1) as string)! }
    return gone.has(`${row.segmentId}/${row.revId}`) ? [] : [row]
  })
}

export function segmentsAround(
  segments: readonly SegmentRow[],
  revIds: readonly number[],
): SegmentRow[] {
  if (revIds.length === 0) return []
  let low = Infinity
  let high = -Infinity
  for (const revId of revIds) {
    if (revId < low) low = revId
    if (revId > high) high = revId
  }
  return segments.filter(({ revMin, revMax }) => revMin <= high && revMax >= low)
}

export const supersededKeys = ({ superseded }: Pick<Manifest, 'superseded'>): Set<string> =>
  new Set(superseded.map(({ segmentId, revId }) => `${segmentId}/${revId}`))

/** Fills the table `wanted`. */
export async function wantRevisions(
  connection: DuckDBConnection,
  revIds: readonly number[],
): Promise<void> {
  const { BIGINT, LIST, listValue } = await duckDbLibrary()
  await connection.run('CREATE OR REPLACE TEMP TABLE wanted (rev_id BIGINT)')
  await connection.run(
    'INSERT INTO wanted SELECT DISTINCT unnest($1)',
    [listValue(revIds.map(BigInt))],
    [LIST(BIGINT)],
  )
}
