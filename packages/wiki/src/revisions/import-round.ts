/** One round of an import: the segments that begin to exist together, with the place that the dump was read to. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { faultPoint } from '@minga/protocol'
import type { PageEnd } from '../dump/import-dump.ts'
import type { DumpLogItem } from '../dump/dump-model.ts'
import type { Page, Revision } from '../model.ts'
import { partOf } from '../packs/part-of.ts'
import type { Gap } from '../api/gap.ts'
import type { PurgeRow } from './batch-operations.ts'
import { waiting } from './batch.ts'
import { openDuckDb, sqlList, type DuckDb } from './duckdb.ts'
import { knownRows, supersededKeys } from './known-rows.ts'
import { isLater } from './merge-revisions.ts'
import type { EventNote, PageNote, PageRow } from './page-operations.ts'
import { count, planFold } from './plan-fold.ts'
import {
  abandonWriting,
  beginWriting,
  fileName,
  type RevisionStore,
  type Writing,
} from './revision-store.ts'
import { quotedColumns, rowOf, type Row } from './rows.ts'
import type { CommitFold, CommitOutcome, PageDelta } from './commit-operations.ts'
import type { Manifest, NewSegment, Superseded } from './segment-operations.ts'
import { SegmentWriter, type SlotText } from './segment-writer.ts'

/** Others may commit in the meantime; then what they brought is compared as well. */
const ATTEMPTS = 5

interface Clash {
  superseded: Superseded[]
  supersededNew: { index: number; revId: number }[]
  pages: PageDelta[]
}

export class ImportRound {
  readonly #writing: Writing
  readonly #duckDb: DuckDb
  readonly #purges: ReadonlyMap<number, PurgeRow>
  readonly #seenAt: number | null
  readonly #writers = new Map<number, SegmentWriter>()
  /** Revisions seen in this round: a dump that has a revision twice is believed once. */
  readonly #told = new Set<number>()
  readonly #deltas = new Map<number, PageDelta>()
  readonly #superseded: Superseded[] = []
  readonly #notes: PageNote[] = []
  readonly #gaps: Gap[] = []
  readonly #events: EventNote[] = []
  #newest: { at: number; revId: number } | null = null

  private constructor(
    opened: { writing: Writing; duckDb: DuckDb; purges: readonly PurgeRow[] },
    seenAt: number | null,
  ) {
    this.#writing = opened.writing
    this.#duckDb = opened.duckDb
    this.#purges = new Map(opened.purges.map((purge) => [purge.revId, purge]))
    this.#seenAt = seenAt
  }

  get wikiId(): number {
    return this.#writing.wikiId
  }

  static async begin(
    store: RevisionStore,
    wikiId: number,
    seenAt: number | null,
  ): Promise<ImportRound> {
    const writing = await beginWriting(store, wikiId, 'import')
    const spillFolder = store.files.at(wikiId, fileName(writing.fold, 0, 'spill'))
    const duckDb = await openDuckDb({ ...store.limits, spillFolder })
    const purges = await store.call('wikiListPurges', { wikiId })
    return new ImportRound({ writing, duckDb, purges }, seenAt)
  }

