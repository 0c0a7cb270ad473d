/**
 * Removes Content-Encoding from a stored body. Bodies come from strangers: they are damaged,
 * cut short, mislabelled, or built to explode, and each of these is a result, never an exception.
 */
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { HEADER_CHARS_MAX } from '../input-limits.ts'

export interface DecodingLimits {
  /** Most bytes to produce. */
  bytesMax: number
  /** Most bytes to produce per byte received, once the output is larger than a page should be. */
  ratioMax: number
}

export interface Decoded {
  bytes: Buffer
  /** A sentence about what is wrong with the body, or null. */
  problem: string | null
}

/** Deflate cannot exceed 1032:1, real pages stay under 100:1; 16 MiB of HTML is ten times the largest seen. */
export const DEFAULT_DECODING_LIMITS: DecodingLimits = { bytesMax: 16 * 1024 * 1024, ratioMax: 200 }

/** Two layers happen by misconfiguration (application and proxy both compress); more is an attack. */
const LAYERS_MAX = 3
/** Tiny inputs of repeated bytes compress extremely well and are harmless. */
const RATIO_FREE_BYTES = 1024 * 1024
/**
 * Work allowed to find where a stream breaks, as a multiple of the output limit. The decoders lose
 * their output when they fail, so the place is searched for by bisection; this bounds a hostile body.
 */
const SEARCH_WORK_FACTOR = 4
/** Closer than this to the break, another pass gains less than a line of text. */
const SEARCH_GRAIN_BYTES = 16

