/**
 * A robot's line, shared evenly by all pages on their way. Kept as virtual time: every page on the line
 * receives the same bytes per second, so a page that joins when each has received V bytes is done when each has
 * received V + its size. Pages are of one size, so they finish in the order of joining and a ring suffices.
 * O(1) per page.
 */

/** Less than a hundredth of a byte takes less time than a clock of days can show. */
const ROUNDING_BYTES = 0.01

export class Transfers {
  readonly #bytesPerS: number
  readonly #pageBytes: number
  readonly #servers: Int32Array
  readonly #ends: Float64Array
  #first = 0
  #count = 0
  #received = 0
  #lastS = 0

  constructor({ connections, bytesPerS, pageBytes }: LineRules) {
    this.#bytesPerS = bytesPerS
    this.#pageBytes = pageBytes
    this.#servers = new Int32Array(connections)
    this.#ends = new Float64Array(connections)
  }

  get count(): number {
    return this.#count
  }

  join(server: number, nowS: number): void {
    this.#advance(nowS)
    const slot = (this.#first + this.#count++) % this.#servers.length
    this.#servers[slot] = server
    this.#ends[slot] = this.#received + this.#pageBytes
  }

  /** When the first page would be done if no other transfer joined. */
  firstEndS(): number {
    const left = this.#ends[this.#first]! - this.#received
    return this.#lastS + (Math.max(0, left) * this.#count) / this.#bytesPerS
  }

  /** The server whose page is done by now, −1 if none is. */
  takeDone(nowS: number): number {
    this.#advance(nowS)
    if (this.#count === 0) return -1
    if (this.#ends[this.#first]! > this.#received + ROUNDING_BYTES) return -1
    const server = this.#servers[this.#first]!
    this.#first = (this.#first + 1) % this.#servers.length
    this.#count--
    return server
  }

  /** The robot is gone, and all that was on its line. */
  clear(nowS: number): void {
    this.#advance(nowS)
    this.#count = 0
  }

  #advance(nowS: number): void {
    if (this.#count > 0) this.#received += ((nowS - this.#lastS) * this.#bytesPerS) / this.#count
    this.#lastS = nowS
  }
}

export interface LineRules {
  connections: number
  bytesPerS: number
  pageBytes: number
}
