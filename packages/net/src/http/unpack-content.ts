/**
 * Removes Content-Encoding piece by piece and off the event loop: each byte is unpacked once, and memory stays flat
 * however much a body unpacks to. Like `decodeContent` it never throws on what strangers wrote.
 */
import { Readable } from 'node:stream'
import {
  codecFor,
  DAMAGED,
  decodeWithin,
  ENDS_EARLY,
  layersOf,
  outputLimit,
  type Codec,
  type Decoded,
  type DecodingLimits,
} from './content-decoding.ts'

/** Most bodies are smaller, packed and unpacked: one call is faster than a stream and loses less of a damaged body. */
const AT_ONCE_BYTES = 1024 * 1024
/** Input of one step: what a damaged step would have given is lost. */
const STEP_BYTES = 4 * 1024
/** A body with several encodings is held in memory between them. */
const BETWEEN_LAYERS_BYTES = 64 * 1024 * 1024

/** Yields the pieces of the body and returns a sentence about what is wrong with it, or null. */
export async function* unpackContent(
  body: Buffer,
  contentEncoding: string | undefined,
  limits: DecodingLimits,
): AsyncGenerator<Buffer, string | null> {
  const layers = layersOf(contentEncoding)
  if (typeof layers === 'string' || layers.length === 0 || body.length === 0) {
    yield body
    return typeof layers === 'string' && body.length > 0 ? layers : null
  }
  let bytes = body
  for (const [i, name] of layers.entries()) {
    const codec = codecFor(name, bytes)
    if (typeof codec === 'string') {
      yield bytes
      return codec
    }
    const isLast = i === layers.length - 1
    const bytesMax = isLast ? limits.bytesMax : Math.min(limits.bytesMax, BETWEEN_LAYERS_BYTES)
    const pieces = unpackLayer(codec, bytes, { ...limits, bytesMax })
    const layer = isLast ? { bytes, problem: yield* pieces } : await collect(pieces)
    if (layer.problem !== null) {
      if (!isLast) yield layer.bytes
      return `The ${name} body ${layer.problem}.`
    }
    bytes = layer.bytes
  }
  return null
}

/** The whole body in memory: at most the limit, and for a moment twice that. */
export function unpackWhole(
  body: Buffer,
  contentEncoding: string | undefined,
  limits: DecodingLimits,
): Promise<Decoded> {
  return collect(unpackContent(body, contentEncoding, limits))
}

async function collect(pieces: AsyncGenerator<Buffer, string | null>): Promise<Decoded> {
  const kept: Buffer[] = []
  for (;;) {
    const next = await pieces.next()
    if (next.done !== true) kept.push(next.value)
    else return { bytes: kept.length === 1 ? kept[0]! : Buffer.concat(kept), problem: next.value }
  }
}

async function* unpackLayer(
  codec: Codec,
  input: Buffer,
  limits: DecodingLimits,
): AsyncGenerator<Buffer, string | null> {
  const { maxOutputLength, tooMuch } = outputLimit(input.length, limits)
  if (input.length <= AT_ONCE_BYTES) {
    const decoded = decodeWithin(codec, input, Math.min(maxOutputLength, AT_ONCE_BYTES))
    if (decoded !== null) yield decoded.bytes
    if (decoded !== null) return decoded.problem
  }
  let left = maxOutputLength
  const stream = codec.createStream()
  Readable.from(stepsOf(input)).pipe(stream)
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      yield piece.subarray(0, left)
      if (piece.length > left) return tooMuch
      left -= piece.length
    }
    return null
  } catch (error) {
    return isCutShort(error) ? ENDS_EARLY : DAMAGED
  }
}

function* stepsOf(input: Buffer): Generator<Buffer> {
  for (let at = 0; at < input.length; at += STEP_BYTES) yield input.subarray(at, at + STEP_BYTES)
}

function isCutShort(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
}
