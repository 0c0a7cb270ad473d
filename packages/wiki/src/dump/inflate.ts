/**
 * Drives an unpacker of node:zlib so that nothing is lost when the input is damaged: what was
 * unpacked is taken out before more is put in, because a stream that fails throws away what it
 * still holds. An unpacker that ends before its input does has met the end of a frame; a new one
 * continues there.
 */
import type { Gunzip, ZstdDecompress } from 'node:zlib'
import { DumpDamaged } from '../errors.ts'
import type { RawChunk, Restart } from './raw-chunk.ts'

type Engine = Gunzip | ZstdDecompress

/** Put in at once. Small: of the piece that holds the damage nothing can be had. */
const PIECE_BYTES = 16 * 1024

export async function* inflate(
  newEngine: () => Engine,
  packed: AsyncIterable<Buffer>,
  from: Restart,
): AsyncGenerator<RawChunk> {
  const frames = new Frames(newEngine, from)
  try {
    for await (const chunk of packed) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        yield* frames.unpack(chunk.subarray(at, at + PIECE_BYTES))
      }
    }
    yield* frames.finish()
  } finally {
    frames.destroy()
  }
}

/** The unpackers of a file, one after the other. */
class Frames {
  private readonly newEngine: () => Engine
  private drive: Drive
  private restart: Restart
  private position: number
  private raw: number

  constructor(newEngine: () => Engine, from: Restart) {
    this.newEngine = newEngine
    this.drive = new Drive(newEngine())
    this.restart = from
    this.position = from.compressed
    this.raw = from.raw
  }

  async *unpack(piece: Buffer): AsyncGenerator<RawChunk> {
    let rest = piece
    while (rest.length > 0) {
      if (this.drive.isEnded) this.begin()
      yield* this.told(this.drive.unpack(rest))
      const taken = this.position + rest.length - this.drive.untaken
      rest = rest.subarray(taken - this.position)
      this.position = taken
    }
  }

  async *finish(): AsyncGenerator<RawChunk> {
    if (!this.drive.isEnded) yield* this.told(this.drive.finish())
  }

  destroy(): void {
    this.drive.destroy()
  }

  private begin(): void {
    this.drive.destroy()
    this.drive = new Drive(this.newEngine())
    this.restart = { compressed: this.position, raw: this.raw }
  }

  private async *told(output: AsyncIterable<Buffer>): AsyncGenerator<RawChunk> {
    const { restart } = this
    try {
      for await (const bytes of output) {
        this.raw += bytes.length
        yield { bytes, position: this.position, restart }
      }
    } catch (error) {
      const { failure } = this.drive
      if (failure === null || error !== failure) throw error
      throw new DumpDamaged(this.position, failure.message, { cause: error })
    }
  }
}

class Drive {
  failure: Error | null = null
  isEnded = false
  private readonly engine: Engine
  private given = 0
  private wake = (): void => {}

  constructor(engine: Engine) {
    this.engine = engine
    engine.on('readable', () => this.wake())
    engine.on('end', () => {
      this.isEnded = true
      this.wake()
    })
    engine.on('error', (error) => this.fail(error))
  }

  /** Bytes that were put in and not used, because the frame ended before them. */
  get untaken(): number {
    return this.isEnded ? this.given - this.engine.bytesWritten : 0
  }

  async *unpack(piece: Buffer): AsyncGenerator<Buffer> {
    let isTaken = false
    this.given += piece.length
    this.engine.write(piece, (error) => {
      isTaken = true
      if (error) this.fail(error)
      this.wake()
    })
    // Less used than given: the end of a frame, which is reported a moment later.
    const isUsed = (): boolean => isTaken && this.engine.bytesWritten >= this.given
    yield* this.outputUntil(() => this.isEnded || isUsed())
  }

  async *finish(): AsyncGenerator<Buffer> {
    this.engine.end()
    yield* this.outputUntil(() => this.isEnded)
  }

  destroy(): void {
    this.engine.destroy()
  }

  private fail(error: Error): void {
    this.failure ??= error
    this.wake()
  }

  private async *outputUntil(isDone: () => boolean): AsyncGenerator<Buffer> {
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.wake = resolve))
      for (let out = this.read(); out !== null; out = this.read()) yield out
      if (this.failure !== null) throw this.failure
      if (isDone()) return
      await woken
    }
  }

  private read(): Buffer | null {
    return this.engine.read() as Buffer | null
  }
}
