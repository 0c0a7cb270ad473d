import { ATTRIBUTE_CHARS_MAX } from '../input-limits.ts'

/**
 * Finds tags in HTML the way a browser's tokenizer does (WHATWG HTML 13.2.5), and nothing else:
 * no tree, no text, no entities. It jumps from `<` to `<`, so prose costs next to nothing; that
 * makes it several times faster than a full tokenizer on ordinary pages. Time is linear: every
 * construct that is not closed reaches to the end of the document and ends the scan.
 * Deliberate differences from a browser: no `<script>` inside `<!--` inside a script, and
 * elements inside SVG and MathML follow HTML's rules.
 */
export interface HtmlVisitor {
  /** `name` is in lower case. The attributes are reused: keep none of them. */
  open(name: string, attributes: Attributes): void
  close(name: string): void
  /** The content of an element that holds text only, such as script, style and title. */
  text(name: string, content: string): void
}

const TAB = 9
const SPACE = 32
const BANG = 33
const DOUBLE_QUOTE = 34
const SINGLE_QUOTE = 39
const DASH = 45
const SLASH = 47
const EQUALS = 61
const GREATER = 62
const QUESTION = 63

/** `noscript` is missing on purpose: without scripts its content is markup. */
const TEXT_ELEMENTS = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
])

/** No element has more; names are compared one by one, so an endless tag must not be endless work. */
const MAX_ATTRIBUTES = 256

/** The requested attributes of one tag; the first of equal names counts. */
export class Attributes {
  /** Which first letters occur, by name length: most attributes are dismissed without a string. */
  readonly #lettersByLength: Uint32Array | null
  readonly #names: string[] = []
  readonly #values: string[] = []
  /** Counted apart: emptying the arrays for every tag costs more than all the rest of the scan. */
  count = 0

  /** Without `wanted` every attribute is kept. */
  constructor(wanted?: string[]) {
    this.#lettersByLength = wanted === undefined ? null : new Uint32Array(32)
    for (const name of wanted ?? []) {
      const letters = this.#lettersByLength?.[name.length] ?? 0
      if (this.#lettersByLength) {
        this.#lettersByLength[name.length] = letters | (1 << (name.charCodeAt(0) & 31))
      }
    }
  }

  clear(): void {
    this.count = 0
  }

