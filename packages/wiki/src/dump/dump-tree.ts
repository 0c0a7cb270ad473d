/**
 * Puts the tags of a dump together to pages, revisions and log items, and finds the way back after
 * damage. A *container* holds other elements, a *leaf* holds text; unknown elements are skipped.
 * Damage never spreads: a tag that does not fit closes what it must, what was open is marked as
 * damaged, and the next `<revision>`, `<page>` or `<logitem>` starts afresh.
 */
import type { DumpTroubleCode } from './dump-model.ts'
import type { XmlHandler } from './xml-lexer.ts'
import { unescapeXml } from './xml-text.ts'

export interface Leaf {
  name: string
  attributes: Buffer | null
  /** `<text />` and not `<text></text>`: stub dumps write the former for texts they leave out. */
  isEmptyTag: boolean
  pieces: Buffer[]
  size: number
  isTooLarge: boolean
  /** The first unreadable reference in it. */
  badReference: string | null
}

export interface Container {
  name: string
  attributes: Buffer | null
  leaves: Leaf[]
  children: Container[]
  isDamaged: boolean
}

export interface TreeListener {
  opened(container: Container): void
  /** `byItsTag`: by its own end tag, and not because something else could not stand in it. */
  closed(container: Container, byItsTag: boolean): void
  trouble(code: DumpTroubleCode, message: string): void
  /** The document is no dump of a wiki; nothing more is read. */
  refused(problem: string): void
}

interface Frame {
  name: string
  container: Container | null
  leaf: Leaf | null
}

interface Shape {
  containers: ReadonlySet<string>
  leaves: ReadonlySet<string>
}

const shape = (containers: string, leaves: string): Shape => ({
  containers: new Set(containers.split(' ')),
  leaves: new Set(leaves.split(' ')),
})

/** The union of all versions of the format: a version number alone does not say what a dump holds. */
const SHAPES: Readonly<Record<string, Shape>> = {
  mediawiki: shape('siteinfo page logitem', ''),
  siteinfo: shape('namespaces namespacealiases', 'sitename dbname base generator case'),
  namespaces: shape('', 'namespace'),
  namespacealiases: shape('', 'namespace'),
  page: shape('revision upload discussionthreadinginfo', 'title ns id redirect restrictions'),
  revision: shape(
    'contributor content',
    'id parentid timestamp minor comment origin model format text sha1',
  ),
  contributor: shape('', 'username id ip'),
  content: shape('', 'role origin model format text'),
  logitem: shape('contributor', 'id timestamp comment type action text logtitle params'),
  upload: shape(
    'contributor',
    'timestamp comment filename archivename src size sha1base36 rel contents',
  ),
  discussionthreadinginfo: shape(
    '',
    'ThreadSubject ThreadParent ThreadAncestor ThreadPage ThreadID ThreadAuthor ThreadEditStatus ThreadType',
  ),
}

/** Elements that begin something new wherever they stand, and what they stand in. */
const PARENT_OF: Readonly<Record<string, string>> = {
  page: 'mediawiki',
  logitem: 'mediawiki',
  revision: 'page',
}
/** Their parts belong together: one damaged part makes all of it doubtful. */
const INDIVISIBLE: ReadonlySet<string> = new Set(['revision', 'logitem', 'siteinfo'])
/** Unneeded elements are not stored while they are skipped: uploads may hold whole files. */
const UNREAD: ReadonlySet<string> = new Set(['upload', 'discussionthreadinginfo'])

/** Dumps are five levels deep. */
const DEPTH_MAX = 64
/** Parts of one element; the head of a dump names some hundred namespaces at most. */
const PARTS_MAX = 4096
/** Of every text but that of revisions; summaries have some hundred bytes. */
const FIELD_BYTES = 1024 * 1024

export class DumpTree implements XmlHandler {
  private readonly listener: TreeListener
  private readonly textBytesMax: number
  private readonly frames: Frame[] = []
  private readonly unknown = new Set<string>()
  private collecting: Leaf | null = null
  private hasRoot = false

  constructor(listener: TreeListener, textBytesMax: number) {
    this.listener = listener
    this.textBytesMax = textBytesMax
  }

  /** Stand as if the head of the dump had been read. */
  resume(): void {
    this.hasRoot = true
    this.frames.push({ name: 'mediawiki', container: newContainer('mediawiki', null), leaf: null })
  }

  open(name: string, attributes: Buffer | null, isEmpty: boolean): void {
    if (this.frames.length === 0) return this.openRoot(name, attributes, isEmpty)
    this.comeBackFor(name)
    const top = this.frames.at(-1)!
    if (this.frames.length >= DEPTH_MAX) {
      return this.listener.refused(`elements lie more than ${DEPTH_MAX} deep in each other`)
    }
    if (top.leaf !== null) this.malformed(`<${name}> stands in the text of <${top.name}>`)
    const known = top.container === null ? undefined : SHAPES[top.name]
    if (known?.containers.has(name) === true) this.openContainer(name, attributes)
    else if (known?.leaves.has(name) === true) this.openLeaf(name, attributes, isEmpty)
    else this.openUnknown(name, top)
    if (isEmpty) this.closeTop()
  }

  close(name: string): void {
    const top = this.frames.at(-1)
    if (top?.name === name) return this.closeTop()
    const depth = this.frames.findLastIndex((frame) => frame.name === name)
    this.malformed(`</${name}> closes no open element`)
    if (depth >= 0) {
      this.unwind(depth + 1)
      this.closeTop()
    } else if (top !== undefined && top.container === null) this.closeTop()
  }

