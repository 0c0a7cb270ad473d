/**
 * Rewritten segments: several small ones into one (compaction), or without what was purged. Rows
 * that other segments have again are left out on the way; readers keep the old files until theirs
 * are dropped.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { faultPoint } from '@minga/protocol'
import { compactPacks } from '../packs/compact-packs.ts'
import { PackReader } from '../packs/pack-reader.ts'
import type { PurgeRow } from './batch-operations.ts'
import { duckDbLibrary, sqlList } from './duckdb.ts'
import { segmentsAround, supersededKeys, wantRevisions } from './known-rows.ts'
import { count, stripped } from './plan-fold.ts'
import { fileName, writeFiles, type RevisionStore, type Writing } from './revision-store.ts'
import { quotedColumns, rowOf, type Row } from './rows.ts'
import type { CommitFold, CommitOutcome, PageDelta } from './commit-operations.ts'
import type { Manifest, NewSegment, SegmentRow } from './segment-operations.ts'
import { SegmentWriter } from './segment-writer.ts'

export interface Rewrite {
  kind: 'compact' | 'purge'
  /** All of one part, oldest first. */
  segments: readonly number[]
}

/** False when others changed these segments in the meantime. */
export async function rewriteSegments(
  store: RevisionStore,
  wikiId: number,
  { kind, segments }: Rewrite,
): Promise<boolean> {
  const outcome = await writeFiles(store, { wikiId, kind }, async (writing, connection) => {
    const inputs = writing.manifest.segments.filter(({ id }) => segments.includes(id))
    const isThere = inputs.length === segments.length
    return isThere ? rewrite(writing, connection, inputs) : 'moved'
  })
  return outcome === 'done'
}

async function rewrite(
  writing: Writing,
  connection: DuckDBConnection,
  inputs: readonly SegmentRow[],
): Promise<CommitOutcome> {
  const { store, wikiId, manifest } = writing
  const listed = await store.call('wikiListPurges', { wikiId })
  const purges = new Map(listed.map((purge) => [purge.revId, purge]))
  const packs = await openAll(writing, manifest.segments)
  const pages = new Map<number, PageDelta>()
  let added: NewSegment | null
  try {
    const writer = await SegmentWriter.create(writing, connection, {
      part: inputs[0]!.part,
      ownPack: true,
    })
    await copyRows(writing, connection, { inputs, purges, writer, pages })
    const pack = await writePack(writing, { inputs, purges, packs })
    const revMin = Math.min(...inputs.map((input) => input.revMin))
    const revMax = Math.max(...inputs.map((input) => input.revMax))
    added = await writer.finish({ pack, revMin, revMax })
  } finally {
    for (const pack of packs.values()) await pack.close()
  }
  faultPoint(`wiki:${writing.kind}:after-rename`)
  const outcome = await commit(writing, { inputs, added, pages: [...pages.values()] })
  faultPoint(`wiki:${writing.kind}:after-commit`)
  return outcome
}

async function openAll(
  { store }: Writing,
  segments: readonly SegmentRow[],
): Promise<Map<number, PackReader>> {
  const open = new Map<number, PackReader>()
  for (const { id, wikiId, pack } of segments) {
    open.set(id, await PackReader.open(store.files.at(wikiId, pack)))
  }
  return open
}

interface CopyRows {
  inputs: readonly SegmentRow[]
  purges: ReadonlyMap<number, PurgeRow>
  writer: SegmentWriter
  pages: Map<number, PageDelta>
}

