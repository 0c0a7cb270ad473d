/** Sketches as bytes: a version, then numbers of fixed or variable length in a fixed order. */
import { BadSketch } from './errors.ts'
import { PAGE_KINDS } from './page-body.ts'
import { BUCKETS, type Block, type SketchNode, type Sketch } from './sketch.ts'
import { ALARMS } from './soft-errors.ts'

const VERSION = 1
const CLOSED = 1
/** Blocks without a simhash are the most; a bit saves them four bytes. */
const HAS_SIMHASH = 1

export function encodeSketch(sketch: Sketch): Uint8Array {
  const out = new ByteWriter()
  out.byte(VERSION)
  out.byte(PAGE_KINDS.indexOf(sketch.kind))
  out.byte(sketch.isClosed ? CLOSED : 0)
  out.byte(sketch.alarm === null ? 0 : 1 + ALARMS.indexOf(sketch.alarm))
  out.text(sketch.digest)
  for (const number of [sketch.words, sketch.placeBits, sketch.sampleShift]) out.number(number)
  for (const hash of [sketch.title, sketch.order]) out.hash(hash)
  for (const counts of [sketch.shapes, sketch.looks]) for (const count of counts) out.number(count)
  out.number(sketch.nodes.length)
  for (const node of sketch.nodes) writeNode(out, node)
  out.number(sketch.blocks.length)
  for (const block of sketch.blocks) writeBlock(out, block)
  return out.bytes()
}

export function decodeSketch(bytes: Uint8Array): Sketch {
  const input = new ByteReader(bytes)
  const version = input.byte()
  if (version !== VERSION) throw new BadSketch(`it is of version ${version}, not ${VERSION}`)
  const kind = PAGE_KINDS[input.byte()]
  if (kind === undefined) throw new BadSketch('it is of no kind of page')
  const isClosed = (input.byte() & CLOSED) !== 0
  const alarm = ALARMS[input.byte() - 1] ?? null
  const digest = input.text()
  const [words, placeBits, sampleShift] = [input.number(), input.number(), input.number()]
  const [title, order] = [input.hash(), input.hash()]
  const [shapes, looks] = [readCounts(input), readCounts(input)]
  const nodes = readList(input, readNode)
  const blocks = readList(input, readBlock)
  const numbers = { words, placeBits, sampleShift, title, order }
  return { kind, isClosed, alarm, digest, ...numbers, shapes, looks, nodes, blocks }
}

function writeNode(out: ByteWriter, node: SketchNode): void {
  for (const key of [node.key, node.parent]) out.number(key)
  for (const count of [node.text, node.shape, node.look]) out.number(count)
  for (const sum of [node.shapeSum, node.lookSum]) out.hash(sum)
  // Most places hold no text of their own.
  if (node.text > 0) for (const sum of [node.textSum, node.wordSum]) out.hash(sum)
  out.number(node.itemSum)
}

function readNode(input: ByteReader): SketchNode {
  const [key, parent] = [input.number(), input.number()]
  const [text, shape, look] = [input.number(), input.number(), input.number()]
  const [shapeSum, lookSum] = [input.hash(), input.hash()]
  const [textSum, wordSum] = text > 0 ? [input.hash(), input.hash()] : [0, 0]
  const itemSum = input.number()
  return { key, parent, textSum, wordSum, itemSum, shapeSum, lookSum, text, shape, look }
}

function writeBlock(out: ByteWriter, block: Block): void {
  out.hash(block.hash)
  out.number(block.place)
  out.number(block.weight * 2 + (block.simhash === 0 ? 0 : HAS_SIMHASH))
  if (block.simhash !== 0) out.hash(block.simhash)
  out.number(block.count)
}

function readBlock(input: ByteReader): Block {
  const [hash, place, packed] = [input.hash(), input.number(), input.number()]
  const simhash = packed % 2 === HAS_SIMHASH ? input.hash() : 0
  return { hash, place, simhash, weight: Math.floor(packed / 2), count: input.number() }
}

function readCounts(input: ByteReader): Uint32Array {
  return Uint32Array.from({ length: BUCKETS }, () => input.number())
}

function readList<T>(input: ByteReader, read: (input: ByteReader) => T): T[] {
  const count = input.number()
  if (count > input.left) throw new BadSketch('it says to hold more than it does')
  return Array.from({ length: count }, () => read(input))
}

class ByteWriter {
  readonly #bytes: number[] = []

  byte(value: number): void {
    this.#bytes.push(value & 0xff)
  }

  hash(value: number): void {
    for (const shift of [24, 16, 8, 0]) this.byte(value >>> shift)
  }

  /** Seven bits at a time, the lowest first. */
  number(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80)
    this.byte(rest)
  }

  text(value: string): void {
    this.number(value.length)
    for (let i = 0; i < value.length; i++) this.byte(value.charCodeAt(i))
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes)
  }
}

class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    const value = this.#bytes[this.#at]
    if (value === undefined) throw new BadSketch('it ends too early')
    this.#at += 1
    return value
  }

  hash(): number {
    return ((this.byte() << 24) | (this.byte() << 16) | (this.byte() << 8) | this.byte()) >>> 0
  }

  number(): number {
    let value = 0
    for (let scale = 1; scale < Number.MAX_SAFE_INTEGER; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new BadSketch('it holds a number that is none')
  }

  text(): string {
    const length = this.number()
    if (length > this.left) throw new BadSketch('it says to hold more than it does')
    return Array.from({ length }, () => String.fromCharCode(this.byte())).join('')
  }
}