  text(bytes: Buffer, from: number, to: number, isCdata: boolean): void {
    const leaf = this.collecting
    if (leaf !== null) return this.collect(leaf, bytes.subarray(from, to), isCdata)
    const top = this.frames.at(-1)
    const takesNoText = top === undefined || top.container !== null
    if (takesNoText && !isBlank(bytes, from, to)) this.strayText()
  }

  declaration(text: string): void {
    const encoding = /encoding\s*=\s*["']([^"']*)/.exec(text)?.[1] ?? 'utf-8'
    if (!/^(utf-?8|us-ascii)$/i.test(encoding)) {
      this.listener.refused(`it is written in ${encoding}, and dumps are in UTF-8`)
    }
  }

  doctype(): void {
    this.listener.refused(
      'it declares a document type, which no dump does and which may hide a trap',
    )
  }

  malformed(problem: string): void {
    if (!this.hasRoot) return this.listener.refused('it is no XML of a wiki')
    this.listener.trouble('malformed', problem)
    this.damage()
  }

  /** True when everything that was opened was closed. */
  end(): boolean {
    const isWhole = this.frames.length === 0
    this.unwind(0)
    return isWhole
  }

  private openRoot(name: string, attributes: Buffer | null, isEmpty: boolean): void {
    if (name !== 'mediawiki') {
      return this.listener.refused(`it begins with <${name.slice(0, 40)}> and not with <mediawiki>`)
    }
    this.hasRoot = true
    this.openContainer(name, attributes)
    if (isEmpty) this.closeTop()
  }

  /** A new page, revision or log item where none can stand: what is open lost its end. */
  private comeBackFor(name: string): void {
    const parent = PARENT_OF[name]
    if (parent === undefined || this.frames.at(-1)!.name === parent) return
    const depth = this.frames.findLastIndex((frame) => frame.name === parent)
    if (depth < 0) return
    this.malformed(`<${name}> stands in <${this.frames.at(-1)!.name}>, whose end is missing`)
    this.unwind(depth + 1)
  }

  private openContainer(name: string, attributes: Buffer | null): void {
    const container = newContainer(name, attributes === null ? null : Buffer.from(attributes))
    this.frames.push({ name, container, leaf: null })
    this.listener.opened(container)
  }

  private openLeaf(name: string, attributes: Buffer | null, isEmptyTag: boolean): void {
    const leaf: Leaf = {
      name,
      attributes: attributes === null ? null : Buffer.from(attributes),
      isEmptyTag,
      pieces: [],
      size: 0,
      isTooLarge: false,
      badReference: null,
    }
    this.frames.push({ name, container: null, leaf })
    const isRead = !this.frames.some((frame) => UNREAD.has(frame.name))
    this.collecting = isRead ? leaf : null
  }

  private openUnknown(name: string, top: Frame): void {
    if (top.container !== null && !this.unknown.has(name) && this.unknown.size < PARTS_MAX) {
      this.unknown.add(name)
      this.listener.trouble(
        'unknown-element',
        `<${name}> in <${top.name}> is not known; it is passed over here and later`,
      )
    }
    this.frames.push({ name, container: null, leaf: null })
    this.collecting = null
  }

  private closeTop(byItsTag = true): void {
    const frame = this.frames.pop()!
    this.collecting = null
    const parent = this.frames.at(-1)?.container ?? null
    if (frame.leaf !== null && parent !== null) {
      if (parent.leaves.length < PARTS_MAX) parent.leaves.push(frame.leaf)
      else parent.isDamaged = true
    }
    if (frame.container === null) return
    const { container } = frame
    this.keep(container, parent)
    this.listener.closed(container, byItsTag)
  }

  private keep(container: Container, parent: Container | null): void {
    if (parent !== null && container.isDamaged && INDIVISIBLE.has(parent.name)) {
      parent.isDamaged = true
    }
    // Pages and revisions are handed over, not stored: a page may have a million revisions.
    const isKept = parent !== null && !(container.name in PARENT_OF) && !UNREAD.has(container.name)
    if (isKept && parent.children.length < PARTS_MAX) parent.children.push(container)
  }

  private unwind(depth: number): void {
    while (this.frames.length > depth) {
      const { container } = this.frames.at(-1)!
      if (container === null) {
        this.frames.pop()
        this.damage()
      } else {
        container.isDamaged = true
        this.closeTop(false)
      }
    }
    this.collecting = null
  }

  private damage(): void {
    const nearest = this.frames.findLast((frame) => frame.container !== null)?.container
    if (nearest) nearest.isDamaged = true
  }

  private strayText(): void {
    const container = this.frames.at(-1)?.container
    if (container?.isDamaged === true) return
    this.malformed(`text stands in <${container?.name ?? 'the document'}>, where none belongs`)
  }

  private collect(leaf: Leaf, piece: Buffer, isCdata: boolean): void {
    const limit = leaf.name === 'text' ? this.textBytesMax : FIELD_BYTES
    if (leaf.isTooLarge || leaf.size + piece.length > limit) {
      leaf.isTooLarge = true
      leaf.pieces = []
      return
    }
    const plain = isCdata
      ? piece
      : unescapeXml(piece, (reference) => {
          leaf.badReference ??= reference
        })
    leaf.pieces.push(plain)
    leaf.size += plain.length
  }
}

function newContainer(name: string, attributes: Buffer | null): Container {
  return { name, attributes, leaves: [], children: [], isDamaged: false }
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const byte = bytes[index]!
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}