/** Rows go from file to file inside DuckDB, but for those of tombstones, which are taken out and changed. */
async function copyRows(
  { store, manifest }: Writing,
  connection: DuckDBConnection,
  { inputs, purges, writer, pages }: CopyRows,
): Promise<void> {
  const files = inputs.map(({ wikiId, rows }) => store.files.at(wikiId, rows))
  await markSuperseded(connection, store, { manifest, inputs })
  await wantRevisions(connection, [...purges.keys()])
  const live = `(SELECT * FROM read_parquet(${sqlList(files)}, filename = true) AS r
    WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.file = r.filename AND g.rev_id = r.rev_id))`
  await writer.addFrom(`${live} WHERE rev_id NOT IN (SELECT rev_id FROM wanted)`)
  const result = await connection.runAndReadAll(
    `SELECT ${quotedColumns} FROM ${live} WHERE rev_id IN (SELECT rev_id FROM wanted)`,
  )
  for (const cells of result.getRowsJS()) {
    const row: Row = rowOf(cells)
    const bare = stripped(row, purges.get(row.revId))
    count(pages, row, -1)
    count(pages, bare, 1)
    await writer.add(bare, [])
  }
}

/** Fills the table `gone`: rows of these files that later segments have again. */
async function markSuperseded(
  connection: DuckDBConnection,
  { files }: RevisionStore,
  { manifest, inputs }: { manifest: Manifest; inputs: readonly SegmentRow[] },
): Promise<void> {
  const { BIGINT, LIST, listValue, VARCHAR } = await duckDbLibrary()
  const fileOf = new Map(inputs.map(({ id, wikiId, rows }) => [id, files.at(wikiId, rows)]))
  const own = manifest.superseded.filter(({ segmentId }) => fileOf.has(segmentId))
  await connection.run('CREATE OR REPLACE TEMP TABLE gone (file VARCHAR, rev_id BIGINT)')
  await connection.run(
    'INSERT INTO gone SELECT unnest($1), unnest($2)',
    [
      listValue(own.map(({ segmentId }) => fileOf.get(segmentId)!)),
      listValue(own.map(({ revId }) => BigInt(revId))),
    ],
    [LIST(VARCHAR), LIST(BIGINT)],
  )
}

interface WritePack {
  inputs: readonly SegmentRow[]
  purges: ReadonlyMap<number, PurgeRow>
  packs: ReadonlyMap<number, PackReader>
}

/**
 * Texts that have a tombstone go; so do those that a later segment, not rewritten here, has itself.
 */
async function writePack(
  { store, wikiId, fold, manifest }: Writing,
  { inputs, purges, packs }: WritePack,
): ReturnType<typeof compactPacks> {
  const hidden = (revId: number): boolean =>
    purges.get(revId)?.fields.split(',').includes('text') ?? false
  const ids = new Set(inputs.map(({ id }) => id))
  const elsewhere = new Set<number>()
  for (const { segmentId, revId } of manifest.superseded) {
    if (!ids.has(segmentId)) continue
    const later = segmentsAround(manifest.segments, [revId]).filter(
      ({ id }) => id > segmentId && !ids.has(id),
    )
    for (const { id } of later) if (await packs.get(id)!.has(revId)) elsewhere.add(revId)
  }
  const out = store.files.at(wikiId, fileName(fold, inputs[0]!.part, 'pack'))
  return compactPacks(
    inputs.map(({ id }) => packs.get(id)!),
    out,
    { drop: ({ revId }) => hidden(revId) || elsewhere.has(revId) },
  )
}

interface Rewritten {
  inputs: readonly SegmentRow[]
  added: NewSegment | null
  pages: readonly PageDelta[]
}

function commit(
  { store, wikiId, fold, manifest }: Writing,
  { inputs, added, pages }: Rewritten,
): Promise<CommitOutcome> {
  const ids = inputs.map(({ id }) => id)
  const own = supersededKeys(manifest)
  const superseded = [...own].filter((key) => ids.includes(Number(key.split('/')[0]))).length
  const args: CommitFold = {
    wikiId,
    fold,
    now: store.clock.now(),
    expects: { segments: ids, superseded },
    entombed: manifest.entombed,
    added: added === null ? [] : [added],
    removed: ids,
    batches: [],
    superseded: [],
    supersededNew: [],
    pages,
  }
  return store.call('wikiCommitFold', args)
}
