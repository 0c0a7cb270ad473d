/**
 * The life of an import: file → unpack → read → check → hand over. One thing is done at a time and
 * the sink is waited for, so a slow store slows the reading and memory stays bounded. At ends of
 * pages the sink receives a checkpoint: an import that was killed resumes after the last one that
 * was stored.
 */
import { checkHistory, historyRowOf, type HistoryRow } from '../api/completeness.ts'
import type { Gap } from '../api/gap.ts'
import { DumpChanged, DumpRefused, DumpWithoutSite } from '../errors.ts'
import type { Page, Revision, SiteInfo } from '../model.ts'
import { unpackDump, type DumpSource } from './compressed.ts'
import type {
  DumpItem,
  DumpLogItem,
  DumpPageEnd,
  DumpTrouble,
  DumpTroubleCode,
} from './dump-model.ts'
import { machinePrograms, type Programs } from './programs.ts'
import { RESTART_AT_BEGIN, type RawChunk, type Restart } from './raw-chunk.ts'
import { DumpReader } from './xml-reader.ts'

/** Takes what a dump holds, in its order. Each call is waited for. */
export interface DumpSink {
  /** Of which wiki it is: once, before everything else; an import that continues tells it again. */
  site(site: SiteInfo): Promise<void>
  page(page: Page): Promise<void>
  /** Some revisions of a page, in the order of the dump. After a kill some come a second time. */
  revisions(page: Page, revisions: Revision[], source: 'dump'): Promise<void>
  pageEnd(page: Page, end: PageEnd): Promise<void>
  log(item: DumpLogItem): Promise<void>
  trouble(trouble: DumpTrouble): Promise<void>
  /** Everything before this place was handed over. To be kept no earlier than what was handed over. */
  checkpoint(checkpoint: DumpCheckpoint): Promise<void>
}

export interface PageEnd {
  revisions: number
  /** False when something of the page was damaged or left out. */
  isWhole: boolean
  /** What its history should have and has not, as far as a dump can tell. */
  gaps: Gap[]
}

/** A place behind a page from which an import can go on. Plain data. */
export interface DumpCheckpoint {
  /** Of the file, when the import began. */
  size: number
  restart: Restart
  byte: number
  line: number
  version: number
  site: SiteInfo
  pages: number
  revisions: number
}

export interface DumpProgress {
  /** Bytes of the file read, and all of them. */
  position: number
  size: number
  xmlBytes: number
  pages: number
  revisions: number
  revisionsPerSecond: number
}

export interface DumpImport {
  /** Milliseconds; for rates alone. */
  clock: () => number
  programs?: Programs
  /** Go on behind this place. */
  from?: DumpCheckpoint | null
  /** The wiki of a dump that does not say it. */
  site?: SiteInfo | null
  onProgress?: (progress: DumpProgress) => void
  signal?: AbortSignal
  batchBytes?: number
}

export interface DumpSummary {
  pages: number
  revisions: number
  logs: number
  uploads: number
  gaps: number
  troubles: Partial<Record<DumpTroubleCode, number>>
}

/** Revisions handed over together have at most about so much text. */
const BATCH_BYTES = 8 * 1024 * 1024
/** What a revision takes in memory besides its text. */
const REVISION_BYTES = 512
/** A checkpoint more often than this would only cost. */
const CHECKPOINT_BYTES = 1024 * 1024
/**
 * So many problems of each kind are reported one by one; a broken file may have millions, which are
 * counted.
 */
const TROUBLES_TOLD = 1000
const PROGRESS_MS = 1000
/** Of larger histories the chain of parents is left to the check of the whole store. */
const ROWS_MAX = 250_000

/** Throws after handing over what came before: `DumpDamaged`, `DumpRefused`, what the sink throws. */
export async function importDump(
  source: DumpSource,
  sink: DumpSink,
  options: DumpImport,
): Promise<DumpSummary> {
  const from = options.from ?? null
  if (from !== null && source.size < from.size) throw new DumpChanged()
  const run = new ImportRun(source, sink, options)
  if (from !== null) await run.tellSite(from.site, from.version)
  const chunks = unpackDump(source, options.programs ?? machinePrograms, from?.restart)
  try {
    for await (const chunk of behind(chunks, from)) {
      options.signal?.throwIfAborted()
      await run.read(chunk)
    }
  } catch (error) {
    // The open page is handed over with what there is of it; nothing is recorded as done after the
    // damage.
    if (!run.isRefused && !options.signal?.aborted) await endBefore(error, run)
    throw error
  }
  await run.end()
  return run.summary
}

/** Where nothing came before the damage, the damage is to be reported, not an empty dump. */
async function endBefore(damage: unknown, run: ImportRun): Promise<void> {
  try {
    await run.end()
  } catch (error) {
    throw error instanceof DumpRefused ? damage : error
  }
}

/** Unpacking begins at a place before the one to go on at; what lies between is passed over. */
async function* behind(
  chunks: AsyncIterable<RawChunk>,
  from: DumpCheckpoint | null,
): AsyncGenerator<RawChunk> {
  let skip = from === null ? 0 : from.byte - from.restart.raw
  for await (const chunk of chunks) {
    const bytes = chunk.bytes.subarray(Math.min(skip, chunk.bytes.length))
    skip -= chunk.bytes.length - bytes.length
    if (bytes.length > 0) yield { ...chunk, bytes }
  }
}

class ImportRun {
  readonly summary: DumpSummary
  isRefused = false
  private readonly source: DumpSource
  private readonly sink: DumpSink
  private readonly options: DumpImport
  private readonly reader: DumpReader
  private readonly begunAt: number
  private readonly revisionsBefore: number
  private site: SiteInfo | null = null
  private version = 0
  private page: Page | null = null
  private batch: Revision[] = []
  private batchBytes = 0
  private rows: HistoryRow[] = []
  private textGaps: Gap[] = []
  private xmlBytes: number
  private checkpointAt: number
  private toldAt: number
  private restart: Restart

