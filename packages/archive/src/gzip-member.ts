/**
 * Decoding exactly one gzip member. Node's Gunzip joins members silently, but their boundaries
 * are the offsets of an archive, so header and trailer are read here and only the deflate
 * stream in between goes to zlib, which then tells how many bytes it used.
 */

import { promisify } from 'node:util'
import {
  constants,
  crc32,
  createInflateRaw,
  inflateRaw as inflateRawLater,
  inflateRawSync,
  type InflateRaw,
  type ZlibOptions,
} from 'node:zlib'
import type { ByteWindow } from './byte-window.ts'
import { Damage } from './damage.ts'
import { UnreadableRecord } from './errors.ts'

/** Most members are far smaller: they are decoded in one call, without stream machinery. */
const QUICK_INPUT_BYTES = 64 * 1024
const QUICK_OUTPUT_BYTES = 1024 * 1024

/** Deflate expands at most about 1,032-fold, so one step yields at most 17 MB. */
const STEP_BYTES = 16 * 1024

const LONGEST_HEADER_BYTES = 128 * 1024

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Yields the content; throws `Damage` when the member is broken, cut off or fails its checksum. */
export async function* inflateMember(raw: ByteWindow): AsyncGenerator<Buffer> {
  await skipHeader(raw)
  await raw.fill(QUICK_INPUT_BYTES)
  const quick = inflateAtOnce(raw.view.subarray(0, QUICK_INPUT_BYTES))
  let checksum = 0
  let contentBytes = 0
  if (quick) {
    raw.skip(quick.usedBytes)
    checksum = crc32(quick.content)
    contentBytes = quick.content.length
    // Checked before it is handed out: a small member is whole or it is damage.
    await checkTrailer(raw, checksum, contentBytes)
    yield quick.content
    return
  }
  for await (const piece of inflateInSteps(raw)) {
    checksum = crc32(piece, checksum)
    contentBytes += piece.length
    yield piece
  }
  await checkTrailer(raw, checksum, contentBytes)
}

async function skipHeader(raw: ByteWindow): Promise<void> {
  for (let wanted = 256; ; wanted *= 4) {
    const available = await raw.fill(wanted)
    const header = headerBytes(raw.view)
    if (header === 'invalid' || wanted > LONGEST_HEADER_BYTES) {
      throw new Damage('gzip', 'bad-gzip', 'The gzip header is invalid.')
    }
    if (header !== 'longer') return raw.skip(header)
    if (available < wanted) throw cutOff()
  }
}

/** Length of the gzip header (RFC 1952) at the start of `bytes`. */
function headerBytes(bytes: Buffer): number | 'invalid' | 'longer' {
  if (bytes.length < 10) return 'longer'
  const flags = bytes[3]!
  if (!isGzip(bytes) || bytes[2] !== 8 || (flags & 0xe0) !== 0) return 'invalid'
  let at = 10
  if (flags & 4) {
    if (bytes.length < at + 2) return 'longer'
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const isNamed of [flags & 8, flags & 16]) {
    if (!isNamed) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return 'longer'
    at = end + 1
  }
  if (flags & 2) at += 2
  return at <= bytes.length ? at : 'longer'
}

const TRAILER_BYTES = 8

interface Inflated {
  content: Buffer
  usedBytes: number
}

/** The first member of `bytes`, with its length; throws `UnreadableRecord` unless it is whole. */
export function inflateOneMember(bytes: Buffer, maxOutputLength: number): Inflated {
  const head = requireHeader(bytes)
  return checkedMember(bytes, head, inflateRaw(bytes.subarray(head), maxOutputLength))
}

/** The same, unpacked by a thread of Node's pool: tens of megabytes would keep the main loop busy for that long. */
export async function inflateOneMemberLater(
  bytes: Buffer,
  maxOutputLength: number,
): Promise<Inflated> {
  const head = requireHeader(bytes)
  const options = { info: true, maxOutputLength, chunkSize: chunkBytes(bytes.length) }
  try {
    const result = (await unpack(bytes.subarray(head), options)) as InflatedInfo
    return checkedMember(bytes, head, infoOf(result))
  } catch (error) {
    if (error instanceof UnreadableRecord) throw error
    throw unreadable(`${(error as Error).message}.`)
  }
}

const unpack = promisify<Buffer, ZlibOptions, unknown>(inflateRawLater)

