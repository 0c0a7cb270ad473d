/**
 * Removes from the files what may not be shown any more. The tombstone comes first, in a separate
 * transaction: from then on the text is not served, whatever is still stored somewhere. Then
 * pending batches and segments are rewritten, and old files removed at once, even while they are
 * being read.
 */
import { PackReader } from '../packs/pack-reader.ts'
import type { BatchRow, WriteTombstone, PurgeRow } from './batch-operations.ts'
import { decodeBatch, encodeBatch, type WaitingRevision } from './batch.ts'
import type { Revision } from '../model.ts'
import { openDuckDb } from './duckdb.ts'
import { knownRows, segmentsAround } from './known-rows.ts'
import { stripped } from './plan-fold.ts'
import { rewriteSegments } from './rewrite-segments.ts'
import { isFileGone } from './revision-files.ts'
import type { RevisionStore } from './revision-store.ts'
import type { SegmentRow } from './segment-operations.ts'
import { removeGone } from './tidy.ts'

/** Folds may come between; then what they wrote is checked again. */
const ROUNDS = 5

export async function writeTombstones(store: RevisionStore, asked: WriteTombstone): Promise<void> {
  await store.call('wikiWriteTombstone', asked)
  await finishPurges(store, asked.wikiId)
}

/** Finishes what tombstones ask for; also after a stop in the middle. Returns how many were finished. */
export async function finishPurges(store: RevisionStore, wikiId: number): Promise<number> {
  for (let round = 0; round < ROUNDS; round++) {
    const open = await store.call('wikiListPurges', { wikiId, isOpen: true })
    if (open.length === 0) return 0
    await purgePending(store, wikiId, open)
    await purgeSegments(store, wikiId, open)
    const { version } = await store.call('wikiManifest', { wikiId })
    await removeGone(store, { before: store.clock.now(), wikiId })
    const isClean = (await segmentsWith(store, wikiId, open)).length === 0
    const revIds = open.map(({ revId }) => revId)
    const closing = { wikiId, version, revIds, now: store.clock.now() }
    if (isClean && (await store.call('wikiClosePurges', closing))) return open.length
  }
  return 0
}

async function purgePending(
  store: RevisionStore,
  wikiId: number,
  open: readonly PurgeRow[],
): Promise<void> {
  const purges = new Map(open.map((purge) => [purge.revId, purge]))
  for (const { revId } of open) {
    const { batches } = await store.call('wikiLocateRevision', { wikiId, revId })
    for (const batch of batches) {
      const bare = withoutPurged(batch, purges)
      if (bare === null) continue
      await store.call('wikiReplaceBatch', { wikiId, seq: batch.seq, batch: bare })
    }
  }
}

/** Null when there is nothing of it in the batch. */
function withoutPurged(
  batch: BatchRow,
  purges: ReadonlyMap<number, PurgeRow>,
): ReturnType<typeof encodeBatch> | null {
  const revisions = decodeBatch(batch)
  const bare = revisions.map((revision) => {
    const row = stripped({ ...revision, seq: batch.seq }, purges.get(revision.revId))
    return row.hidden.includes('text') ? { ...row, slots: row.slots.map(emptied) } : row
  })
  const isSame = bare.every((row, index) => factsOf(row) === factsOf(revisions[index]!))
  return isSame ? null : encodeBatch(bare.map(plain), batch)
}

const emptied = (slot: Revision['slots'][number]): Revision['slots'][number] => ({
  ...slot,
  text: null,
})

const factsOf = ({ user, comment, hidden, heldRoles, sha1 }: WaitingRevision): string =>
  JSON.stringify([user, comment, hidden.toSorted(), heldRoles, sha1])

function plain(row: WaitingRevision & { seq: number }): Revision {
  const { heldRoles: _, textBytes: __, source: ___, seenAt: ____, seq: _____, ...revision } = row
  return revision
}

async function purgeSegments(
  store: RevisionStore,
  wikiId: number,
  open: readonly PurgeRow[],
): Promise<void> {
  for (const { id } of await segmentsWith(store, wikiId, open)) {
    await rewriteSegments(store, wikiId, { kind: 'purge', segments: [id] })
  }
}

/** Segments whose files still tell something that a tombstone names. */
async function segmentsWith(
  store: RevisionStore,
  wikiId: number,
  open: readonly PurgeRow[],
): Promise<SegmentRow[]> {
  const { segments } = await store.call('wikiManifest', { wikiId })
  const found: SegmentRow[] = []
  for (const segment of segments) {
    // One that was removed in the meantime is not in the next manifest, which is looked at before
    // the end.
    const tells = await tellsAny(store, segment, open).catch((error: unknown) => {
      if (isFileGone(error)) return false
      throw error
    })
    if (tells) found.push(segment)
  }
  return found
}

async function tellsAny(
  store: RevisionStore,
  segment: SegmentRow,
  open: readonly PurgeRow[],
): Promise<boolean> {
  const near = open.filter(({ revId }) => segmentsAround([segment], [revId]).length > 0)
  if (near.length === 0) return false
  const pack = await PackReader.open(store.files.at(segment.wikiId, segment.pack))
  try {
    for (const { revId } of near) if (await pack.has(revId)) return true
  } finally {
    await pack.close()
  }
  return tellsFacts(store, segment, near)
}

/** Rows that a tombstone has not changed yet; also such as later segments have again. */
async function tellsFacts(
  store: RevisionStore,
  segment: SegmentRow,
  near: readonly PurgeRow[],
): Promise<boolean> {
  const purges = new Map(near.map((purge) => [purge.revId, purge]))
  const duckDb = await openDuckDb({ ...store.limits, spillFolder: null })
  try {
    const manifest = { segments: [segment], superseded: [] }
    const holdings = { connection: duckDb.connection, files: store.files, manifest }
    const rows = await knownRows(holdings, [...purges.keys()])
    return rows.some((row) => factsOf(row) !== factsOf(stripped(row, purges.get(row.revId))))
  } finally {
    duckDb.close()
  }
}
