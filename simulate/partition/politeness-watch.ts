/**
 * What servers see, counted apart from the crawl: for every host and every address when its last answer
 * ended, how long it was to be left alone, and who is asking it now. A request that comes early or while
 * another is under way is a violation; for addresses only where politeness is owed to them.
 */

export class PolitenessWatch {
  /** Requests to a host before its pause was over, or at the same time as another one. */
  hostViolations = 0
  addressViolations = 0
  readonly #hosts: Clocks
  readonly #addresses: Clocks

  constructor(hosts: number, addresses: number) {
    this.#hosts = new Clocks(hosts)
    this.#addresses = new Clocks(addresses)
  }

  begin(host: number, address: number, nowS: number): void {
    if (!this.#hosts.begin(host, nowS)) this.hostViolations++
    if (!this.#addresses.begin(address, nowS)) this.addressViolations++
  }

  end(visit: { host: number; address: number }, nowS: number, pauseS: number): void {
    this.#hosts.end(visit.host, nowS, pauseS)
    this.#addresses.end(visit.address, nowS, pauseS)
  }
}

/** Times are sums of fractions. */
const ROUNDING_S = 1e-6

class Clocks {
  readonly #busy: Uint16Array
  readonly #freeAtS: Float64Array

  constructor(count: number) {
    this.#busy = new Uint16Array(count)
    this.#freeAtS = new Float64Array(count).fill(-Infinity)
  }

  /** False if it is too early. */
  begin(server: number, nowS: number): boolean {
    const isFree = this.#busy[server] === 0 && nowS >= this.#freeAtS[server]! - ROUNDING_S
    this.#busy[server]!++
    return isFree
  }

  end(server: number, nowS: number, pauseS: number): void {
    this.#busy[server]!--
    this.#freeAtS[server] = Math.max(this.#freeAtS[server]!, nowS + pauseS)
  }
}
