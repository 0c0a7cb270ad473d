/** What arrived and waits to be folded, and tombstones of what may not be shown. */
import type { Sql } from '@minga/store'
import type { RevisionSource } from '../model.ts'
import type { Batch } from './batch.ts'
import { findWiki } from './wiki-identity.ts'

/**
 * Numbers for `count` changes of a wiki, the last of which is returned. The wiki's row is held
 * until the commit, so numbers become visible in their order, and no reader of new changes misses
 * one.
 */
export async function nextChanges(sql: Sql, wikiId: number, count: number): Promise<number> {
  const row = await sql.get<{ changes: number }>(
    'UPDATE wikis SET changes = changes + CAST(? AS BIGINT) WHERE id = ? RETURNING changes',
    [count, wikiId],
  )
  return row!.changes
}

export interface AddBatches {
  wikiId: number
  batches: readonly Batch[]
  now: number
}

/** In the same transaction that ends the requests they answer: neither is lost, neither happens twice. */
export async function addBatches(sql: Sql, { wikiId, batches, now }: AddBatches): Promise<void> {
  if (batches.length === 0) return
  const first = (await nextChanges(sql, wikiId, batches.length)) - batches.length + 1
  await sql.insertMany({
    table: 'wiki_batches',
    columns: [
      'wiki_id',
      'seq',
      'page_id',
      'revisions',
      'raw_bytes',
      'stored_bytes',
      'source',
      'seen_at',
      'noted_at',
      'meta',
      'texts',
    ],
    rows: batches.map((batch, index) => [
      wikiId,
      first + index,
      batch.pageId,
      batch.revIds.length,
      batch.rawBytes,
      batch.meta.length + batch.texts.length,
      batch.source,
      batch.seenAt,
      now,
      batch.meta,
      batch.texts,
    ]),
  })
  await sql.insertMany({
    table: 'wiki_pending',
    columns: ['wiki_id', 'rev_id', 'seq'],
    rows: batches.flatMap(({ revIds }, index) =>
      revIds.map((revId) => [wikiId, revId, first + index]),
    ),
    onConflict: 'ignore',
  })
  for (const batch of batches) await noteHidden(sql, { wikiId, batch })
}

/** The wiki hides a field, or shows it again. Only an API says how it is now; a dump may be old. */
async function noteHidden(
  sql: Sql,
  { wikiId, batch }: { wikiId: number; batch: Batch },
): Promise<void> {
  if (batch.source === 'api' && batch.shown.length > 0) {
    await sql.deleteMany({
      table: 'wiki_purges',
      keys: ['wiki_id', 'rev_id', 'kind'],
      rows: batch.shown.map((revId) => [wikiId, revId, 'upstream']),
    })
  }
  await writeTombstone(sql, {
    wikiId,
    revisions: batch.hidden,
    kind: 'upstream',
    reason: 'hidden by the wiki',
    now: batch.seenAt,
  })
}

export type PurgeKind = 'upstream' | 'takedown'

export interface WriteTombstone {
  wikiId: number
  revisions: readonly { revId: number; fields: readonly string[] }[]
  kind: PurgeKind
  reason: string
  now: number
}

/** From now on these are not served any more; the bytes go when the files are rewritten. */
export async function writeTombstone(sql: Sql, asked: WriteTombstone): Promise<void> {
  const { wikiId, revisions, kind, reason, now } = asked
  const known = await sql.selectMany<{ kind: PurgeKind; fields: string }>({
    table: 'wiki_purges',
    keys: ['wiki_id', 'rev_id'],
    rows: revisions.map(({ revId }) => [wikiId, revId]),
    columns: ['kind', 'fields'],
  })
  const fresh = revisions.flatMap(({ revId, fields }, index) => {
    const was = known[index]
    const all = [...new Set([...(was?.fields.split(',') ?? []), ...fields])].toSorted().join(',')
    // A takedown stays one, whatever the wiki says afterwards.
    const stays = was?.kind === 'takedown' ? was.kind : kind
    return was?.fields === all && was.kind === stays ? [] : [[revId, stays, all] as const]
  })
  if (fresh.length === 0) return
  const row = await sql.get<{ entombed: number }>(
    'UPDATE wikis SET entombed = entombed + 1, changes = changes + 1 WHERE id = ? RETURNING entombed',
    [wikiId],
  )
  await sql.insertMany({
    table: 'wiki_purges',
    columns: ['wiki_id', 'rev_id', 'kind', 'fields', 'reason', 'number', 'at', 'done_at'],
    rows: fresh.map((facts) => [wikiId, ...facts, reason, row!.entombed, now, null]),
    onConflict: {
      keys: ['wiki_id', 'rev_id'],
      update: ['kind', 'fields', 'reason', 'number', 'at', 'done_at'],
    },
  })
}

export interface PurgeRow {
  revId: number
  kind: PurgeKind
  fields: string
  reason: string
  at: number
  doneAt: number | null
}

const PURGE = `rev_id AS "revId", kind, fields, reason, at, done_at AS "doneAt"`

