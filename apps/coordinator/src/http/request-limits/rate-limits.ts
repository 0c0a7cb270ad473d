/**
 * How often something may be tried: a burst, then one each `everyMs`. The generic cell rate
 * algorithm (ITU-T I.371): one number per key, the time at which its tries would be paid off.
 * In memory of this process: several coordinators allow as many times more.
 */
import { isIPv6, type Server } from 'node:net'
import type { Clock } from '@minga/protocol'
import { RateLimited } from '../../station/errors.ts'
import { isLoopback } from './forwarded.ts'

export interface Allowance {
  /** Completes the sentence “The limit of … is reached”. */
  what: string
  burst: number
  everyMs: number
}

/** About 10 MB. Who wants to be forgotten needs as many addresses, each with few tries. */
const KEYS_MOST = 100_000

export class RateLimits {
  readonly #clock: Clock
  readonly #keysMost: number
  /** In the order of their last try: the first is the one to forget. */
  readonly #paidAtMs = new Map<string, number>()

  constructor(clock: Clock, keysMost = KEYS_MOST) {
    this.#clock = clock
    this.#keysMost = keysMost
  }

  /** Counts a try before it is made: a hundred at once must not all see room for one. */
  take(allowance: Allowance, who: string): void {
    const { what, burst, everyMs } = allowance
    const key = `${what} ${who}`
    const nowMs = this.#clock.monotonicMs()
    const paidAtMs = Math.max(this.#paidAtMs.get(key) ?? nowMs, nowMs) + everyMs
    const waitMs = paidAtMs - burst * everyMs - nowMs
    if (waitMs > 0) throw new RateLimited(what, waitMs)
    this.#set(key, paidAtMs)
  }

  /** The try was a good one and does not count. */
  giveBack({ what, everyMs }: Allowance, who: string): void {
    const key = `${what} ${who}`
    const paidAtMs = this.#paidAtMs.get(key)
    if (paidAtMs !== undefined) this.#set(key, paidAtMs - everyMs)
  }

  get size(): number {
    return this.#paidAtMs.size
  }

  #set(key: string, paidAtMs: number): void {
    this.#paidAtMs.delete(key)
    this.#paidAtMs.set(key, paidAtMs)
    for (const oldest of this.#paidAtMs.keys()) {
      if (this.#paidAtMs.size <= this.#keysMost) break
      this.#paidAtMs.delete(oldest)
    }
  }
}

const IPV6_GROUPS_OF_A_HOUSEHOLD = 4

/** A household has one IPv4 address and 2^64 of IPv6: those count as one. */
export function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [front = '', back] = address.split('%', 1)[0]!.split('::')
  const head = front.split(':').filter((group) => group !== '')
  const tail = (back ?? '').split(':').filter((group) => group !== '')
  const gap = back === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array.from({ length: gap }, () => '0'), ...tail]
  const prefix = groups.slice(0, IPV6_GROUPS_OF_A_HOUSEHOLD)
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** A university behind one address, with agents and browsers that keep theirs open. */
const PER_ADDRESS_MAX = 1_024

/** Those of this machine are not counted: a proxy on it has the connections of everyone. */
export function limitConnections(
  server: Server,
  most = PER_ADDRESS_MAX,
  exempt = isLoopback,
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    if (address === undefined || exempt(address)) return
    const place = placeOf(address)
    const here = open.get(place) ?? 0
    if (here >= most) return void socket.destroy()
    open.set(place, here + 1)
    socket.once('close', () => {
      const left = open.get(place)! - 1
      if (left === 0) open.delete(place)
      else open.set(place, left)
    })
  })
}
