/**
 * Reads the export XML of MediaWiki, versions 0.3 to 0.11, as a stream: bytes in, pages and
 * revisions out.
 *
 *   chunks → XmlLexer (tags) → DumpTree (elements, damage) → dump-elements (meaning) → DumpItem
 *
 * Memory is bounded by the largest revision, which is bounded itself. What is damaged is reported
 * with its line and left out; everything else is handed over. Texts are given byte for byte as the
 * wiki wrote them: line ends are not changed, and bytes that are no UTF-8 stay (and are reported):
 * the digest of the revision judges them.
 */
import type { Page, Revision, SiteInfo } from '../model.ts'
import { DumpRefused } from '../errors.ts'
import type { DumpItem, DumpTroubleCode, DumpVersion } from './dump-model.ts'
import { DumpTree, type Container, type TreeListener } from './dump-tree.ts'
import { logItemOf, pageOf, revisionOf, siteOf } from './dump-elements.ts'
import { XmlLexer } from './xml-lexer.ts'
import { readAttributes } from './xml-text.ts'

const BLOCK_IDS = 2048
const BLOCK_WORDS = BLOCK_IDS / 32
const FIRST_BLOCKS = 64

/**
 * Which ids a dump has used already: a bitmap in blocks, so ids that lie together, as they do in dumps of whole
 * wikis, take a bit each, and those of a few pages, which lie far apart, a block. Bounded: beyond its limit the
 * oldest blocks are forgotten, and an id that comes again after that is not noticed here (the store still keeps
 * it once). All blocks lie in one piece of memory: one allocation for each would cost more than the ids.
 */
export class SeenIds {
  private readonly blocksMax: number
  /** Which place in memory a block has. */
  private readonly places = new Map<number, number>()
  /** And the block at each place. */
  private readonly keys: number[] = []
  private words = new Uint32Array(FIRST_BLOCKS * BLOCK_WORDS)
  /** Taken next when all are in use: the oldest. */
  private next = 0

  /** A block takes 256 bytes. */
  constructor(blocksMax: number) {
    this.blocksMax = blocksMax
  }

  /** False when the id was there already. */
  add(id: number): boolean {
    const key = Math.floor(id / BLOCK_IDS)
    const place = this.places.get(key) ?? this.newPlace(key)
    const offset = id % BLOCK_IDS
    const index = place * BLOCK_WORDS + (offset >>> 5)
    const word = this.words[index]!
    const bit = 1 << (offset & 31)
    if ((word & bit) !== 0) return false
    this.words[index] = word | bit
    return true
  }

  private newPlace(key: number): number {
    const place = this.keys.length < this.blocksMax ? this.keys.length : this.oldestPlace()
    this.keys[place] = key
    this.places.set(key, place)
    if ((place + 1) * BLOCK_WORDS > this.words.length) this.grow()
    return place
  }

  private oldestPlace(): number {
    const place = this.next
    this.next = (place + 1) % this.blocksMax
    this.places.delete(this.keys[place]!)
    this.words.fill(0, place * BLOCK_WORDS, (place + 1) * BLOCK_WORDS)
    return place
  }

  private grow(): void {
    const words = new Uint32Array(this.words.length * 2)
    words.set(this.words)
    this.words = words
  }
}

export interface DumpReaderOptions {
  /** A larger text is left out and reported. MediaWiki's own limit is 2 MB unless a wiki raises it. */
  textBytesMax?: number
  /** Go on in the middle of a dump, behind a page. */
  from?: DumpReaderStart | null
}

export interface DumpReaderStart {
  byte: number
  line: number
  version: DumpVersion
  site: SiteInfo | null
}

const TEXT_BYTES_MAX = 256 * 1024 * 1024
const OLDEST: DumpVersion = 3
const NEWEST: DumpVersion = 11
/** 4 MiB of bitmaps know 33 million pages, 32 MiB 268 million revisions. */
const PAGE_BLOCKS = 16_384
const REVISION_BLOCKS = 131_072
/** Nothing is missing because of them. */
const HARMLESS: ReadonlySet<DumpTroubleCode> = new Set([
  'bad-reference',
  'bad-sha1',
  'duplicate-field',
  'duplicate-page',
  'duplicate-revision',
  'invalid-utf8',
  'unknown-element',
  'unknown-version',
])
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

