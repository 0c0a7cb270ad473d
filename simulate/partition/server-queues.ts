/**
 * Pages that wait, server by server in the order of finding, and servers that wait for a robot, robot by robot
 * in the order in which their pauses ended. Linked lists in columns: no object per page.
 */

export class ServerQueues {
  readonly #heads: Int32Array
  readonly #tails: Int32Array
  readonly #next: Int32Array

  constructor(servers: number, pages: number) {
    this.#heads = new Int32Array(servers).fill(-1)
    this.#tails = new Int32Array(servers).fill(-1)
    this.#next = new Int32Array(pages).fill(-1)
  }

  /** The page whose turn it is, −1 for none. */
  first(server: number): number {
    return this.#heads[server]!
  }

  append(server: number, page: number): void {
    const tail = this.#tails[server]!
    this.#next[page] = -1
    if (tail < 0) this.#heads[server] = page
    else this.#next[tail] = page
    this.#tails[server] = page
  }

  prepend(server: number, page: number): void {
    const head = this.#heads[server]!
    this.#next[page] = head
    this.#heads[server] = page
    if (head < 0) this.#tails[server] = page
  }

  take(server: number): number {
    const page = this.#heads[server]!
    if (page < 0) return -1
    this.#heads[server] = this.#next[page]!
    if (this.#heads[server] === -1) this.#tails[server] = -1
    return page
  }
}

/** Servers by robot. A server waits at one robot at a time. */
export class WaitingServers {
  readonly #firsts: Int32Array
  readonly #lasts: Int32Array
  readonly #next: Int32Array

  constructor(robots: number, servers: number) {
    this.#firsts = new Int32Array(robots).fill(-1)
    this.#lasts = new Int32Array(robots).fill(-1)
    this.#next = new Int32Array(servers).fill(-1)
  }

  append(robot: number, server: number): void {
    const last = this.#lasts[robot]!
    this.#next[server] = -1
    if (last < 0) this.#firsts[robot] = server
    else this.#next[last] = server
    this.#lasts[robot] = server
  }

  /** −1 when none waits. */
  take(robot: number): number {
    const server = this.#firsts[robot]!
    if (server < 0) return -1
    this.#firsts[robot] = this.#next[server]!
    if (this.#firsts[robot] === -1) this.#lasts[robot] = -1
    return server
  }

  /** All that wait, robot by robot in their order; none waits after this. */
  takeAll(): number[] {
    return [...this.#firsts.keys()].flatMap((robot) => {
      const servers: number[] = []
      for (let server = this.take(robot); server >= 0; server = this.take(robot)) {
        servers.push(server)
      }
      return servers
    })
  }
}