/** Each piece of output is a way to the pool and back; small members need no large buffer. */
function chunkBytes(inputBytes: number): number {
  return Math.min(Math.max(16 * 1024, 4 * inputBytes), 1024 * 1024)
}

function requireHeader(bytes: Buffer): number {
  const head = headerBytes(bytes)
  if (typeof head === 'string') throw unreadable('its gzip header is invalid.')
  return head
}

function checkedMember(bytes: Buffer, head: number, { content, usedBytes }: Inflated): Inflated {
  const trailerAt = head + usedBytes
  if (bytes.length < trailerAt + TRAILER_BYTES) throw unreadable('it is cut off.')
  const isSound =
    bytes.readUInt32LE(trailerAt) === crc32(content) &&
    bytes.readUInt32LE(trailerAt + 4) === content.length % 2 ** 32
  if (!isSound) throw unreadable('its checksum or its length is wrong.')
  return { content, usedBytes: trailerAt + TRAILER_BYTES }
}

interface InflatedInfo {
  buffer: Buffer
  engine: InflateRaw
}

function infoOf({ buffer, engine }: InflatedInfo): Inflated {
  return { content: buffer, usedBytes: engine.bytesWritten }
}

function inflateRaw(bytes: Buffer, maxOutputLength: number): Inflated {
  try {
    return infoOf(inflateRawSync(bytes, { info: true, maxOutputLength }) as unknown as InflatedInfo)
  } catch (error) {
    throw unreadable(`${(error as Error).message}.`)
  }
}

const unreadable = (why: string): UnreadableRecord => new UnreadableRecord('the member', why)

/** Null when the member is too large for this path or broken: the other path tells which. */
function inflateAtOnce(bytes: Buffer): { content: Buffer; usedBytes: number } | null {
  try {
    return inflateRaw(bytes, QUICK_OUTPUT_BYTES)
  } catch {
    return null
  }
}

async function* inflateInSteps(raw: ByteWindow): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 4 * STEP_BYTES })
  let pieces: Buffer[] = []
  inflate.on('data', (piece: Buffer) => pieces.push(piece))
  // The rejection of each step reports it; this keeps a late one from being uncaught.
  inflate.on('error', () => {})
  try {
    while (!inflate.readableEnded) {
      if ((await raw.fill(STEP_BYTES)) === 0) throw cutOff()
      const used = await feed(inflate, raw.view.subarray(0, STEP_BYTES))
      raw.skip(used)
      const ready = pieces
      pieces = []
      yield* ready
    }
  } finally {
    inflate.destroy()
  }
}

/**
 * Resolves with how many bytes of `input` belong to the member. When the member ends inside
 * the input, zlib ends the stream and never calls back, hence the race of three events.
 */
function feed(inflate: InflateRaw, input: Buffer): Promise<number> {
  const before = inflate.bytesWritten
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      inflate.off('end', settle)
      inflate.off('error', settle)
      if (error)
        reject(new Damage('gzip', 'bad-gzip', `The compressed data is invalid: ${error.message}.`))
      else resolve(inflate.bytesWritten - before)
    }
    inflate.once('end', settle)
    inflate.once('error', settle)
    inflate.write(input, settle)
  })
}

async function checkTrailer(
  raw: ByteWindow,
  checksum: number,
  contentBytes: number,
): Promise<void> {
  if ((await raw.fill(8)) < 8) throw cutOff()
  const trailer = raw.view
  if (trailer.readUInt32LE(0) !== checksum) {
    throw new Damage('gzip', 'bad-checksum', 'The content does not match its gzip checksum.')
  }
  if (trailer.readUInt32LE(4) !== contentBytes % 2 ** 32) {
    throw new Damage(
      'gzip',
      'bad-checksum',
      'The content does not have the length that gzip recorded.',
    )
  }
  raw.skip(8)
}

function cutOff(): Damage {
  return new Damage('gzip', 'truncated', 'The file ends inside a gzip member.')
}

/** Does a member that decodes to a WARC record start here? Looks at the first bytes only. */
export function looksLikeWarcMember(bytes: Buffer): boolean {
  const header = headerBytes(bytes)
  if (typeof header !== 'number') return false
  try {
    const start = inflateRawSync(bytes.subarray(header, header + 512), {
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    return start.toString('latin1', 0, 5) === 'WARC/'
  } catch {
    return false
  }
}
