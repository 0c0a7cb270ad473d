/**
 * Reads WARC 0.17 to 1.1, plain or gzip, from any stream of bytes in bounded memory.
 *
 * The file is a row of things at offsets: gzip members (normally one record each, wrongly
 * sometimes the whole file) or plain records. Damage is a value like a record is; after it the
 * reader returns to the start of what failed, when that is near enough, and looks for the next
 * member or version line, so that one bad byte costs one record.
 */

import type { FileHandle } from 'node:fs/promises'
import { readChunks } from './archive-files.ts'
import { ByteWindow } from './byte-window.ts'
import { Damage, type DamageCode } from './damage.ts'
import { UnreadableRecord } from './errors.ts'
import { inflateMember, isGzip, looksLikeWarcMember } from './gzip-member.ts'
import { parseRecordHead, type RecordHead } from './record-head.ts'
import { findHeadEnd, type HeadEnd } from './header-lines.ts'

export interface WarcRecord extends RecordHead {
  /** Where the member or plain record starts in the file. */
  offset: number
  /** Its length in the file; 0 in a shared member, whose records cannot be read alone. */
  length: number
  storage: 'plain' | 'member' | 'shared-member'
  /** The first `blockLimitBytes` of the block. */
  block: Buffer
  /** False when the block is longer than the limit. */
  isWhole: boolean
}

export interface WarcDamage {
  damage: { offset: number; code: DamageCode; message: string }
}

export interface ReadOptions {
  /** How much of each block is kept in memory. Default 16 MiB. */
  blockLimitBytes?: number
  /** Called per record; what it returns sees the whole block piece by piece, whatever the limit. */
  inspect?: (head: RecordHead) => ((piece: Buffer) => void) | undefined
}

const DEFAULT_BLOCK_LIMIT_BYTES = 16 * 1024 * 1024

/** Target URLs of a megabyte have been seen; a head beyond that is not one. */
const LONGEST_HEAD_BYTES = 2 * 1024 * 1024

export async function* readRecords(
  source: AsyncIterable<Uint8Array> | Uint8Array,
  options: ReadOptions = {},
): AsyncGenerator<WarcRecord | WarcDamage> {
  const raw = new ByteWindow(source)
  try {
    await skipLineBreaks(raw)
    while ((await raw.fill(2)) > 0) {
      yield* readNext(raw, options)
      await skipLineBreaks(raw)
    }
  } finally {
    await raw.close()
  }
}

async function* readNext(
  raw: ByteWindow,
  options: ReadOptions,
): AsyncGenerator<WarcRecord | WarcDamage> {
  const offset = raw.position
  raw.mark()
  try {
    if (isGzip(raw.view)) yield* readMember(raw, options)
    else yield await readPlainRecord(raw, options)
  } catch (error) {
    yield damageAt(offset, error)
    await findNextRecord(raw)
  }
}

function damageAt(offset: number, error: unknown): WarcDamage {
  if (!(error instanceof Damage)) throw error
  return { damage: { offset, code: error.code, message: error.message } }
}

async function readPlainRecord(raw: ByteWindow, options: ReadOptions): Promise<WarcRecord> {
  const offset = raw.position
  const record = await readOne(raw, options)
  return { ...record, offset, length: raw.position - offset, storage: 'plain' }
}

async function* readMember(
  raw: ByteWindow,
  options: ReadOptions,
): AsyncGenerator<WarcRecord | WarcDamage> {
  const offset = raw.position
  const content = new ByteWindow(inflateMember(raw))
  let isShared = false
  try {
    await skipLineBreaks(content)
    while ((await content.fill(1)) > 0) {
      const item = await readFromMember(content, options)
      isShared ||= (await content.fill(1)) > 0
      if (item instanceof Damage) yield damageAt(offset, item)
      else if (isShared) yield { ...item, offset, length: 0, storage: 'shared-member' }
      else yield { ...item, offset, length: raw.position - offset, storage: 'member' }
    }
  } finally {
    await content.close()
  }
}

/** A record, or what is wrong with it when the member itself can be read on. */
async function readFromMember(
  content: ByteWindow,
  options: ReadOptions,
): Promise<BareRecord | Damage> {
  try {
    return await readOne(content, options)
  } catch (error) {
    if (!(error instanceof Damage) || error.layer === 'gzip') throw error
    await findVersionLine(content)
    return error
  }
}

type BareRecord = RecordHead & Pick<WarcRecord, 'block' | 'isWhole'>

/** Head, block and the line breaks after it. */
async function readOne(window: ByteWindow, options: ReadOptions): Promise<BareRecord> {
  const head = await readHead(window)
  const see = options.inspect?.(head)
  const limit = options.blockLimitBytes ?? DEFAULT_BLOCK_LIMIT_BYTES
  const kept: Buffer[] = []
  let keptBytes = 0
  let left = head.blockBytes
  while (left > 0) {
    const available = await window.fill(1)
    if (available === 0)
      throw new Damage('record', 'truncated', `The block lacks its last ${left} bytes.`)
    const piece = window.view.subarray(0, Math.min(left, available))
    see?.(piece)
    if (keptBytes < limit) kept.push(piece.subarray(0, limit - keptBytes))
    keptBytes += piece.length
    left -= piece.length
    window.skip(piece.length)
  }
  await requireRecordEnd(window)
  return { ...head, block: Buffer.concat(kept), isWhole: keptBytes <= limit }
}

