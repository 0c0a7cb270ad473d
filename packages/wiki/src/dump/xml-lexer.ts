/**
 * Cuts the bytes of an XML document into tags and pieces of text. It works on bytes, because a dump
 * is mostly long texts that need no decoding: the search for the next `<` is one native scan. It
 * never needs the document at once: markup that a chunk cuts is carried over, and markup is short,
 * so memory stays bounded whatever comes. It is as forgiving as a reader of damaged files must be:
 * what is not markup is passed to the handler, and reading continues after it. Document types are
 * never read: the handler is notified and decides to stop.
 */
/** By two of their bytes and their length; those that meet in a place take it from each other. */
const PLACES = 1024
/** Longer ones are rare, and none of MediaWiki's. */
const KEPT_BYTES = 32

/**
 * Names of tags as strings. A dump says the same two dozen millions of times, and making a string of bytes takes
 * longer than finding the one that was made before.
 */
export class TagNames {
  private readonly names: string[] = Array.from({ length: PLACES }, () => '')

  /** Bytes `from` to `to`, which are one character each. */
  read(bytes: Buffer, from: number, to: number): string {
    const length = to - from
    if (length === 0 || length > KEPT_BYTES) return bytes.toString('latin1', from, to)
    const place = (bytes[from]! * 31 + bytes[to - 1]! * 7 + length) % PLACES
    const known = this.names[place]!
    if (known.length === length && isSame(known, bytes, from)) return known
    const name = bytes.toString('latin1', from, to)
    this.names[place] = name
    return name
  }
}

function isSame(name: string, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (name.charCodeAt(index) !== bytes[from + index]) return false
  }
  return true
}

export interface XmlHandler {
  /** `attributes` is the raw text between name and end of the tag. */
  open(name: string, attributes: Buffer | null, isEmpty: boolean): void
  close(name: string): void
  /** Bytes `from` to `to` are a piece of the text between two tags; a reference (`&amp;`) is never cut in two. */
  text(bytes: Buffer, from: number, to: number, isCdata: boolean): void
  /** `<?xml …?>`, without its brackets. */
  declaration(text: string): void
  doctype(): void
  malformed(problem: string): void
}

const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const BANG = 0x21
const QUESTION = 0x3f
const AMP = 0x26
const SEMICOLON = 0x3b
const QUOTE = 0x22
const APOSTROPHE = 0x27
const LF = 0x0a

/** A tag of a dump has a few hundred bytes; a longer one is damage that swallowed its end. */
const TAG_BYTES = 64 * 1024
/** The longest reference that is read, `&#x10FFFF;`, has ten bytes; zeros in front are forgiven up to here. */
const REFERENCE_BYTES = 16

const NONE = Buffer.alloc(0)
const COMMENT = Buffer.from('<!--')
const COMMENT_END = Buffer.from('-->')
const CDATA = Buffer.from('<![CDATA[')
const CDATA_END = Buffer.from(']]>')
const DECLARATION = Buffer.from('<?xml ')
const DECLARATION_END = Buffer.from('?>')

/** Where in the markup a chunk ended, when it ended inside something that may be long. */
type Inside = 'content' | 'comment' | 'cdata' | 'instruction'

export class XmlLexer {
  private readonly handler: XmlHandler
  private readonly names = new TagNames()
  private window: Buffer = NONE
  /** Bytes and lines of the document before the window. */
  private before: { byte: number; line: number }
  private at = 0
  private tagEndsAt = 0
  /** Lines up to a place in the window: damaged documents ask for many places, each counts on from the last. */
  private counted = { at: 0, lines: 0 }
  private inside: Inside = 'content'
  private isStopped = false

  constructor(handler: XmlHandler, from: { byte: number; line: number } = { byte: 0, line: 1 }) {
    this.handler = handler
    this.before = { ...from }
  }

  /** First byte in the document of the markup that the handler receives, or the end of the last. */
  get byte(): number {
    return this.before.byte + this.at
  }