type Decode = (input: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Buffer

export interface Codec {
  decode: Decode
  /** The same as a stream, which hands out what it has after each piece of input. */
  createStream: () => Transform
  /** Makes the decoder hand out what it has at the end of its input, complete or not. */
  flush: number
  /** False when the body cannot be in this encoding at all. */
  looksRight: (input: Buffer) => boolean
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
const always = (): boolean => true

const GZIP: Codec = {
  decode: zlib.gunzipSync,
  createStream: () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
  flush: Z_SYNC_FLUSH,
  looksRight: (input) => input[0] === 0x1f && (input.length === 1 || input[1] === 0x8b),
}
const ZLIB: Codec = {
  decode: zlib.inflateSync,
  createStream: () => zlib.createInflate({ flush: Z_SYNC_FLUSH }),
  flush: Z_SYNC_FLUSH,
  looksRight: always,
}
const RAW_DEFLATE: Codec = {
  decode: zlib.inflateRawSync,
  createStream: () => zlib.createInflateRaw({ flush: Z_SYNC_FLUSH }),
  flush: Z_SYNC_FLUSH,
  looksRight: always,
}
const BROTLI: Codec = {
  decode: zlib.brotliDecompressSync,
  createStream: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
  flush: BROTLI_OPERATION_FLUSH,
  looksRight: always,
}
const ZSTD: Codec = {
  decode: zlib.zstdDecompressSync,
  createStream: () => zlib.createZstdDecompress({ flush: ZSTD_e_flush }),
  flush: ZSTD_e_flush,
  // A frame, or a skippable frame before it (RFC 8878, 3.1).
  looksRight: (input) =>
    input[0] === 0x28 || (input[0] !== undefined && (input[0] & 0xf0) === 0x50),
}

/**
 * All at once, which blocks its thread: for threads that may block, and limits of a page. Elsewhere `unpackContent`
 * does the same piece by piece.
 */
export function decodeContent(
  body: Buffer,
  contentEncoding: string | undefined,
  limits: DecodingLimits,
): Decoded {
  const layers = layersOf(contentEncoding)
  if (body.length === 0) return { bytes: body, problem: null }
  if (typeof layers === 'string') return { bytes: body, problem: layers }
  let bytes = body
  for (const name of layers) {
    const codec = codecFor(name, bytes)
    if (typeof codec === 'string') return { bytes, problem: codec }
    const { maxOutputLength, tooMuch } = outputLimit(bytes.length, limits)
    const layer = decodeLayer(codec, bytes, maxOutputLength)
    bytes = layer.bytes
    if (layer.problem === null) continue
    const problem = layer.problem === TOO_LARGE ? tooMuch : layer.problem
    return { bytes, problem: `The ${name} body ${problem}.` }
  }
  return { bytes, problem: null }
}

/** The encodings to remove, in that order, or a sentence that says why none is removed. */
export function layersOf(contentEncoding: string | undefined): string[] | string {
  const names = encodingNames(contentEncoding)
  if (names.length > LAYERS_MAX) {
    return `The body has ${names.length} content encodings, more than ${LAYERS_MAX}.`
  }
  // Encodings are listed in the order they were applied (RFC 9110, 8.4).
  return names.toReversed()
}

function encodingNames(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return []
  const listed = contentEncoding.slice(0, HEADER_CHARS_MAX).split(',')
  const names = listed.map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity' && name !== 'none')
}

/** What unpacks these bytes, or a sentence that says why nothing does. */
export function codecFor(name: string, input: Buffer): Codec | string {
  const codec = codecNamed(name, input)
  if (codec === null) return `The content encoding "${name.slice(0, 40)}" is not known.`
  return codec.looksRight(input) ? codec : `The body is labelled ${name} but is not.`
}

function codecNamed(name: string, input: Buffer): Codec | null {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return GZIP
    case 'deflate':
      return hasZlibHeader(input) ? ZLIB : RAW_DEFLATE
    case 'br':
      return BROTLI
    case 'zstd':
      return ZSTD
    default:
      return null
  }
}

/** RFC 1950: method 8 and a check on the first two bytes. Some servers send bare RFC 1951 instead. */
function hasZlibHeader(input: Buffer): boolean {
  const [method = 0, flags = 0] = input
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
}

/** Most bytes that an input may unpack to, and what is said of one that unpacks to more. */
export function outputLimit(
  inputBytes: number,
  { bytesMax, ratioMax }: DecodingLimits,
): { maxOutputLength: number; tooMuch: string } {
  const byRatio = Math.max(RATIO_FREE_BYTES, Math.floor(inputBytes * ratioMax))
  const maxOutputLength = Math.max(1, Math.min(bytesMax, byRatio))
  const limit = maxOutputLength === byRatio ? `${ratioMax} times its size` : `${bytesMax} bytes`
  return { maxOutputLength, tooMuch: `unpacks to more than ${limit}` }
}

const TOO_LARGE = 'is too large'
export const ENDS_EARLY = 'ends too early'
export const DAMAGED = 'is damaged'

function decodeLayer(codec: Codec, input: Buffer, maxOutputLength: number): Decoded {
  const decoded = decodeWithin(codec, input, maxOutputLength)
  if (decoded !== null) return decoded
  const decode = lenientDecode(codec, input, maxOutputLength)
  return { bytes: longestPrefix(decode, input.length, maxOutputLength), problem: TOO_LARGE }
}

/** Null when it unpacks to more than that. */
export function decodeWithin(codec: Codec, input: Buffer, maxOutputLength: number): Decoded | null {
  const whole = attempt(() => codec.decode(input, { maxOutputLength }))
  if (whole.bytes !== null) return { bytes: whole.bytes, problem: null }
  if (whole.tooLarge) return null
  const decode = lenientDecode(codec, input, maxOutputLength)
  const cutShort = decode(input.length)
  if (cutShort.bytes !== null) return { bytes: cutShort.bytes, problem: ENDS_EARLY }
  // Brotli holds back what it has unpacked until it is asked for.
  if (cutShort.tooLarge) return null
  return { bytes: longestPrefix(decode, input.length, maxOutputLength), problem: DAMAGED }
}

/** Decodes a prefix of the input to what it gives, whether it is whole or not. */
function lenientDecode(
  codec: Codec,
  input: Buffer,
  maxOutputLength: number,
): (length: number) => Attempt {
  const options = { maxOutputLength, finishFlush: codec.flush }
  return (length) => attempt(() => codec.decode(input.subarray(0, length), options))
}

interface Attempt {
  bytes: Buffer | null
  tooLarge: boolean
}

function attempt(decode: () => Buffer): Attempt {
  try {
    return { bytes: decode(), tooLarge: false }
  } catch (error) {
    const tooLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return { bytes: null, tooLarge }
  }
}

/**
 * The output of the longest input prefix that decodes: if a prefix decodes, so does every shorter
 * one. O(log n) passes, at most SEARCH_WORK_FACTOR times the output limit in all.
 */
function longestPrefix(
  decode: (length: number) => Attempt,
  inputLength: number,
  outputMax: number,
): Buffer {
  let best: Buffer = Buffer.alloc(0)
  let good = 0
  let bad = inputLength
  let workLeft = outputMax * SEARCH_WORK_FACTOR + inputLength * 2
  while (bad - good > SEARCH_GRAIN_BYTES || (good === 0 && bad > 1)) {
    const middle = (good + bad) >>> 1
    const { bytes, tooLarge } = decode(middle)
    // A failed pass does not say how far it came: charge it like the largest it can have been.
    workLeft -=
      middle +
      (bytes === null ? (tooLarge ? outputMax : Math.min(outputMax, middle * 4)) : bytes.length)
    if (bytes === null) bad = middle
    else {
      good = middle
      best = bytes
    }
    if (workLeft <= 0) break
  }
  return best
}
