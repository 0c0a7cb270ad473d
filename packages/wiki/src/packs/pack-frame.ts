/**
 * A frame of a pack: of each text what it does not have from an earlier one, all of it as one zstd frame,
 * followed by the list of how to put the texts together. The texts of a page's revisions are nearly equal, so
 * each costs little more than its difference from another one of the same frame.
 */
import { promisify } from 'node:util'
import {
  constants,
  crc32,
  zstdCompress,
  zstdDecompress,
  zstdDecompressSync,
  type ZstdOptions,
} from 'node:zlib'
import { ByteWriter } from './byte-code.ts'

/** `pledgedSrcSize` is known to Node, not yet to its types. */
type PackOptions = ZstdOptions & { pledgedSrcSize: number }

const compressed = promisify<Uint8Array, PackOptions, Buffer>(zstdCompress)
const inflated = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress)

/** Bytes of a text's SHA-256 that are kept: against damage, not against malice, which could change them too. */
export const HASH_BYTES = 8
/** 128 MiB: the largest window that decoders accept unasked. */
const WINDOW_LOG_MAX = 27
const WINDOW_LOG_MIN = 10
/** Also the least that Node takes as a chunk. */
const SPARE_BYTES = 64
/** Node takes what is packed in chunks, each by a way over another thread: one for most frames. */
const CHUNK_LEAST_BYTES = 16 * 1024
const CHUNK_SHARE = 1 / 32

/**
 * Up to so much is unpacked where it is needed: that takes a millisecond, and the way over another thread and
 * back takes longer whenever the processors are busy.
 */
const AT_ONCE_BYTES = 4 * 1024 * 1024

/** As it lies in the file. */
export interface StoredFrame {
  /** The zstd frame, and right behind it the list. */
  bytes: Buffer
  listBytes: number
  rawBytes: number
  texts: number
  crc: number
}

export interface TextInFrame {
  length: number
  /** Its beginning and end are those of the text so many places before; 0: it is whole. */
  back: number
  /** Bytes that it has from the beginning of that one. */
  start: number
  /** Bytes of its own, which follow; the rest is the end of that one. */
  own: number
  hash: Buffer
}

/**
 * The parameters of zstd: long-range matching over the whole frame, its length in its head, its own
 * checksum.
 */
export async function zstdFrame(raw: Uint8Array, level: number): Promise<Buffer> {
  const fitting = Math.ceil(Math.log2(Math.max(1, raw.length)))
  const windowLog = Math.min(WINDOW_LOG_MAX, Math.max(WINDOW_LOG_MIN, fitting))
  return compressed(raw, {
    pledgedSrcSize: raw.length,
    chunkSize: Math.max(CHUNK_LEAST_BYTES, Math.ceil(raw.length * CHUNK_SHARE)),
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_windowLog]: windowLog,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  })
}

/** Throws where the frame is damaged or not of this length. */
export async function unzstd(frame: Uint8Array, rawBytes: number): Promise<Buffer> {
  // In one piece with room to spare: what fills its chunk is decoded into a window and copied from there.
  const room = rawBytes + SPARE_BYTES
  const options = { chunkSize: room, maxOutputLength: room }
  const raw =
    rawBytes <= AT_ONCE_BYTES ? zstdDecompressSync(frame, options) : await inflated(frame, options)
  if (raw.length !== rawBytes) throw new RangeError(`${raw.length} bytes instead of ${rawBytes}`)
  return raw
}

export async function storeFrame(
  raw: Uint8Array,
  list: TextInFrame[],
  level: number,
): Promise<StoredFrame> {
  const writer = new ByteWriter()
  let previous = 0
  for (const { length, back, start, own } of list) {
    writer.signed(length - previous)
    writer.number(back)
    if (back > 0) writer.number(start)
    if (back > 0) writer.number(own)
    previous = length
  }
  for (const { hash } of list) writer.bytes(hash)
  const bytes = Buffer.concat([await zstdFrame(raw, level), writer.written()])
  const listBytes = writer.length
  return { bytes, listBytes, rawBytes: raw.length, texts: list.length, crc: crc32(bytes) }
}
