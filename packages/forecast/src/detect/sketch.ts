/**
 * What the detector remembers of a page, a few kilobytes whatever its size, and enough to tell
 * whether and how much the next version differs. Everything exact is a sum of hashes, which no
 * order changes: stored per place, so that places known to be noise can be taken out again. The
 * size of a change is computed from the blocks themselves; of a page with more than `MOST_BLOCKS` a
 * fair sample of them, chosen by their hashes so that two versions choose the same ones.
 */
import { createHash } from 'node:crypto'
import { readJson, readLines, readXml } from './data-parts.ts'
import { factsOf, joinedHash } from './hash.ts'
import { HtmlParts } from './html-parts.ts'
import { kindOf, textOf, type PageBody, type PageKind } from './page-body.ts'
import type { PartsSink, TextPart } from './page-parts.ts'
import { readSelected, type Selectors } from './selectors.ts'
import { alarmIn, type Alarm } from './soft-errors.ts'

/** The parts that share a place. All sums are of 32 bits. */
export interface SketchNode {
  key: number
  /** The place around it; 0 when it is not known. */
  parent: number
  textSum: number
  wordSum: number
  itemSum: number
  shapeSum: number
  lookSum: number
  /** Weights: of words, of elements, of looks. */
  text: number
  shape: number
  look: number
}

/** A text that stands `count` times at a place. */
export interface Block {
  hash: number
  place: number
  /** 0 for texts too short to be alike. */
  simhash: number
  weight: number
  count: number
}

export interface Sketch {
  kind: PageKind
  /** Of the bytes; for binaries, which have no parts. Hexadecimal, else empty. */
  digest: string
  /** Whether the end of the document was reached. */
  isClosed: boolean
  alarm: Alarm | null
  words: number
  /** Of the title and the first heading. */
  title: number
  /** Of all texts in their order. */
  order: number
  /** Places are distinguished by this many low bits of their key. */
  placeBits: number
  nodes: SketchNode[]
  /** Blocks are kept when this many high bits of their hash are zero. */
  sampleShift: number
  blocks: Block[]
  /** Elements and looks by the low bits of their hashes: how many of each have come or gone. */
  shapes: Uint32Array
  looks: Uint32Array
}

const MOST_PLACES = 200
const MOST_BLOCKS = 400
/** Links are many and weigh little: every eighth stands for eight. */
const LINKS_PER_BLOCK = 8
export const PLACE_BITS = 16
export const BUCKETS = 64
/** Below, two texts are the same or not; "alike" means nothing. */
const FEWEST_WORDS_ALIKE = 4
const MOST_HEADINGS = 2
/** The start of a page, where errors say what they are. */
const OPENING_CHARS = 600

export function sketchOf(page: PageBody, selectors: Selectors): Sketch {
  return sketchPage(page, selectors, null)
}

/** Like `sketchOf`; the texts are passed to a second reader as well. */
export function sketchPage(
  page: PageBody,
  selectors: Selectors,
  tell: ((part: TextPart, hash: number) => void) | null,
): Sketch {
  const kind = kindOf(page)
  const builder = new SketchBuilder(kind, tell)
  if (kind === 'binary') {
    const digest = createHash('sha256').update(page.body).digest('hex').slice(0, 32)
    return { ...builder.finish(true), digest }
  }
  const text = textOf(page)
  if (kind === 'html') {
    const parts = new HtmlParts(page.url, builder)
    readSelected(text, selectors, parts)
    parts.end()
    if (selectors.include.length > 0) builder.judgeByTitle(titleIn(text))
  } else if (kind === 'json') readJson(text, builder)
  else if (kind === 'xml') readXml(text, builder)
  else readLines(text, builder)
  return builder.finish(kind !== 'html' || isClosed(text))
}

function titleIn(html: string): string {
  return /<title[^>]{0,200}>([^<]{0,300})/i.exec(html.slice(0, 65_536))?.[1]?.trim() ?? ''
}

function isClosed(html: string): boolean {
  return /<\/(?:html|body)\s*>/i.test(html.slice(-4_096))
}

class SketchBuilder implements PartsSink {
  readonly #kind: PageKind
  readonly #tell: ((part: TextPart, hash: number) => void) | null
  #words = 0
  #title = 0
  #order = 0
  #placeBits = PLACE_BITS
  #nodes = new Map<number, SketchNode>()
  #sampleShift = 0
  #blocks = new Map<number, Block[]>()
  #blockCount = 0
  #shapes = new Uint32Array(BUCKETS)
  #looks = new Uint32Array(BUCKETS)
  #headings: string[] = []
  #opening = ''

  constructor(kind: PageKind, tell: ((part: TextPart, hash: number) => void) | null) {
    this.#kind = kind
    this.#tell = tell
  }

  text(part: TextPart): number {
    const { kind, place, text, emphasis } = part
    const facts = factsOf(text)
    const hash = kind === 'text' ? facts.hash : joinedHash(facts.hash, kind === 'link' ? 1 : 2)
    const weight = kind === 'link' ? 1 : facts.weight * emphasis
    if (kind === 'text') this.#noteOpening(text, emphasis > 1)
    this.#words += kind === 'link' ? 0 : facts.words
    this.#order = joinedHash(this.#order, hash)
    const at = this.#nodeAt(place)
    at.textSum = (at.textSum + hash) >>> 0
    at.wordSum = (at.wordSum + (kind === 'link' ? hash : facts.wordSum)) >>> 0
    at.text += weight
    if (kind !== 'link') {
      const isAlikeable = kind === 'text' && facts.words >= FEWEST_WORDS_ALIKE
      this.#keep({ hash, place, simhash: isAlikeable ? facts.simhash : 0, weight, count: 1 })
    } else if (hash % LINKS_PER_BLOCK === 0) {
      this.#keep({ hash, place, simhash: 0, weight: LINKS_PER_BLOCK, count: 1 })
    }
    this.#tell?.(part, hash)
    return hash
  }

