/** Plain text by lines, JSON by its keys, XML by its items: parts of documents that are no pages. */
import { hashOf, joinedHash } from './hash.ts'
import { readXmlEvents, type HtmlAttributes, type HtmlHandler } from './html-events.ts'
import { placeOf, sentencesOf, type PartsSink } from './page-parts.ts'
import { plainText, withoutNoise } from './text-noise.ts'

/** In data a date is information, whatever stands around it. */
const DATA_PLACE = { isTime: false, isCounter: false, isEdge: false }

function addText(sink: PartsSink, place: number, value: string): number {
  let sum = 0
  for (const raw of sentencesOf(plainText(value))) {
    if (raw === '') continue
    const text = withoutNoise(raw, DATA_PLACE)
    sum = (sum + sink.text({ kind: 'text', place, raw, text, emphasis: 1 })) >>> 0
  }
  return sum
}

export function readLines(text: string, sink: PartsSink): void {
  const place = placeOf(hashOf('line'))
  let start = 0
  while (start <= text.length) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    addText(sink, place, text.slice(start, end))
    start = end + 1
  }
}

/** Parsed JSON takes ten times its bytes; a larger file is compared by its lines and commas. */
const MOST_JSON_CHARS = 4_000_000
/** Keys whose values are of the answer, not of what it says. */
const FLEETING_KEY =
  /^(?:nonce|csrf\w*|_?token|session\w*|request_?id|trace_?id|generated(?:_?at)?|now|server_?time|timestamp|ts|took|elapsed\w*|duration_ms|build_?id|etag|cache\w*|expires\w*)$/i
/** Deeper than any data: what is below is compared as text. */
const DEEPEST = 512

export function readJson(text: string, sink: PartsSink): void {
  if (text.length > MOST_JSON_CHARS) {
    readLines(text.replaceAll(',', '\n'), sink)
    return
  }
  let value: unknown
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    readLines(text, sink)
    return
  }
  const waiting: JsonNode[] = [{ value, path: '', depth: 0 }]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isBranch(node.value) && node.depth < DEEPEST) {
      // Last in, first out: turned round, so that parts come in the order of the document.
      for (const child of childrenOf(node, node.value).toReversed()) waiting.push(child)
    } else {
      addLeaf(node, sink)
    }
  }
}

interface JsonNode {
  value: unknown
  path: string
  depth: number
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function childrenOf({ path, depth }: JsonNode, value: object): JsonNode[] {
  if (Array.isArray(value)) {
    return value.map((child: unknown) => ({ value: child, path: `${path}[]`, depth: depth + 1 }))
  }
  return Object.entries(value)
    .filter(([key]) => !FLEETING_KEY.test(key))
    .map(([key, child]) => ({
      value: child,
      path: `${path}.${key}`.slice(-400),
      depth: depth + 1,
    }))
}

function addLeaf({ value, path }: JsonNode, sink: PartsSink): void {
  const place = placeOf(hashOf(path))
  const shown = isBranch(value) ? '{…}' : String(value)
  sink.shape(place, 0, hashOf(`${path} ${typeof value}`), 1)
  addText(sink, place, `${path.replace(/^\./, '')}: ${shown}`)
}

const XML_ITEMS = new Set(['item', 'entry', 'url', 'sitemap', 'row', 'record'])
/** When the feed was written, not what it says. */
const FLEETING_ELEMENT = new Set(['lastbuilddate', 'ttl', 'generator', 'docs', 'cloud'])
const FLEETING_OUTSIDE_ITEMS = new Set(['pubdate', 'updated', 'dc:date', 'sy:updatebase'])

/** Feeds and sitemaps by items, whatever their order; other XML by its leaves. */
export function readXml(xml: string, sink: PartsSink): void {
  readXmlEvents(xml, new XmlReader(sink))
}

class XmlReader implements HtmlHandler {
  readonly #sink: PartsSink
  /** Depth at which the item at hand began; 0 outside items. */
  #itemDepth = 0
  #depth = 0
  #passedDepth = 0
  #name = ''
  #text = ''

  constructor(sink: PartsSink) {
    this.#sink = sink
  }

  open(name: string, attributes: HtmlAttributes): void {
    this.#depth += 1
    if (this.#passedDepth > 0) return
    if (this.#itemDepth === 0) this.#flush()
    const isFleeting =
      FLEETING_ELEMENT.has(name) || (this.#itemDepth === 0 && FLEETING_OUTSIDE_ITEMS.has(name))
    if (isFleeting) {
      this.#passedDepth = this.#depth
      return
    }
    if (this.#itemDepth === 0 && XML_ITEMS.has(name)) this.#itemDepth = this.#depth
    this.#name = name
    this.#text += ' '
    const target = attributes['href'] ?? attributes['url']
    if (target !== undefined) this.#text += `${target} `
    this.#sink.shape(placeOf(hashOf(name)), 0, hashOf(name), 1)
  }

  text(data: string): void {
    if (this.#passedDepth === 0) this.#text += data
  }

  close(name: string): void {
    if (this.#passedDepth === this.#depth) this.#passedDepth = 0
    else if (this.#passedDepth === 0) this.#closeRead(name)
    this.#depth -= 1
  }

  #closeRead(name: string): void {
    if (this.#itemDepth === 0) this.#flush()
    else if (this.#itemDepth === this.#depth) {
      this.#name = name
      this.#flush()
      this.#itemDepth = 0
    } else {
      this.#text += ' '
    }
  }

  #flush(): void {
    const place = placeOf(joinedHash(hashOf(this.#name), this.#itemDepth === 0 ? 0 : 1))
    const text = this.#text
    this.#text = ''
    if (text.trim() !== '') addText(this.#sink, place, text)
  }
}
