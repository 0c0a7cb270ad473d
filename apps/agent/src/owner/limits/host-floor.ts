/**
 * The pause that a lent machine keeps by itself: whatever delay a station asks for, no host is asked
 * more often than this or twice at once, and no address by many names either. Counted from dial to
 * dial; a station's own delay, counted from the end of a response, is longer wherever it is a second
 * or more.
 */
import type { Clock } from '@minga/protocol'

/** One request per host and second, the pace of a person who reads. */
const HOST_MS = 1_000
/** Hosts at a content network share addresses: a station works on at most 16 of them at once. */
const ADDRESS_MS = HOST_MS / 16

/** How soon to look again whether a host has answered that only a hostile station gives out twice. */
const LOOK_MS = 100

export class HostFloor {
  readonly #clock: Clock
  readonly #inFlight = new Set<string>()
  /** When each host was dialled last, in that order. */
  readonly #hosts = new Map<string, number>()
  readonly #addresses = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long until this may be dialled. */
  waitMs(url: string, address: string): number {
    const host = hostOf(url)
    if (this.#inFlight.has(host)) return LOOK_MS
    const nowMs = this.#clock.monotonicMs()
    const hostAtMs = (this.#hosts.get(host) ?? -Infinity) + HOST_MS
    const addressAtMs = (this.#addresses.get(address) ?? -Infinity) + ADDRESS_MS
    return Math.max(0, hostAtMs - nowMs, addressAtMs - nowMs)
  }

  began(url: string, address: string): void {
    const nowMs = this.#clock.monotonicMs()
    this.#inFlight.add(hostOf(url))
    note(this.#hosts, hostOf(url), nowMs)
    note(this.#addresses, address, nowMs)
  }

  ended(url: string): void {
    this.#inFlight.delete(hostOf(url))
  }
}

function note(lastMs: Map<string, number>, key: string, nowMs: number): void {
  for (const [old, atMs] of lastMs) {
    if (nowMs - atMs < HOST_MS) break
    lastMs.delete(old)
  }
  lastMs.delete(key)
  lastMs.set(key, nowMs)
}

/** Ports and spellings of a name are the same host here: they are the same machine. */
function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
}