  shape(place: number, parent: number, hash: number, weight: number): void {
    const at = this.#nodeAt(place)
    at.parent = parent
    at.shapeSum = (at.shapeSum + hash) >>> 0
    at.shape += weight
    this.#shapes[hash % BUCKETS]! += weight
  }

  look(place: number, hash: number, weight: number): void {
    const at = this.#nodeAt(place)
    at.lookSum = (at.lookSum + hash) >>> 0
    at.look += weight
    this.#looks[hash % BUCKETS]! += weight
  }

  item(place: number, hash: number): void {
    const at = this.#nodeAt(place)
    at.itemSum = (at.itemSum + hash) >>> 0
  }

  /** A selected part may well say that something is not available; only the page can say that it is not. */
  judgeByTitle(title: string): void {
    this.#headings = [title]
    this.#opening = ''
  }

  finish(closed: boolean): Sketch {
    const opening = this.#opening.slice(0, OPENING_CHARS)
    return {
      kind: this.#kind,
      digest: '',
      isClosed: closed,
      alarm: alarmIn({ headings: this.#headings, opening, words: this.#words }),
      words: this.#words,
      title: this.#title,
      order: this.#order,
      placeBits: this.#placeBits,
      nodes: [...this.#nodes.values()].toSorted((a, b) => a.key - b.key),
      sampleShift: this.#sampleShift,
      blocks: [...this.#blocks.values()]
        .flat()
        .toSorted((a, b) => a.hash - b.hash || a.place - b.place),
      shapes: this.#shapes,
      looks: this.#looks,
    }
  }

  #noteOpening(text: string, isHeading: boolean): void {
    if (isHeading && this.#headings.length < MOST_HEADINGS) {
      this.#headings.push(text.slice(0, 200))
      this.#title = joinedHash(this.#title, factsOf(text).hash)
    }
    if (this.#opening.length < OPENING_CHARS) this.#opening += `${text.slice(0, OPENING_CHARS)}\n`
  }

  #nodeAt(place: number): SketchNode {
    const key = place & ((1 << this.#placeBits) - 1)
    const known = this.#nodes.get(key)
    if (known !== undefined) return known
    const fresh = emptyNode(key)
    this.#nodes.set(key, fresh)
    while (this.#nodes.size > MOST_PLACES) {
      this.#placeBits -= 1
      const folded = foldNodes([...this.#nodes.values()], this.#placeBits)
      this.#nodes = new Map(folded.map((one) => [one.key, one]))
    }
    return this.#nodeAt(place)
  }

  #keep(block: Block): void {
    if (!isSampled(block.hash, this.#sampleShift)) return
    const same = this.#blocks.get(block.hash)
    const known = same?.find(({ place }) => place === block.place)
    if (known !== undefined) {
      known.count += 1
      return
    }
    if (same === undefined) this.#blocks.set(block.hash, [block])
    else same.push(block)
    this.#blockCount += 1
    if (this.#blockCount > MOST_BLOCKS) this.#thinOut()
  }

  /** Half of the hashes go; what stands at very many places at once goes with its hash. */
  #thinOut(): void {
    while (this.#blockCount > MOST_BLOCKS && this.#sampleShift < 31) {
      this.#sampleShift += 1
      for (const hash of this.#blocks.keys()) {
        if (!isSampled(hash, this.#sampleShift)) this.#blocks.delete(hash)
      }
      this.#blockCount = [...this.#blocks.values()].reduce((sum, list) => sum + list.length, 0)
    }
  }
}

export function isSampled(hash: number, shift: number): boolean {
  return shift === 0 || hash >>> (32 - shift) === 0
}

function emptyNode(key: number): SketchNode {
  const sums = { textSum: 0, wordSum: 0, itemSum: 0, shapeSum: 0, lookSum: 0 }
  return { key, parent: 0, ...sums, text: 0, shape: 0, look: 0 }
}

/** Two places that fewer bits no longer tell apart become one; sums add up. */
export function foldNodes(nodes: readonly SketchNode[], bits: number): SketchNode[] {
  const folded = new Map<number, SketchNode>()
  for (const node of nodes) {
    const key = node.key & ((1 << bits) - 1)
    const into = folded.get(key) ?? emptyNode(key)
    into.parent = node.parent & ((1 << bits) - 1)
    folded.set(key, addNode(into, node))
  }
  return [...folded.values()]
}

function addNode(into: SketchNode, node: SketchNode): SketchNode {
  into.textSum = (into.textSum + node.textSum) >>> 0
  into.wordSum = (into.wordSum + node.wordSum) >>> 0
  into.itemSum = (into.itemSum + node.itemSum) >>> 0
  into.shapeSum = (into.shapeSum + node.shapeSum) >>> 0
  into.lookSum = (into.lookSum + node.lookSum) >>> 0
  into.text += node.text
  into.shape += node.shape
  into.look += node.look
  return into
}

/** What the places that count amount to. */
export function totalOf(nodes: readonly SketchNode[]): SketchNode {
  return nodes.reduce(addNode, emptyNode(0))
}
