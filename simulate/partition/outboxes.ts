/**
 * URLs on their way from the robot that found them to the robot that owns them. They wait in an outbox per
 * pair and leave together, when the box is full or old enough; what a robot has sent once it does not send
 * again. Entries are cells of one pool, linked by number.
 */

export class Outboxes {
  messages = 0
  urlsSent = 0
  readonly #k: number
  readonly #pages: number
  readonly #sent: Uint8Array
  readonly #heads: Int32Array
  readonly #counts: Int32Array
  #cells = new Int32Array(1024)
  #next = new Int32Array(1024)
  #used = 0
  #free = -1

  constructor(k: number, pages: number) {
    this.#k = k
    this.#pages = pages
    this.#sent = new Uint8Array(Math.ceil((k * pages) / 8))
    this.#heads = new Int32Array(k * k).fill(-1)
    this.#counts = new Int32Array(k * k)
  }

  /** How many now wait in the box, 0 if the robot has sent the URL before. */
  add(from: number, to: number, page: number): number {
    const bit = from * this.#pages + page
    const mask = 1 << (bit & 7)
    // Beyond 2^31 bits a shift would wrap.
    const byte = Math.floor(bit / 8)
    if ((this.#sent[byte]! & mask) !== 0) return 0
    this.#sent[byte]! |= mask
    return this.pass(from, to, page)
  }

  /** Sends on what came to the wrong robot, whether or not it was sent before; how many now wait. */
  pass(from: number, to: number, page: number): number {
    const pair = from * this.#k + to
    const cell = this.#allocate()
    this.#cells[cell] = page
    this.#next[cell] = this.#heads[pair]!
    this.#heads[pair] = cell
    return ++this.#counts[pair]!
  }

  /** The box is empty after this; the batch, or −1, and how many it holds. */
  take(from: number, to: number): { batch: number; count: number } {
    const pair = from * this.#k + to
    const taken = { batch: this.#heads[pair]!, count: this.#counts[pair]! }
    this.#heads[pair] = -1
    this.#counts[pair] = 0
    if (taken.batch >= 0) {
      this.messages++
      this.urlsSent += taken.count
    }
    return taken
  }

  /** Hands over the URLs of a batch; it is gone after this. */
  open(batch: number, receive: (page: number) => void): void {
    for (let cell = batch; cell >= 0;) {
      const after = this.#next[cell]!
      const page = this.#cells[cell]!
      this.#next[cell] = this.#free
      this.#free = cell
      receive(page)
      cell = after
    }
  }

  #allocate(): number {
    const cell = this.#free
    if (cell >= 0) {
      this.#free = this.#next[cell]!
      return cell
    }
    if (this.#used === this.#cells.length) {
      this.#cells = doubled(this.#cells)
      this.#next = doubled(this.#next)
    }
    return this.#used++
  }
}

function doubled(values: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * values.length)
  larger.set(values)
  return larger
}