interface OpenPage {
  page: Page | null
  isTold: boolean
  revisions: number
  isWhole: boolean
}

export class DumpReader implements TreeListener {
  private readonly tree: DumpTree
  private readonly lexer: XmlLexer
  private readonly pagesSeen = new SeenIds(PAGE_BLOCKS)
  private readonly revisionsSeen = new SeenIds(REVISION_BLOCKS)
  private items: DumpItem[] = []
  private refusal: DumpRefused | null = null
  private open: OpenPage | null = null
  private openElement: Container | null = null
  private revId: number | null = null
  private site: SiteInfo | null = null
  private version: DumpVersion = NEWEST
  private language: string | null = null
  /** First bytes, until it is known whether they are a byte order mark. */
  private head: Buffer | null = Buffer.alloc(0)

  constructor({ textBytesMax = TEXT_BYTES_MAX, from = null }: DumpReaderOptions = {}) {
    this.tree = new DumpTree(this, textBytesMax)
    this.lexer = new XmlLexer(this.tree, from ?? undefined)
    if (from === null) return
    this.head = null
    this.tree.resume()
    this.version = from.version
    this.site = from.site
  }

  /** What the chunk completes. Texts are views of the chunk where possible: it must not be written to again. */
  push(chunk: Uint8Array): DumpItem[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const rest = this.head === null ? bytes : this.withoutMark(Buffer.concat([this.head, bytes]))
    if (rest !== null) this.lexer.push(rest)
    return this.taken()
  }

  /** What the end of the dump completes. */
  end(): DumpItem[] {
    if (this.refusal !== null) return []
    if (this.head !== null && this.head.length > 0) this.lexer.push(this.head)
    const isMarkupWhole = this.lexer.end()
    const isWhole = this.tree.end()
    if (this.version === NEWEST && this.site === null && this.lexer.byte === 0) {
      this.refused('it is empty')
    } else if (!isMarkupWhole || !isWhole) {
      this.trouble('truncated', 'the dump ends before its last element is closed')
    }
    return this.taken()
  }

  /** Thrown by the caller after it has passed on what came before. */
  get refusedBecause(): DumpRefused | null {
    return this.refusal
  }

  opened(element: Container): void {
    if (element.name === 'mediawiki') this.beginDump(element)
    else if (element.name === 'page') {
      this.open = { page: null, isTold: false, revisions: 0, isWhole: true }
      this.openElement = element
    } else if (element.name === 'revision' || element.name === 'upload') {
      this.revId = null
      this.tellPage()
    }
  }

  closed(element: Container, byItsTag: boolean): void {
    if (element.name === 'revision') this.endRevision(element)
    else if (element.name === 'page') this.endPage(element, byItsTag)
    else if (element.name === 'siteinfo') this.endSite(element)
    else if (element.name === 'logitem') this.endLogItem(element)
    else if (element.name === 'upload') {
      this.items.push({ type: 'upload', pageId: this.open?.page?.pageId ?? null })
    }
  }

  readonly trouble = (code: DumpTroubleCode, message: string): void => {
    if (this.open !== null && !HARMLESS.has(code)) this.open.isWhole = false
    const { line, byte } = this.lexer
    const pageId = this.open?.page?.pageId ?? null
    this.items.push({
      type: 'trouble',
      trouble: { code, line, byte, pageId, revId: this.revId, message },
    })
  }

  refused(problem: string): void {
    this.refusal ??= new DumpRefused(problem, this.lexer.line, this.lexer.byte)
    this.lexer.stop()
  }

  private taken(): DumpItem[] {
    const { items } = this
    this.items = []
    return items
  }

  private withoutMark(head: Buffer): Buffer | null {
    this.head = head
    if (head.length < BYTE_ORDER_MARK.length) return null
    this.head = null
    if (head[0] === 0xfe || head[0] === 0xff) this.refused('it is written in UTF-16')
    return head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? head.subarray(3) : head
  }