/** Tombstones of a wiki; `isOpen`: only those whose bytes may still be in files. */
export function listPurges(
  sql: Sql,
  { wikiId, isOpen = false }: { wikiId: number; isOpen?: boolean },
): Promise<PurgeRow[]> {
  const open = isOpen ? 'AND done_at IS NULL' : ''
  return sql.all(`SELECT ${PURGE} FROM wiki_purges WHERE wiki_id = ? ${open} ORDER BY rev_id`, [
    wikiId,
  ])
}

/** A batch as a row; `texts` is left out where they are not needed. */
export interface BatchRow {
  seq: number
  pageId: number
  source: RevisionSource
  seenAt: number
  meta: Uint8Array
  texts?: Uint8Array
}

export interface PendingBatch {
  seq: number
  pageId: number
  revisions: number
  rawBytes: number
  storedBytes: number
}

/** Everything that waits to be folded, by page, without its bytes. */
export function pendingBatches(sql: Sql, { wikiId }: { wikiId: number }): Promise<PendingBatch[]> {
  return sql.all(
    `SELECT seq, page_id AS "pageId", revisions, raw_bytes AS "rawBytes", stored_bytes AS "storedBytes"
     FROM wiki_batches WHERE wiki_id = ? ORDER BY page_id, seq`,
    [wikiId],
  )
}

export interface PendingTotal {
  wikiId: number
  revisions: number
  rawBytes: number
  storedBytes: number
  /** When the oldest of them arrived. */
  since: number
}

/** Wikis with something to fold. */
export function pendingTotals(sql: Sql): Promise<PendingTotal[]> {
  return sql.all(
    `SELECT wiki_id AS "wikiId", CAST(sum(revisions) AS BIGINT) AS revisions,
       CAST(sum(raw_bytes) AS BIGINT) AS "rawBytes", CAST(sum(stored_bytes) AS BIGINT) AS "storedBytes",
       min(noted_at) AS since
     FROM wiki_batches GROUP BY wiki_id ORDER BY wiki_id`,
  )
}

/** Those of the batches that are still there. */
export async function readBatches(
  sql: Sql,
  asked: { wikiId: number; seqs: readonly number[]; hasTexts?: boolean },
): Promise<BatchRow[]> {
  const columns = ['seq', 'page_id', 'source', 'seen_at', 'meta']
  const rows = await sql.selectMany<Record<string, never>>({
    table: 'wiki_batches',
    keys: ['wiki_id', 'seq'],
    rows: asked.seqs.map((seq) => [asked.wikiId, seq]),
    columns: asked.hasTexts ? [...columns, 'texts'] : columns,
  })
  return rows.flatMap((row) => {
    if (row === undefined) return []
    const { page_id: pageId, seen_at: seenAt, ...rest } = row
    return [{ ...(rest as object), pageId, seenAt } as unknown as BatchRow]
  })
}

/** What is needed to give the text of one revision, in one question. */
export interface RevisionLocation {
  version: number
  purge: PurgeRow | null
  /** Pending ones that tell of it, the newest first, with texts. */
  batches: BatchRow[]
}

export async function locateRevision(
  sql: Sql,
  { wikiId, revId }: { wikiId: number; revId: number },
): Promise<RevisionLocation> {
  const wiki = await sql.get<{ version: number }>('SELECT version FROM wikis WHERE id = ?', [
    wikiId,
  ])
  const purge = await sql.get<PurgeRow>(
    `SELECT ${PURGE} FROM wiki_purges WHERE wiki_id = ? AND rev_id = ?`,
    [wikiId, revId],
  )
  const pending = await sql.all<{ seq: number }>(
    'SELECT seq FROM wiki_pending WHERE wiki_id = ? AND rev_id = ? ORDER BY seq DESC',
    [wikiId, revId],
  )
  const seqs = pending.map(({ seq }) => seq)
  const batches = await readBatches(sql, { wikiId, seqs, hasTexts: true })
  return { version: wiki?.version ?? 0, purge: purge ?? null, batches }
}

export interface NamedRevisionLocation extends RevisionLocation {
  wikiId: number
}

/** The same for a wiki by any of its names, so that a reader of a text needs one call. */
export async function locateRevisionByName(
  sql: Sql,
  { wiki, revId }: { wiki: string; revId: number },
): Promise<NamedRevisionLocation> {
  const byKey = await sql.get<{ id: number }>('SELECT id FROM wikis WHERE key = ?', [wiki])
  const wikiId = byKey?.id ?? (await findWiki(sql, { wiki })).wikiId
  return { wikiId, ...(await locateRevision(sql, { wikiId, revId })) }
}

/** A pending batch without what was purged from it. False when it was folded in the meantime. */
export async function replaceBatch(
  sql: Sql,
  { wikiId, seq, batch }: { wikiId: number; seq: number; batch: Batch },
): Promise<boolean> {
  await sql.wipe()
  const changed = await sql.run(
    `UPDATE wiki_batches SET meta = ?, texts = ?, raw_bytes = ?, stored_bytes = ?
     WHERE wiki_id = ? AND seq = ?`,
    [batch.meta, batch.texts, batch.rawBytes, batch.meta.length + batch.texts.length, wikiId, seq],
  )
  if (changed === 1) await nextChanges(sql, wikiId, 1)
  return changed === 1
}
