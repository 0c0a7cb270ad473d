/**
 * What goes through the socket between the station and the DuckDB service: frames of a kind, a length and that many
 * bytes. A frame of another kind, or a longer one, is refused before its bytes are read.
 */
import { BadFrame } from '../lake-errors.ts'

export type FrameKind = 'control' | 'message' | 'piece'

export interface Frame {
  kind: FrameKind
  bytes: Buffer
}

/**
 * By their number on the wire. `control` starts a process and answers with its id, `message` is a question or an
 * answer, `piece` is a part of the file that belongs to the answer after it.
 */
const KINDS: readonly FrameKind[] = ['control', 'message', 'piece']
const HEAD_BYTES = 5
/** A question names all segments of all tables: some megabytes at a large station. */
const BYTES_MAX: Record<FrameKind, number> = {
  control: 16 * 1024,
  message: 64 * 1024 * 1024,
  piece: 256 * 1024,
}

export function frameOf(kind: FrameKind, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(KINDS.indexOf(kind), 0)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Throws when the value is too large for the other side. */
export function jsonFrame(kind: 'control' | 'message', value: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(value))
  if (bytes.length > BYTES_MAX[kind]) throw BadFrame.tooLong(kind, bytes.length)
  return frameOf(kind, bytes)
}

/** Throws unless the frame holds a JSON object. */
export function objectIn({ kind, bytes }: Frame): object {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw BadFrame.noJson(kind, { cause })
  }
  if (typeof value !== 'object' || value === null) throw BadFrame.noJson(kind)
  return value
}

/** Frames of a stream of bytes; throws at the first that is invalid. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0

  /** The first bytes of what is there; chunks are joined only when a whole frame is. */
  #peek(length: number): Buffer | null {
    if (this.#bytes < length) return null
    const [first] = this.#chunks
    if (first!.length < length) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!.subarray(0, length)
  }

  *read(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    for (;;) {
      const head = this.#peek(HEAD_BYTES)
      if (head === null) return
      const kind = KINDS[head.readUInt8(0)]
      if (kind === undefined) throw BadFrame.unknown(head.readUInt8(0))
      const length = head.readUInt32BE(1)
      if (length > BYTES_MAX[kind]) throw BadFrame.tooLong(kind, length)
      const frame = this.#peek(HEAD_BYTES + length)
      if (frame === null) return
      this.#chunks[0] = this.#chunks[0]!.subarray(frame.length)
      this.#bytes -= frame.length
      yield { kind, bytes: frame.subarray(HEAD_BYTES) }
    }
  }
}