  constructor(source: DumpSource, sink: DumpSink, options: DumpImport) {
    const from = options.from ?? null
    this.source = source
    this.sink = sink
    this.options = options
    this.reader = new DumpReader({ from })
    this.begunAt = this.toldAt = options.clock()
    this.revisionsBefore = from?.revisions ?? 0
    this.restart = from?.restart ?? RESTART_AT_BEGIN
    this.xmlBytes = this.checkpointAt = from?.byte ?? 0
    this.summary = {
      pages: from?.pages ?? 0,
      revisions: from?.revisions ?? 0,
      logs: 0,
      uploads: 0,
      gaps: 0,
      troubles: {},
    }
  }

  async read(chunk: RawChunk): Promise<void> {
    this.restart = chunk.restart
    this.xmlBytes += chunk.bytes.length
    for (const item of this.reader.push(chunk.bytes)) await this.take(item, true)
    this.tellProgress(chunk.position)
    this.refuse()
  }

  async end(): Promise<void> {
    for (const item of this.reader.end()) await this.take(item, false)
    this.tellProgress(null)
    this.refuse()
  }

  async tellSite(site: SiteInfo, version: number): Promise<void> {
    if (this.site !== null && this.site.base !== site.base) {
      this.isRefused = true
      throw new DumpRefused(
        `a dump of ${site.base} follows one of ${this.site.base}`,
        0,
        this.xmlBytes,
      )
    }
    if (this.site === null) await this.sink.site(site)
    this.site = site
    this.version = version
  }

  private refuse(): void {
    if (this.reader.refusedBecause === null) return
    this.isRefused = true
    throw this.reader.refusedBecause
  }

  /** `isSure`: the item was complete in the dump, and not ended by the end of the bytes. */
  private async take(item: DumpItem, isSure: boolean): Promise<void> {
    if (item.type === 'trouble') return this.takeTrouble(item.trouble)
    if (item.type === 'site') return this.tellSite(item.site, item.version)
    if (this.site === null) await this.tellFallbackSite()
    if (item.type === 'page') await this.takePage(item.page)
    else if (item.type === 'revision') await this.takeRevision(item.revision)
    else if (item.type === 'pageEnd') await this.takePageEnd(item, isSure)
    else if (item.type === 'upload') this.summary.uploads += 1
    else {
      this.summary.logs += 1
      await this.sink.log(item.log)
    }
  }

  private async tellFallbackSite(): Promise<void> {
    if (!this.options.site) {
      this.isRefused = true
      throw new DumpWithoutSite()
    }
    await this.tellSite(this.options.site, this.version)
  }

  private async takeTrouble(trouble: DumpTrouble): Promise<void> {
    const { troubles } = this.summary
    const count = (troubles[trouble.code] ?? 0) + 1
    troubles[trouble.code] = count
    if (count <= TROUBLES_TOLD) await this.sink.trouble(trouble)
  }

  private async takePage(page: Page): Promise<void> {
    this.page = page
    this.rows = []
    this.textGaps = []
    await this.sink.page(page)
  }

  private async takeRevision(revision: Revision): Promise<void> {
    const row = historyRowOf(revision)
    this.textGaps.push(...row.textGaps)
    if (this.rows.length <= ROWS_MAX) this.rows.push(row)
    this.batch.push(revision)
    this.batchBytes += REVISION_BYTES
    for (const { text } of revision.slots) this.batchBytes += text?.length ?? 0
    if (this.batchBytes >= (this.options.batchBytes ?? BATCH_BYTES)) await this.flush()
  }

  private async flush(): Promise<void> {
    const { batch, page } = this
    if (page === null || batch.length === 0) return
    this.batch = []
    this.batchBytes = 0
    this.summary.revisions += batch.length
    await this.sink.revisions(page, batch, 'dump')
  }

  private async takePageEnd(end: DumpPageEnd, isSure: boolean): Promise<void> {
    await this.flush()
    if (this.page !== null && end.pageId !== null) {
      const { revisions, isWhole } = end
      const gaps = this.gapsOf(end.pageId)
      this.summary.pages += 1
      this.summary.gaps += gaps.length
      await this.sink.pageEnd(this.page, { revisions, isWhole, gaps })
    }
    this.page = null
    if (isSure && end.end.byte - this.checkpointAt >= CHECKPOINT_BYTES) await this.checkpoint(end)
  }
  /** A page with one revision may be from a dump of current revisions, which tells no history. */
  private gapsOf(pageId: number): Gap[] {
    if (this.rows.length > ROWS_MAX) return this.textGaps
    return checkHistory(this.rows, { pageId, isPart: this.rows.length <= 1 })
  }

  private async checkpoint({ end: { byte, line } }: DumpPageEnd): Promise<void> {
    this.checkpointAt = byte
    await this.sink.checkpoint({
      size: this.source.size,
      restart: this.restart,
      byte,
      line,
      version: this.version,
      site: this.site!,
      pages: this.summary.pages,
      revisions: this.summary.revisions,
    })
  }

  /** Null: at the end. */
  private tellProgress(position: number | null): void {
    const now = this.options.clock()
    if (position !== null && now - this.toldAt < PROGRESS_MS) return
    this.toldAt = now
    const { pages, revisions } = this.summary
    const seconds = Math.max(1, now - this.begunAt) / 1000
    this.options.onProgress?.({
      position: position ?? this.source.size,
      size: this.source.size,
      xmlBytes: this.xmlBytes,
      pages,
      revisions,
      revisionsPerSecond: (revisions - this.revisionsBefore) / seconds,
    })
  }
}
