/**
 * A *fold* turns what arrived into files: batches of the database → one segment per part.
 *
 *   begin → read what waits → what is known of it already? → write → commit
 *
 * Files come first, then one transaction in which they begin to exist and the batches end. A process
 * killed anywhere between leaves files that no row names; they are removed at the next opening.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { faultPoint } from '@minga/protocol'
import { partOf } from '../packs/part-of.ts'
import { BatchTexts } from './batch-texts.ts'
import { decodeBatch } from './batch.ts'
import type { PendingBatch } from './batch-operations.ts'
import { knownRows } from './known-rows.ts'
import { planFold, type FoldPlan, type FoldedRow } from './plan-fold.ts'
import { writeFiles, type RevisionStore, type Writing } from './revision-store.ts'
import type { Row } from './rows.ts'
import type { CommitFold, CommitOutcome } from './commit-operations.ts'
import type { NewSegment } from './segment-operations.ts'
import { SegmentWriter } from './segment-writer.ts'

/** So much text is folded at a time; what is beyond waits for the next round. */
const ROUND_RAW_BYTES = 512 * 1024 * 1024
const ROUND_REVISIONS = 200_000
/** Rows are read from the store in pieces of so many batches. */
const BATCHES_PER_READ = 200
/** Another writer changed the wiki's files in the meantime: number of attempts. */
const ATTEMPTS = 5

/** Folds everything that waits. Returns how many revisions were written. */
export async function foldWiki(store: RevisionStore, wikiId: number): Promise<number> {
  let written = 0
  for (let attempt = 0; attempt < ATTEMPTS;) {
    const waiting = await store.call('wikiPending', { wikiId })
    if (waiting.length === 0) break
    const outcome = await foldRound(store, wikiId, roundOf(waiting))
    if (outcome === null) attempt++
    else written += outcome
  }
  return written
}

/** Whole pages, so that a history is not torn into two segments for nothing. */
function roundOf(waiting: readonly PendingBatch[]): PendingBatch[] {
  let rawBytes = 0
  let revisions = 0
  let end = 0
  for (const [index, batch] of waiting.entries()) {
    const isNewPage = batch.pageId !== waiting[index - 1]?.pageId
    if (isNewPage && (rawBytes > ROUND_RAW_BYTES || revisions > ROUND_REVISIONS)) break
    rawBytes += batch.rawBytes
    revisions += batch.revisions
    end = index + 1
  }
  return waiting.slice(0, end)
}

/** Null when others were quicker. */
async function foldRound(
  store: RevisionStore,
  wikiId: number,
  batches: readonly PendingBatch[],
): Promise<number | null> {
  let written = 0
  const outcome = await writeFiles(store, { wikiId, kind: 'fold' }, async (writing, connection) => {
    const plan = await planOf(writing, connection, batches)
    const added = await writeSegments(writing, connection, plan.rows)
    faultPoint('wiki:fold:after-rename')
    written = plan.rows.length
    const committed = await commit(writing, plan, { added, batches })
    faultPoint('wiki:fold:after-commit')
    return committed
  })
  return outcome === 'done' ? written : null
}

async function planOf(
  writing: Writing,
  connection: DuckDBConnection,
  batches: readonly PendingBatch[],
): Promise<FoldPlan> {
  const { store, wikiId, manifest } = writing
  const arrived = await readRows(store, wikiId, batches)
  const holdings = { connection, files: store.files, manifest }
  const known = await knownRows(
    holdings,
    arrived.map(({ revId }) => revId),
  )
  const purges = await store.call('wikiListPurges', { wikiId })
  return planFold(arrived, known, new Map(purges.map((purge) => [purge.revId, purge])))
}

async function readRows(
  store: RevisionStore,
  wikiId: number,
  batches: readonly PendingBatch[],
): Promise<Row[]> {
  const rows: Row[] = []
  for (let from = 0; from < batches.length; from += BATCHES_PER_READ) {
    const seqs = batches.slice(from, from + BATCHES_PER_READ).map(({ seq }) => seq)
    const read = await store.call('wikiReadBatches', { wikiId, seqs })
    for (const batch of read) {
      for (const revision of decodeBatch(batch)) rows.push({ ...revision, seq: batch.seq })
    }
  }
  return rows
}

async function writeSegments(
  writing: Writing,
  connection: DuckDBConnection,
  rows: readonly FoldedRow[],
): Promise<NewSegment[]> {
  const { store, wikiId, manifest } = writing
  const texts = new BatchTexts(store.call, wikiId)
  const byPart = Map.groupBy(rows, ({ row }) => partOf(wikiId, row.pageId, manifest.parts))
  const added: NewSegment[] = []
  for (const [part, own] of byPart) {
    const writer = await SegmentWriter.create(writing, connection, { part })
    for (const { row, texts: wanted } of own) {
      await writer.add(row, await texts.of(row.revId, wanted))
    }
    const segment = await writer.finish()
    if (segment !== null) added.push(segment)
    await store.call('wikiRenewFold', { wikiId, fold: writing.fold, now: store.clock.now() })
  }
  return added
}

function commit(
  { store, wikiId, fold, manifest }: Writing,
  plan: FoldPlan,
  { added, batches }: { added: NewSegment[]; batches: readonly PendingBatch[] },
): Promise<CommitOutcome> {
  const args: CommitFold = {
    wikiId,
    fold,
    now: store.clock.now(),
    expects: { version: manifest.version },
    entombed: manifest.entombed,
    added,
    removed: [],
    batches: batches.map(({ seq }) => seq),
    superseded: plan.superseded,
    supersededNew: [],
    pages: plan.pages,
  }
  return store.call('wikiCommitFold', args)
}