  get line(): number {
    const { counted, window, at } = this
    counted.lines += linesIn(window, counted.at, at)
    counted.at = at
    return this.before.line + counted.lines
  }

  /** First byte after the tag that the handler receives. */
  get endByte(): number {
    return this.before.byte + this.tagEndsAt
  }

  /** Nothing more is read. */
  stop(): void {
    this.isStopped = true
  }

  push(chunk: Buffer): void {
    if (this.isStopped) return
    this.window = this.window.length === 0 ? chunk : Buffer.concat([this.window, chunk])
    this.run(false)
    this.forget()
  }

  /** False when the document ended inside markup. */
  end(): boolean {
    if (this.isStopped) return true
    this.run(true)
    const isWhole = this.at >= this.window.length && this.inside === 'content'
    this.at = this.window.length
    this.forget()
    return isWhole
  }

  private forget(): void {
    if (this.at === 0) return
    this.before.line = this.line
    this.before.byte += this.at
    this.counted = { at: 0, lines: 0 }
    this.window = this.at < this.window.length ? this.window.subarray(this.at) : NONE
    this.at = 0
  }

  private run(isLast: boolean): void {
    while (!this.isStopped && this.at < this.window.length) {
      const next = this.inside === 'content' ? this.content(isLast) : this.within(isLast)
      if (next < 0) return
      this.at = next
    }
  }

  /** Each of the readers below gives where to go on, or -1: the rest of the window must wait. */
  private content(isLast: boolean): number {
    const { window, at } = this
    if (window[at] === LT) return this.markup(isLast)
    const found = window.indexOf(LT, at)
    let end = found < 0 ? window.length : found
    if (found < 0 && !isLast) end = beforeCutReference(window, at)
    if (end === at) return -1
    this.handler.text(window, at, end, false)
    return end
  }

  private markup(isLast: boolean): number {
    const { window, at } = this
    if (at + 1 >= window.length) return isLast ? this.notMarkup('a `<` ends the document') : -1
    const second = window[at + 1]
    if (second === SLASH) return this.closeTag(isLast)
    if (second === BANG) return this.bang(isLast)
    if (second === QUESTION) return this.instruction(isLast)
    return isNameStart(second!) ? this.openTag(isLast) : this.notMarkup('a `<` begins no tag')
  }

  private closeTag(isLast: boolean): number {
    const { window, at } = this
    const end = this.tagEnd(at + 2)
    if (end < 0) return this.unended(end, isLast)
    this.tagEndsAt = end + 1
    let nameEnd = at + 2
    while (nameEnd < end && isName(window[nameEnd]!)) nameEnd += 1
    this.handler.close(this.names.read(window, at + 2, nameEnd))
    return end + 1
  }

  private openTag(isLast: boolean): number {
    const { window, at } = this
    const end = this.tagEnd(at + 1)
    if (end < 0) return this.unended(end, isLast)
    this.tagEndsAt = end + 1
    const isEmpty = window[end - 1] === SLASH
    let nameEnd = at + 1
    while (nameEnd < end && isName(window[nameEnd]!)) nameEnd += 1
    const rest = isEmpty ? end - 1 : end
    const attributes = nameEnd < rest ? window.subarray(nameEnd, rest) : null
    this.handler.open(this.names.read(window, at + 1, nameEnd), attributes, isEmpty)
    return end + 1
  }

  /** Index of the `>` that ends the tag; -1: not in the window; -2 - index: a `<` at index comes before it. */
  private tagEnd(from: number): number {
    const { window } = this
    const limit = Math.min(window.length, from + TAG_BYTES)
    let quote = 0
    for (let index = from; index < limit; index += 1) {
      const byte = window[index]!
      if (byte === LT) return -2 - index
      if (quote !== 0) {
        if (byte === quote) quote = 0
      } else if (byte === GT) return index
      else if (byte === QUOTE || byte === APOSTROPHE) quote = byte
    }
    return limit < window.length ? -2 - limit : -1
  }

  private unended(end: number, isLast: boolean): number {
    if (end === -1) return isLast ? this.notMarkup('the document ends inside a tag') : -1
    this.handler.malformed('a tag has no end')
    return -2 - end
  }