async function readHead(window: ByteWindow): Promise<RecordHead> {
  const start = (await window.fill(5)) > 0 ? window.view.toString('latin1', 0, 5) : ''
  if (start !== 'WARC/') {
    // The first bytes of a version line or of gzip's signature, and then nothing.
    const isTorn = 'WARC/'.startsWith(start) || start === GZIP_FIRST_BYTE
    if (isTorn) throw new Damage('record', 'truncated', 'The file ends where a record starts.')
    throw new Damage('record', 'not-a-record', 'There is no WARC record here.')
  }
  for (let wanted = 4096; ; wanted *= 4) {
    const available = await window.fill(wanted)
    const end = headEndIn(window)
    if (end) {
      const head = parseRecordHead(window.view.subarray(0, end.headBytes))
      if ('why' in head)
        throw new Damage('record', 'bad-head', `The record is unusable: ${head.why}`)
      window.skip(end.bodyAt)
      return head
    }
    if (available < wanted)
      throw new Damage('record', 'truncated', 'The record ends inside its head.')
    if (wanted > LONGEST_HEAD_BYTES)
      throw new Damage('record', 'bad-head', 'The head of the record has no end.')
  }
}

/** What was searched without success is not searched again for the next version line inside it. */
function headEndIn(window: ByteWindow): HeadEnd | null {
  const view = window.view.subarray(0, LONGEST_HEAD_BYTES)
  const end = findHeadEnd(view, Math.max(0, window.headEndsFrom - window.position))
  // An empty line has three bytes at most: it may begin in the last two and end behind them.
  if (end === null) window.headEndsFrom = Math.max(0, window.position + view.length - 2)
  return end
}

/** Two line breaks by the standard; none, one or more from careless writers. */
async function requireRecordEnd(window: ByteWindow): Promise<void> {
  const skipped = await skipLineBreaks(window)
  if (skipped > 0 || (await window.fill(5)) === 0) return
  if (window.view.toString('latin1', 0, 5) === 'WARC/' || isGzip(window.view)) return
  throw new Damage('record', 'bad-length', 'The block does not end where its Content-Length says.')
}

async function skipLineBreaks(window: ByteWindow): Promise<number> {
  let skipped = 0
  while ((await window.fill(1)) > 0) {
    const { view } = window
    let at = 0
    while (view[at] === 0x0a || view[at] === 0x0d) at++
    window.skip(at)
    skipped += at
    if (at < view.length) break
  }
  return skipped
}

const SCAN_BYTES = 64 * 1024
const GZIP_FIRST_BYTE = '\x1f'
const GZIP_START = Buffer.from([0x1f, 0x8b, 8])
const VERSION_LINE = Buffer.from('\nWARC/')
/** Enough for a gzip header with a file name and the start of the content. */
const PROBE_BYTES = 2048

/** After damage: on to the next member that holds a record, or the next version line. */
async function findNextRecord(raw: ByteWindow): Promise<void> {
  if (raw.rewind()) raw.skip(1)
  while ((await raw.fill(SCAN_BYTES)) > 0) {
    const view = raw.view.subarray(0, SCAN_BYTES)
    const line = view.indexOf(VERSION_LINE)
    const member = (line < 0 ? view : view.subarray(0, line)).indexOf(GZIP_START)
    if (line >= 0 && member < 0) return raw.skip(line + 1)
    if (member < 0) {
      skipScanned(raw, view.length)
      continue
    }
    raw.skip(member)
    await raw.fill(PROBE_BYTES)
    if (looksLikeWarcMember(raw.view.subarray(0, PROBE_BYTES))) return
    raw.skip(1)
  }
}

async function findVersionLine(content: ByteWindow): Promise<void> {
  while ((await content.fill(SCAN_BYTES)) > 0) {
    const view = content.view.subarray(0, SCAN_BYTES)
    const line = view.indexOf(VERSION_LINE)
    if (line >= 0) return content.skip(line + 1)
    skipScanned(content, view.length)
  }
}

/** A pattern may straddle two fills, so its length less one stays at hand unless that was the end. */
function skipScanned(window: ByteWindow, scanned: number): void {
  window.skip(scanned < SCAN_BYTES ? scanned : scanned - VERSION_LINE.length + 1)
}

/** Captures are cut long before; this only guards memory against a false index. */
const LARGEST_SINGLE_BLOCK_BYTES = 1024 * 1024 * 1024

/** The one record at an offset from an index. Throws `UnreadableRecord`. */
export function readRecordAt(
  file: string | FileHandle,
  offset: number,
  length: number,
): Promise<WarcRecord> {
  return readRecordWithin(file, { offset, length }, LARGEST_SINGLE_BLOCK_BYTES)
}

/** The same with as much of its block as the limit allows: a small member may unpack to a large record. */
export async function readRecordWithin(
  file: string | FileHandle,
  { offset, length }: Pick<WarcRecord, 'offset' | 'length'>,
  blockLimitBytes: number,
): Promise<WarcRecord> {
  const where = `${typeof file === 'string' ? file : 'the open file'}, offset ${offset}`
  const chunks = readChunks(file, { start: offset, end: offset + length })
  for await (const item of readRecords(chunks, { blockLimitBytes })) {
    if ('damage' in item) throw new UnreadableRecord(where, item.damage.message)
    return { ...item, offset: offset + item.offset }
  }
  throw new UnreadableRecord(where, 'there is nothing.')
}