  private beginDump(root: Container): void {
    const attributes = readAttributes(root.attributes)
    const version = attributes.get('version') ?? ''
    this.language = attributes.get('xml:lang') ?? null
    const minor = /^0\.(\d{1,4})$/.exec(version)?.[1]
    this.version = minor === undefined ? NEWEST : Number(minor)
    if (minor === undefined || this.version < OLDEST || this.version > NEWEST) {
      const said = version === '' ? 'no version' : `version ${JSON.stringify(version.slice(0, 20))}`
      this.trouble(
        'unknown-version',
        `the dump says ${said}; 0.3 to 0.11 are known, it is read as it comes`,
      )
    }
  }

  private endSite(element: Container): void {
    this.site = siteOf(element, this.language, this.trouble)
    if (element.isDamaged) this.trouble('damaged-item', 'the head of the dump is damaged')
    this.items.push({ type: 'site', site: this.site, version: this.version })
  }

  /** The head of a page is complete when its first revision begins. */
  private tellPage(): void {
    const { open, openElement } = this
    if (open === null || openElement === null || open.isTold) return
    open.isTold = true
    open.page = pageOf(openElement, this.site, this.trouble)
    openElement.leaves = []
    if (open.page === null) return
    this.items.push({ type: 'page', page: open.page })
    if (!this.pagesSeen.add(open.page.pageId)) {
      this.trouble('duplicate-page', `page ${open.page.pageId} is in the dump more than once`)
    }
  }

  private endRevision(element: Container): void {
    const { open } = this
    if (open === null) return
    this.revId = peekId(element)
    if (element.isDamaged) {
      const named = this.revId === null ? 'a revision without an id' : `revision ${this.revId}`
      this.trouble('damaged-item', `${named} is damaged; it is left out`)
    } else if (open.page === null) open.isWhole = false
    else this.tellRevision(revisionOf(element, open.page, this.version, this.trouble), open)
    this.revId = null
  }

  private tellRevision(revision: Revision | null, open: OpenPage): void {
    if (revision === null) open.isWhole = false
    else if (!this.revisionsSeen.add(revision.revId)) {
      this.trouble(
        'duplicate-revision',
        `revision ${revision.revId} came before; the first is kept`,
      )
    } else {
      open.revisions += 1
      this.items.push({ type: 'revision', revision })
    }
  }

  private endPage(element: Container, byItsTag: boolean): void {
    this.tellPage()
    const open = this.open!
    this.revId = null
    this.items.push({
      type: 'pageEnd',
      pageId: open.page?.pageId ?? null,
      revisions: open.revisions,
      isWhole: open.isWhole && open.page !== null && !element.isDamaged,
      end: { byte: byItsTag ? this.lexer.endByte : this.lexer.byte, line: this.lexer.line },
    })
    this.open = null
    this.openElement = null
  }

  private endLogItem(element: Container): void {
    if (element.isDamaged)
      return this.trouble('damaged-item', 'an entry of the log is damaged; it is left out')
    const log = logItemOf(element, this.trouble)
    if (log !== null) this.items.push({ type: 'log', log })
  }
}

/** So that troubles name the revision, also one that cannot be read. */
function peekId(element: Container): number | null {
  const id = element.leaves.find(({ name }) => name === 'id')?.pieces[0]?.toString('latin1') ?? ''
  return /^\d{1,15}$/.test(id) ? Number(id) : null
}

/** All items of a dump; throws `DumpRefused` after the last item of a document that is none, and what `chunks` throws. */
export async function* readDump(
  chunks: AsyncIterable<Uint8Array>,
  options: DumpReaderOptions = {},
): AsyncGenerator<DumpItem> {
  const reader = new DumpReader(options)
  for await (const chunk of chunks) {
    yield* reader.push(chunk)
    if (reader.refusedBecause !== null) throw reader.refusedBecause
  }
  yield* reader.end()
  if (reader.refusedBecause !== null) throw reader.refusedBecause
}

/** The same for a document in memory, such as the answer of Special:Export. */
export function readDumpBody(body: Uint8Array, options: DumpReaderOptions = {}): DumpItem[] {
  const reader = new DumpReader(options)
  const items = [...reader.push(body), ...reader.end()]
  if (reader.refusedBecause !== null) throw reader.refusedBecause
  return items
}
