/**
 * Which ids a dump has used already: a bitmap in blocks, so ids that lie together, as they do in dumps of whole
 * wikis, take a bit each, and those of a few pages, which lie far apart, a block. Bounded: beyond its limit the
 * oldest blocks are forgotten, and an id that comes again after that is not noticed here (the store still keeps
 * it once). All blocks lie in one piece of memory: one allocation for each would cost more than the ids.
 */

const BLOCK_IDS = 2048
const BLOCK_WORDS = BLOCK_IDS / 32
const FIRST_BLOCKS = 64

export class SeenIds {
  private readonly blocksMax: number
  /** Which place in memory a block has. */
  private readonly places = new Map<number, number>()
  /** And the block at each place. */
  private readonly keys: number[] = []
  private words = new Uint32Array(FIRST_BLOCKS * BLOCK_WORDS)
  /** Taken next when all are in use: the oldest. */
  private next = 0

  /** A block takes 256 bytes. */
  constructor(blocksMax: number) {
    this.blocksMax = blocksMax
  }

  /** False when the id was there already. */
  add(id: number): boolean {
    const key = Math.floor(id / BLOCK_IDS)
    const place = this.places.get(key) ?? this.newPlace(key)
    const offset = id % BLOCK_IDS
    const index = place * BLOCK_WORDS + (offset >>> 5)
    const word = this.words[index]!
    const bit = 1 << (offset & 31)
    if ((word & bit) !== 0) return false
    this.words[index] = word | bit
    return true
  }

  private newPlace(key: number): number {
    const place = this.keys.length < this.blocksMax ? this.keys.length : this.oldestPlace()
    this.keys[place] = key
    this.places.set(key, place)
    if ((place + 1) * BLOCK_WORDS > this.words.length) this.grow()
    return place
  }

  private oldestPlace(): number {
    const place = this.next
    this.next = (place + 1) % this.blocksMax
    this.places.delete(this.keys[place]!)
    this.words.fill(0, place * BLOCK_WORDS, (place + 1) * BLOCK_WORDS)
    return place
  }

  private grow(): void {
    const words = new Uint32Array(this.words.length * 2)
    words.set(this.words)
    this.words = words
  }
}
