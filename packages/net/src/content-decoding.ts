/**
 * Removes Content-Encoding from a stored body. Bodies come from strangers: they are damaged,
 * cut short, mislabelled, or built to explode, and each of these is a result, never an exception.
 */
import zlib from 'node:zlib'
import { HEADER_CHARS_MAX } from './input-limits.ts'

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
/** Tiny inputs of repeated bytes compress extremely well and harm nobody. */
const RATIO_FREE_BYTES = 1024 * 1024
/**
 * Work allowed to find where a stream breaks, as a multiple of the output limit. The decoders lose
 * their output when they fail, so the place is searched for by bisection; this bounds a hostile body.
 */
const SEARCH_WORK_FACTOR = 4
/** Closer than this to the break, another pass gains less than a line of text. */
const SEARCH_GRAIN_BYTES = 16

type Decode = (input: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Buffer

interface Codec {
  decode: Decode
  /** Makes the decoder hand out what it has at the end of its input, complete or not. */
  flush: number
  /** False when the body cannot be in this encoding at all. */
  looksRight: (input: Buffer) => boolean
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
const always = (): boolean => true

const GZIP: Codec = {
  decode: zlib.gunzipSync,
  flush: Z_SYNC_FLUSH,
  looksRight: (input) => input[0] === 0x1f && (input.length === 1 || input[1] === 0x8b),
}
const ZLIB: Codec = { decode: zlib.inflateSync, flush: Z_SYNC_FLUSH, looksRight: always }
const RAW_DEFLATE: Codec = { decode: zlib.inflateRawSync, flush: Z_SYNC_FLUSH, looksRight: always }
const BROTLI: Codec = {
  decode: zlib.brotliDecompressSync,
  flush: BROTLI_OPERATION_FLUSH,
  looksRight: always,
}
const ZSTD: Codec = {
  decode: zlib.zstdDecompressSync,
  flush: ZSTD_e_flush,
  // A frame, or a skippable frame before it (RFC 8878, 3.1).
  looksRight: (input) =>
    input[0] === 0x28 || (input[0] !== undefined && (input[0] & 0xf0) === 0x50),
}

export function decodeContent(
  body: Buffer,
  contentEncoding: string | undefined,
  limits: DecodingLimits,
): Decoded {
  const names = encodingNames(contentEncoding)
  if (names.length === 0 || body.length === 0) return { bytes: body, problem: null }
  if (names.length > LAYERS_MAX) {
    return {
      bytes: body,
      problem: `The body has ${names.length} content encodings, more than ${LAYERS_MAX}.`,
    }
  }
  let bytes = body
  // Encodings are listed in the order they were applied (RFC 9110, 8.4).
  for (const name of names.toReversed()) {
    const codec = codecFor(name, bytes)
    if (codec === null)
      return { bytes, problem: `The content encoding "${name.slice(0, 40)}" is not known.` }
    if (!codec.looksRight(bytes))
      return { bytes, problem: `The body is labelled ${name} but is not.` }
    const layer = decodeLayer(codec, bytes, limits)
    bytes = layer.bytes
    if (layer.problem !== null) return { bytes, problem: `The ${name} body ${layer.problem}.` }
  }
  return { bytes, problem: null }
}

function encodingNames(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return []
  const listed = contentEncoding.slice(0, HEADER_CHARS_MAX).split(',')
  const names = listed.map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity' && name !== 'none')
}

function codecFor(name: string, input: Buffer): Codec | null {
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

function decodeLayer(codec: Codec, input: Buffer, limits: DecodingLimits): Decoded {
  const byRatio = Math.max(RATIO_FREE_BYTES, Math.floor(input.length * limits.ratioMax))
  const maxOutputLength = Math.max(1, Math.min(limits.bytesMax, byRatio))
  const whole = attempt(() => codec.decode(input, { maxOutputLength }))
  if (whole.bytes !== null) return { bytes: whole.bytes, problem: null }
  const lenient = (length: number): Attempt =>
    attempt(() =>
      codec.decode(input.subarray(0, length), { maxOutputLength, finishFlush: codec.flush }),
    )

  if (whole.tooLarge) {
    const limit =
      maxOutputLength === byRatio ? `${limits.ratioMax} times its size` : `${limits.bytesMax} bytes`
    return {
      bytes: longestPrefix(lenient, input.length, maxOutputLength),
      problem: `unpacks to more than ${limit}`,
    }
  }
  const cutShort = lenient(input.length)
  if (cutShort.bytes !== null) return { bytes: cutShort.bytes, problem: 'ends too early' }
  return { bytes: longestPrefix(lenient, input.length, maxOutputLength), problem: 'is damaged' }
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