  private notMarkup(problem: string): number {
    this.handler.malformed(problem)
    return this.at + 1
  }

  private bang(isLast: boolean): number {
    const { window, at } = this
    const head = window.subarray(at, at + CDATA.length)
    if (startsWith(head, COMMENT)) return this.enter('comment', COMMENT.length)
    if (startsWith(head, CDATA)) return this.enter('cdata', CDATA.length)
    const isCut = head.length < CDATA.length && !isLast
    if (isCut && (isStartOf(head, COMMENT) || isStartOf(head, CDATA))) return -1
    if (isCut && head.length < 3) return -1
    if (/^<![A-Za-z]/.test(head.toString('latin1'))) {
      this.handler.doctype()
      return at + 2
    }
    return this.notMarkup('a `<!` begins neither a comment nor text')
  }

  private instruction(isLast: boolean): number {
    const { window, at } = this
    if (window.length - at < DECLARATION.length && !isLast) return -1
    const isDeclaration = startsWith(window.subarray(at), DECLARATION)
    const end = window.indexOf(DECLARATION_END, at + 2)
    if (!isDeclaration || (end < 0 && (isLast || window.length - at > TAG_BYTES))) {
      return this.enter('instruction', 2)
    }
    if (end < 0) return -1
    this.handler.declaration(window.toString('latin1', at + 2, end))
    return end + DECLARATION_END.length
  }

  private enter(inside: Inside, length: number): number {
    this.inside = inside
    return this.at + length
  }

  /** Comments and instructions are passed over, text in brackets is handed on; all may be long. */
  private within(isLast: boolean): number {
    const { window, at, inside } = this
    const ends = {
      comment: COMMENT_END,
      cdata: CDATA_END,
      instruction: DECLARATION_END,
      content: NONE,
    }
    const mark = ends[inside]
    const found = window.indexOf(mark, at)
    const end = found < 0 ? Math.max(at, window.length - (isLast ? 0 : mark.length - 1)) : found
    if (inside === 'cdata' && end > at) this.handler.text(window, at, end, true)
    if (found < 0) return end === at ? -1 : end
    this.inside = 'content'
    return found + mark.length
  }
}

/** Where the last reference of the window begins when its end is not there yet. */
function beforeCutReference(window: Buffer, from: number): number {
  const earliest = Math.max(from, window.length - REFERENCE_BYTES)
  for (let index = window.length - 1; index >= earliest; index -= 1) {
    if (window[index] === SEMICOLON) break
    if (window[index] === AMP) return index
  }
  return window.length
}

/**
 * Four bytes at a time: every byte of a dump is looked at here, so this is a large part of reading it.
 * `(x - 1…) & ~x & 8…` is other than zero when one of the four bytes of x is zero.
 */
function linesIn(bytes: Buffer, from: number, to: number): number {
  if (to - from < 8) return linesByByte(bytes, from, to)
  const aligned = Math.min(to, from + ((4 - ((bytes.byteOffset + from) & 3)) & 3))
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, (to - aligned) >> 2)
  let lines = linesByByte(bytes, from, aligned)
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]! ^ 0x0a0a0a0a
    if (((word - 0x01010101) & ~word & 0x80808080) === 0) continue
    lines += linesByByte(bytes, aligned + index * 4, aligned + index * 4 + 4)
  }
  return lines + linesByByte(bytes, aligned + words.length * 4, to)
}

function linesByByte(bytes: Buffer, from: number, to: number): number {
  let lines = 0
  for (let index = from; index < to; index += 1) if (bytes[index] === LF) lines += 1
  return lines
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && isStartOf(start, bytes)
}

function isStartOf(start: Buffer, bytes: Buffer): boolean {
  return (
    bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0
  )
}

function isNameStart(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x5f ||
    byte >= 0x80
  )
}

function isName(byte: number): boolean {
  return isNameStart(byte) || (byte >= 0x30 && byte <= 0x3a) || byte === 0x2d || byte === 0x2e
}
