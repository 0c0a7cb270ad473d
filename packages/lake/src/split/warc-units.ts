/**
 * Cuts a WARC file into units of whole records without reading all of it.
 *
 * A plain file is hopped through, from head to head by the lengths they give. A record may hold
 * another WARC file, so nothing shorter is certain; what is damaged is read as the import reads it,
 * and the hops go on where that continues.
 *
 * In a file of gzip members a length stands nowhere. There the first member behind a wanted offset
 * is taken that holds a record and is followed by whole members, one right behind another, for
 * CHAIN_BYTES. Members that only look so stand inside a packed record that holds a WARC file of its
 * own: deflate keeps such bytes as they are only in blocks of less than 64 KB, with bytes of its
 * own between, so a chain of them is shorter. Should one be built all the same, the task before it
 * finds that its last record continues behind the cut, and fails (see warc-lines.ts).
 */
import {
  findHeadEnd,
  isGzip,
  looksLikeWarcMember,
  parseRecordHead,
  readRecords,
} from '@minga/archive'
import { readFully, unitCount, type ByteSource, type Range, type SizeOptions } from './units.ts'

/** Nearly every head; one longer than a window is read as damage is. */
const HEAD_BYTES = 4 * 1024
const WINDOW_BYTES = 64 * 1024
/** Twice what can stand in one block as it is. */
const CHAIN_BYTES = 128 * 1024
/** No chain is looked at further: where members are larger there is no cut. */
const CHAIN_READ_BYTES = 8 * 1024 * 1024
/** Of a gzip head and what it packs, to see whether that is a record. */
const PROBE_BYTES = 2048
/** Such a file is not what it seems; it is read by fewer. */
const FALSE_MEMBERS_MOST = 64
const GZIP_START = Buffer.from([0x1f, 0x8b, 8])
const VERSION_START = Buffer.from('WARC/')

export async function findWarcUnits(source: ByteSource, options: SizeOptions): Promise<Range[]> {
  const count = unitCount(source.bytes, options)
  const head = await readFully(source, Buffer.alloc(GZIP_START.length), 0)
  const cuts = await (isGzip(head) ? memberCuts(source, count) : recordCuts(source, count))
  const edges = [0, ...cuts, source.bytes]
  return edges.slice(1).map((to, place) => ({ kind: 'range', from: edges[place]!, to }))
}

const wantedAt = (source: ByteSource, unit: number, count: number): number =>
  Math.floor((source.bytes / count) * unit)

async function recordCuts(source: ByteSource, count: number): Promise<number[]> {
  const cuts: number[] = []
  if (count === 1) return cuts
  let unit = 1
  for await (const start of recordStarts(source)) {
    if (start < wantedAt(source, unit, count)) continue
    cuts.push(start)
    while (unit < count && wantedAt(source, unit, count) <= start) unit++
    if (unit === count) break
  }
  return cuts
}

/**
 * Where records begin, without the first: every position that a reader from the beginning meets.
 */
async function* recordStarts(source: ByteSource): AsyncGenerator<number> {
  const window = new Window(source)
  let at: number | null = await behindLineBreaks(window, 0)
  while (at !== null && at < source.bytes) {
    at = (await behindRecord(window, at)) ?? (await behindDamage(source, at))
    if (at !== null) at = await behindLineBreaks(window, at)
    if (at !== null && at < source.bytes) yield at
  }
}

/** The end of a record that is as it should be. */
async function behindRecord(window: Window, at: number): Promise<number | null> {
  let view = await window.at(at, HEAD_BYTES)
  if (findHeadEnd(view) === null) view = await window.at(at, WINDOW_BYTES)
  const end = findHeadEnd(view)
  const head = end && parseRecordHead(view.subarray(0, end.headBytes))
  if (!end || !head || 'why' in head) return null
  const next = at + end.bodyAt + head.blockBytes
  if (next > window.source.bytes) return null
  const follows = await window.at(next, VERSION_START.length)
  const isEnd = follows.length === 0 || isLineBreak(follows[0]) || isGzip(follows)
  return isEnd || follows.subarray(0, VERSION_START.length).equals(VERSION_START) ? next : null
}

const isLineBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d

async function behindLineBreaks(window: Window, from: number): Promise<number> {
  for (let at = from; ; at++) {
    const [byte] = await window.at(at, 1)
    if (!isLineBreak(byte)) return at
  }
}

/**
 * Where the import continues behind what begins here; null when records that share a member follow.
 */
async function behindDamage(source: ByteSource, at: number): Promise<number | null> {
  const bytes = bytesOf(source, at, source.bytes)
  for await (const item of readRecords(bytes, { blockLimitBytes: 0 })) {
    const { offset } = 'damage' in item ? item.damage : item
    if (offset > 0) return at + offset
    if ('damage' in item) continue
    return item.storage === 'shared-member' ? null : at + item.length
  }
  return source.bytes
}

async function memberCuts(source: ByteSource, count: number): Promise<number[]> {
  const cuts: number[] = []
  for (let unit = 1; unit < count; unit++) {
    const wanted = wantedAt(source, unit, count)
    // A member longer than a unit has swallowed this one.
    if (wanted <= (cuts.at(-1) ?? 0)) continue
    const cut = await nextMember(source, wanted)
    if (cut === null) break
    cuts.push(cut)
  }
  return cuts
}

async function nextMember(source: ByteSource, wanted: number): Promise<number | null> {
  const window = new Window(source)
  let tries = 0
  for (let at = wanted; at < source.bytes;) {
    const view = await window.at(at, GZIP_START.length)
    const found = view.indexOf(GZIP_START)
    if (found < 0) {
      at += Math.max(1, view.length - GZIP_START.length + 1)
      continue
    }
    const member = at + found
    if (looksLikeWarcMember((await window.at(member, PROBE_BYTES)).subarray(0, PROBE_BYTES))) {
      if (await isChain(source, member)) return member
      if (++tries === FALSE_MEMBERS_MOST) return null
    }
    at = member + 1
  }
  return null
}

async function isChain(source: ByteSource, from: number): Promise<boolean> {
  let end = 0
  const bytes = bytesOf(source, from, Math.min(source.bytes, from + CHAIN_READ_BYTES))
  for await (const item of readRecords(bytes, { blockLimitBytes: 0 })) {
    if ('damage' in item || item.storage !== 'member' || item.offset !== end) return false
    end = item.offset + item.length
    if (end > CHAIN_BYTES) return true
  }
  return false
}

async function* bytesOf(source: ByteSource, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    // A new one each time: who reads records keeps some of it.
    const bytes = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, to - at))
    const read = await source.read(bytes, at)
    if (read === 0) return
    yield bytes.subarray(0, read)
    at += read
  }
}

/** Bytes at any place; those that were read once are not read again while they are near. */
class Window {
  readonly source: ByteSource
  readonly #buffer = Buffer.allocUnsafe(WINDOW_BYTES)
  #from = 0
  #bytes: Buffer = this.#buffer.subarray(0, 0)

  constructor(source: ByteSource) {
    this.source = source
  }

  /** At least that many, unless the file ends; good until the next call. */
  async at(from: number, wanted: number): Promise<Buffer> {
    const end = this.#from + this.#bytes.length
    const isHeld = from >= this.#from && Math.min(from + wanted, this.source.bytes) <= end
    if (!isHeld) {
      this.#bytes = await readFully(this.source, this.#buffer, from)
      this.#from = from
    }
    return this.#bytes.subarray(from - this.#from)
  }
}