  mayWant(length: number, firstCode: number): boolean {
    if (this.#lettersByLength === null) return true
    return ((this.#lettersByLength[length] ?? 0) & (1 << (firstCode & 31))) !== 0
  }

  add(name: string, value: string): void {
    if (this.count >= MAX_ATTRIBUTES) return
    const lower = name.toLowerCase()
    if (this.#indexOf(lower) >= 0) return
    this.#names[this.count] = lower
    this.#values[this.count] = value
    this.count += 1
  }

  /** The raw value, entities not decoded; undefined when absent. */
  get(name: string): string | undefined {
    const index = this.#indexOf(name)
    return index < 0 ? undefined : this.#values[index]
  }

  entries(): [string, string][] {
    return this.#names.slice(0, this.count).map((name, index) => [name, this.#values[index] ?? ''])
  }

  #indexOf(name: string): number {
    for (let i = 0; i < this.count; i++) if (this.#names[i] === name) return i
    return -1
  }
}

export function scanHtml(html: string, attributes: Attributes, visitor: HtmlVisitor): void {
  let at = html.indexOf('<')
  while (at >= 0) {
    const code = html.charCodeAt(at + 1)
    if (isLetter(code)) at = readStartTag(html, at + 1, attributes, visitor)
    else if (code === SLASH) at = readEndTag(html, at + 2, attributes, visitor)
    else if (code === BANG) at = endOfDeclaration(html, at + 2)
    else if (code === QUESTION) at = after(html, '>', at + 2)
    else at += 1
    if (at >= 0) at = html.indexOf('<', at)
  }
}

/** All readers return the place after what they read, or -1 when it is not closed. */
function readStartTag(
  html: string,
  start: number,
  attributes: Attributes,
  visitor: HtmlVisitor,
): number {
  const nameEnd = endOfName(html, start)
  const end = readAttributes(html, nameEnd, attributes)
  if (end < 0) return -1
  const name = html.slice(start, nameEnd).toLowerCase()
  visitor.open(name, attributes)
  if (TEXT_ELEMENTS.has(name)) return readTextElement(html, end, { name, visitor })
  // Everything after it is text, for ever: that is how the element is defined.
  return name === 'plaintext' ? -1 : end
}

function readTextElement(
  html: string,
  start: number,
  element: { name: string; visitor: HtmlVisitor },
): number {
  const { name, visitor } = element
  for (let at = html.indexOf('</', start); at >= 0; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + name.length
    if (!isNameEnd(html.charCodeAt(nameEnd))) continue
    if (html.slice(at + 2, nameEnd).toLowerCase() !== name) continue
    visitor.text(name, html.slice(start, at))
    return at
  }
  return -1
}

function readEndTag(
  html: string,
  start: number,
  attributes: Attributes,
  visitor: HtmlVisitor,
): number {
  if (!isLetter(html.charCodeAt(start))) return after(html, '>', start)
  const nameEnd = endOfName(html, start)
  const end = readAttributes(html, nameEnd, attributes)
  if (end >= 0) visitor.close(html.slice(start, nameEnd).toLowerCase())
  return end
}

function endOfDeclaration(html: string, start: number): number {
  if (html.charCodeAt(start) !== DASH || html.charCodeAt(start + 1) !== DASH) {
    return after(html, '>', start)
  }
  const body = start + 2
  if (html.charCodeAt(body) === GREATER) return body + 1
  if (html.charCodeAt(body) === DASH && html.charCodeAt(body + 1) === GREATER) return body + 2
  for (let at = html.indexOf('--', body); at >= 0; at = html.indexOf('--', at + 1)) {
    if (html.charCodeAt(at + 2) === GREATER) return at + 3
    if (html.charCodeAt(at + 2) === BANG && html.charCodeAt(at + 3) === GREATER) return at + 4
  }
  return -1
}

/** Reads up to and including the `>` of a tag. */
function readAttributes(html: string, start: number, attributes: Attributes): number {
  attributes.clear()
  const { length } = html
  let at = start
  while (at < length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (isSpace(code) || code === SLASH) at += 1
    else at = readAttribute(html, at, attributes)
    if (at < 0) return -1
  }
  return -1
}

function readAttribute(html: string, start: number, attributes: Attributes): number {
  // A leading '=' is part of the name.
  let nameEnd = start + 1
  while (!isAttributeNameEnd(html.charCodeAt(nameEnd))) nameEnd += 1
  let at = skipSpaces(html, nameEnd)
  let valueStart = nameEnd
  let valueEnd = nameEnd
  if (html.charCodeAt(at) === EQUALS) {
    at = skipSpaces(html, at + 1)
    const quote = html.charCodeAt(at)
    if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
      valueStart = at + 1
      valueEnd = html.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", valueStart)
      if (valueEnd < 0) return -1
      at = valueEnd + 1
    } else {
      valueStart = at
      while (!isValueEnd(html.charCodeAt(at))) at += 1
      valueEnd = at
    }
  }
  if (attributes.mayWant(nameEnd - start, html.charCodeAt(start))) {
    const end = Math.min(valueEnd, valueStart + ATTRIBUTE_CHARS_MAX)
    attributes.add(html.slice(start, nameEnd), html.slice(valueStart, end))
  }
  return at
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

function endOfName(html: string, start: number): number {
  let at = start
  while (!isNameEnd(html.charCodeAt(at))) at += 1
  return at
}

function skipSpaces(html: string, from: number): number {
  let at = from
  while (isSpace(html.charCodeAt(at))) at += 1
  return at
}

/** NaN, the code past the end, ends every run, so that no loop needs to know the length. */
function isNameEnd(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code) || code !== code
}

function isAttributeNameEnd(code: number): boolean {
  return code === EQUALS || isNameEnd(code)
}

function isValueEnd(code: number): boolean {
  return code === GREATER || isSpace(code) || code !== code
}

/** Tab, line feed, form feed, carriage return, space. */
function isSpace(code: number): boolean {
  return (
    code <= SPACE && (code === SPACE || code === 10 || code === 13 || code === TAB || code === 12)
  )
}

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}