  get size(): { rawBytes: number; rows: number; pages: number } {
    const writers = [...this.#writers.values()]
    return {
      rawBytes: writers.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
      rows: writers.reduce((sum, { rows }) => sum + rows, 0),
      pages: this.#notes.length + this.#events.length,
    }
  }

  /** `known`: what was known of the page before this import. */
  beginPage(_page: Page, known: PageRow | null): void {
    this.#newest = null
    if (known?.lastRevId != null) this.#newest = { at: 0, revId: known.lastRevId }
  }

  async add(
    page: Page,
    revisions: readonly Revision[],
    { isKnown }: { isKnown: boolean },
  ): Promise<void> {
    const fresh = revisions.filter(({ revId }) => !this.#told.has(revId))
    for (const { revId } of fresh) this.#told.add(revId)
    const { fold, store, manifest, wikiId } = this.#writing
    const arrived = fresh.map((revision): Row => {
      const seenAt = this.#seenAt ?? revision.at
      return { ...waiting(revision, { source: 'dump', seenAt }), seq: fold }
    })
    const holdings = { connection: this.#duckDb.connection, files: store.files, manifest }
    const revIds = arrived.map(({ revId }) => revId)
    const known = isKnown ? await knownRows(holdings, revIds) : []
    const plan = planFold(arrived, known, this.#purges)
    this.#superseded.push(...plan.superseded)
    for (const delta of plan.pages) this.#addDelta(delta)
    const texts = new Map(fresh.map((revision) => [revision.revId, revision]))
    const writer = await this.#writer(partOf(wikiId, page.pageId, manifest.parts))
    for (const { row, texts: wanted } of plan.rows) {
      await writer.add(row, textsOf(texts.get(row.revId)!, wanted))
      this.#noteNewest(row)
    }
  }

  endPage(page: Page, told: PageEnd, known: PageRow | null): void {
    const gaps = told.gaps.map(({ pageId, revId, kind, detail, explainedBy }) => ({
      pageId,
      revId,
      kind,
      detail,
      explainedBy,
    }))
    this.#gaps.push(...gaps)
    const extractedAt = this.#writing.store.clock.now()
    const state = told.isWhole && gaps.length === 0 ? 'complete' : 'gapped'
    // What the wiki itself said after the dump was made is not overwritten by it.
    const isOlder =
      known !== null && known.source === 'api' && (known.lastAt ?? 0) > (this.#seenAt ?? 0)
    const facts = isOlder ? known : page
    this.#notes.push({
      pageId: page.pageId,
      ns: facts.ns,
      title: facts.title,
      redirect: facts.redirect,
      ...(isOlder
        ? {}
        : {
            state,
            source: 'dump',
            how: 'dump',
            extractedAt,
          }),
      lastRevId: isOlder ? known.lastRevId : (this.#newest?.revId ?? null),
    })
  }

  addLog(item: DumpLogItem): void {
    this.#events.push(eventOfLog(item))
  }

  async abandon(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.abandon()
    this.#duckDb.close()
    await abandonWriting(this.#writing)
  }

  async commit(checkpoint: CommitFold['checkpoint']): Promise<CommitOutcome> {
    const { store, wikiId, fold } = this.#writing
    try {
      const added: NewSegment[] = []
      for (const writer of this.#writers.values()) {
        const segment = await writer.finish()
        if (segment !== null) added.push(segment)
      }
      faultPoint('wiki:import:after-rename')
      const outcome = await this.#commit(added, checkpoint)
      faultPoint('wiki:import:after-commit')
      if (outcome === 'done') await store.files.remove(wikiId, fileName(fold, 0, 'spill'))
      else await abandonWriting(this.#writing)
      return outcome
    } catch (error) {
      await abandonWriting(this.#writing)
      throw error
    } finally {
      this.#duckDb.close()
    }
  }

  async #commit(
    added: readonly NewSegment[],
    checkpoint: CommitFold['checkpoint'],
  ): Promise<CommitOutcome> {
    const { store, wikiId, fold } = this.#writing
    let { manifest } = this.#writing
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const clash = await this.#clashes(manifest, added)
      const outcome = await store.call('wikiCommitFold', {
        wikiId,
        fold,
        now: store.clock.now(),
        expects: { version: manifest.version },
        entombed: this.#writing.manifest.entombed,
        added,
        removed: [],
        batches: [],
        superseded: [...this.#superseded, ...clash.superseded],
        supersededNew: clash.supersededNew,
        pages: clash.pages,
        notes: this.#notes,
        gaps: this.#gaps,
        events: this.#events,
        ...(checkpoint === undefined ? {} : { checkpoint }),
      } satisfies CommitFold)
      if (outcome !== 'moved') return outcome
      manifest = await store.call('wikiManifest', { wikiId })
    }
    return 'moved'
  }

  /**
   * Revisions that other segments have and that were not searched: of pages that were merged, or
   * new here.
   */
  async #clashes(manifest: Manifest, added: readonly NewSegment[]): Promise<Clash> {
    const deltas = new Map(this.#deltas)
    const clash: Clash = { superseded: [], supersededNew: [], pages: [] }
    const { store, wikiId } = this.#writing
    const done = supersededKeys({ superseded: [...manifest.superseded, ...this.#superseded] })
    const live = new Set(manifest.segments.map(({ id }) => id))
    // Subtracted already, in a segment that others have rewritten since.
    const counted = new Set(
      this.#superseded.flatMap(({ segmentId, revId }) => (live.has(segmentId) ? [] : [revId])),
    )
    for (const [index, segment] of added.entries()) {
      const own = await overlapping(this.#duckDb.connection, {
        own: store.files.at(wikiId, segment.rows),
        others: manifest.segments
          .filter(({ revMin, revMax }) => revMin <= segment.revMax && revMax >= segment.revMin)
          .map(({ id, rows }) => [id, store.files.at(wikiId, rows)] as const),
      })
      for (const { segmentId, old, row } of own) {
        if (done.has(`${segmentId}/${old.revId}`)) continue
        if (isLater(row, old)) {
          clash.superseded.push({ segmentId, revId: old.revId })
          if (!counted.has(old.revId)) count(deltas, old, -1)
        } else {
          clash.supersededNew.push({ index, revId: row.revId })
          count(deltas, row, -1)
        }
      }
    }
    return { ...clash, pages: [...deltas.values()] }
  }

  async #writer(part: number): Promise<SegmentWriter> {
    const open = this.#writers.get(part)
    if (open) return open
    const writer = await SegmentWriter.create(this.#writing, this.#duckDb.connection, { part })
    this.#writers.set(part, writer)
    return writer
  }

  #addDelta({ pageId, revisions, bytes }: PageDelta): void {
    const was = this.#deltas.get(pageId) ?? { pageId, revisions: 0, bytes: 0 }
    const sum = { revisions: was.revisions + revisions, bytes: was.bytes + bytes }
    this.#deltas.set(pageId, { pageId, ...sum })
  }

  #noteNewest({ at, revId }: Row): void {
    if (this.#newest === null || at >= this.#newest.at) this.#newest = { at, revId }
  }
}

function textsOf({ slots }: Revision, wanted: readonly { role: string }[]): SlotText[] {
  return slots.flatMap(({ role, text }) =>
    text !== null && wanted.some((one) => one.role === role) ? [{ role, text }] : [],
  )
}

interface Overlap {
  segmentId: number
  old: Row
  row: Row
}

async function overlapping(
  connection: DuckDBConnection,
  { own, others }: { own: string; others: readonly (readonly [number, string])[] },
): Promise<Overlap[]> {
  if (others.length === 0) return []
  const idOf = new Map(others.map(([id, file]) => [file, id]))
  const files = sqlList([...idOf.keys()])
  const both = `SELECT rev_id FROM read_parquet(${files}) SEMI JOIN read_parquet(${sqlList([own])}) USING (rev_id)`
  const read = async (list: string): Promise<unknown[][]> => {
    const result = await connection.runAndReadAll(
      `SELECT ${quotedColumns}, filename FROM read_parquet(${list}, filename = true)
       WHERE rev_id IN (${both})`,
    )
    return result.getRowsJS()
  }
  const ours = new Map(
    (await read(sqlList([own]))).map((cells) => [rowOf(cells).revId, rowOf(cells)]),
  )
  if (ours.size === 0) return []
  return (await read(files)).flatMap((cells) => {
    const old = rowOf(cells)
    const row = ours.get(old.revId)
    const segmentId = idOf.get(cells.at(-1) as string)
    return row === undefined || segmentId === undefined ? [] : [{ segmentId, old, row }]
  })
}

const KINDS: Readonly<Record<string, string>> = {
  'create/create': 'created',
  'delete/delete': 'deleted',
  'delete/delete_redir': 'deleted',
  'delete/restore': 'restored',
  'delete/revision': 'hidden',
  'import/interwiki': 'imported',
  'import/upload': 'imported',
  'merge/merge': 'merged',
  'move/move': 'moved',
  'move/move_redir': 'moved',
  'suppress/delete': 'deleted',
  'suppress/revision': 'hidden',
}

/** Entries of a dump of logs as events of pages, in the terms of the API's entries. */
function eventOfLog(item: DumpLogItem): EventNote {
  const name = `${item.kind}/${item.action}`
  return {
    kind: KINDS[name] ?? name,
    at: item.at,
    logId: item.logId,
    pageId: null,
    title: item.title ?? '',
    details: { user: item.user, comment: item.comment, params: item.params },
  }
}
