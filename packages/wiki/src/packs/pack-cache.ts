/** What readers keep unpacked and the memory they read with, shared by as many packs as wanted. */
import { LatestUsed } from './latest-used.ts'
import { SpareMemory } from './spare-memory.ts'

/**
 * Blocks of indexes have room of their own, for the places of 700,000 texts: a text may be in any of a dozen packs,
 * and the few kilobytes that say where must not give way to frames of megabytes.
 */
const BLOCK_BYTES = 16 * 1024 * 1024

export class PackCache {
  readonly frames: LatestUsed
  readonly blocks: LatestUsed
  readonly memory = new SpareMemory()
  #readers = 0

  constructor(frameBytes: number, blockBytes = BLOCK_BYTES) {
    this.frames = new LatestUsed(frameBytes)
    this.blocks = new LatestUsed(blockBytes)
  }

  /** Two packs have things of the same number: each reader takes a name, with which keys begin. */
  readerName(): string {
    this.#readers += 1
    return `${this.#readers}:`
  }

  /** Everything of a reader that was closed. */
  forget(readerName: string): void {
    this.frames.forget(readerName)
    this.blocks.forget(readerName)
  }
}
