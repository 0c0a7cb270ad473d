/**
 * Where the import of a dump puts what it reads: straight into segments, without the batches
 * through which everything else comes. A segment and the place in the dump up to which it reaches
 * are one commit, so an import that was killed continues behind the last one and nothing is there
 * twice.
 */
import type { DumpCheckpoint, DumpSink, PageEnd } from '../dump/import-dump.ts'
import type { DumpLogItem, DumpTrouble } from '../dump/dump-model.ts'
import { WikiFilesMoved } from '../errors.ts'
import type { Page, Revision, SiteInfo } from '../model.ts'
import { ImportRound } from './import-round.ts'
import type { PageRow } from './page-operations.ts'
import type { RevisionStore } from './revision-store.ts'

export interface ImportOptions {
  /** What the dump is known by when it is imported again, for example its name and size. */
  dump: string
  /** When the dump was made, in ms; null when unknown: then everything else takes precedence. */
  seenAt: number | null
  onTrouble?: (trouble: DumpTrouble) => void
  /** Text that is written at a time. */
  roundBytes?: number
}

/** So much is written at a time. Less would tear histories apart, more is lost by a kill. */
const ROUND_RAW_BYTES = 512 * 1024 * 1024
const ROUND_ROWS = 200_000
const ROUND_PAGES = 50_000

export class ImportSink implements DumpSink {
  readonly #store: RevisionStore
  readonly #options: ImportOptions
  #wikiId: number | null = null
  /** Nothing of this wiki was here before: no need to look for what is known already. */
  #isNew = false
  #round: ImportRound | null = null
  #page: PageRow | null = null
  #checkpoint: DumpCheckpoint | null = null

  constructor(store: RevisionStore, options: ImportOptions) {
    this.#store = store
    this.#options = options
  }

  /** Null before the dump has said of which wiki it is. */
  get wikiId(): number | null {
    return this.#wikiId
  }

  async site(site: SiteInfo): Promise<void> {
    const now = this.#store.clock.now()
    const registered = await this.#store.call('wikiRegister', {
      site,
      source: 'dump',
      now,
    })
    this.#wikiId = registered.wikiId
    this.#isNew = registered.isNew
  }

  async page(page: Page): Promise<void> {
    const round = await this.#open()
    const asked = { wikiId: round.wikiId, pageIds: [page.pageId] }
    const known = this.#isNew ? [] : await this.#store.call('wikiPageRows', asked)
    this.#page = known[0] ?? null
    round.beginPage(page, this.#page)
  }

  async revisions(page: Page, revisions: Revision[]): Promise<void> {
    const round = await this.#open()
    await round.add(page, revisions, { isKnown: (this.#page?.revisions ?? 0) > 0 })
  }

  async pageEnd(page: Page, end: PageEnd): Promise<void> {
    const round = await this.#open()
    round.endPage(page, end, this.#page)
  }

  async log(item: DumpLogItem): Promise<void> {
    const round = await this.#open()
    round.addLog(item)
  }

  async trouble(trouble: DumpTrouble): Promise<void> {
    this.#options.onTrouble?.(trouble)
  }

  async checkpoint(checkpoint: DumpCheckpoint): Promise<void> {
    this.#checkpoint = checkpoint
    const round = this.#round
    if (round === null) return
    const { rawBytes, rows, pages } = round.size
    const { roundBytes = ROUND_RAW_BYTES } = this.#options
    const isFull = rawBytes > roundBytes || rows > ROUND_ROWS || pages > ROUND_PAGES
    if (isFull) await this.#commit(false)
  }

  /**
   * Everything was read that can be; without it the last part of the dump is read again next time. With
   * `isWhole` false, for a damaged dump, what was read counts and the next time begins at the last checkpoint.
   */
  async finish({ isWhole = true }: { isWhole?: boolean } = {}): Promise<void> {
    if (this.#wikiId === null) return
    await this.#open()
    await this.#commit(isWhole)
  }

  /** The import failed: what was not committed is forgotten, and its files go. */
  async abandon(): Promise<void> {
    await this.#round?.abandon()
    this.#round = null
  }

  async #open(): Promise<ImportRound> {
    this.#round ??= await ImportRound.begin(this.#store, this.#wikiId!, this.#options.seenAt)
    return this.#round
  }

  async #commit(isDone: boolean): Promise<void> {
    const { dump } = this.#options
    const position = JSON.stringify(this.#checkpoint)
    const round = this.#round!
    this.#round = null
    const outcome = await round.commit({ dump, position, isDone })
    if (outcome !== 'done') throw WikiFilesMoved.beneath('an import', outcome)
  }
}
