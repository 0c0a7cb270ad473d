/**
 * The simulated internet: how long a response takes and how large it is, and what the sites see. A
 * response is a function of seed, machine, host and attempt alone, not of the order of requests, so
 * strategies are compared under the same weather.
 */
import {
  FAILURE_SHARE,
  NOISE_SIGMA,
  PAGE_BYTES,
  PAGE_SIGMA,
  RESPONSE_MAX_MS,
  ROBOTS_BYTES,
} from './costs.ts'
import type { SiteHost } from './data-sets.ts'
import { logNormal, uniform } from './draws.ts'
import { TABLE_5_1 } from './thesis-tables.ts'

export interface Visit {
  /** Column of Table 5.1. */
  column: number
  /** Times slower than the thesis's machine at that place. */
  slowness: number
  /** Index of the host, and of the page in it; null for its robots.txt. */
  host: number
  page: number | null
  atMs: number
}

export interface Response {
  ms: number
  bytes: number
  isLost: boolean
}

/** Salts keep the draws for one response apart. */
const SALT = { noise: 11, size: 12, failure: 13 } as const

export class Web {
  readonly hosts: readonly SiteHost[]
  readonly #seed: number
  readonly #attempts = new Map<string, number>()
  readonly #log: HostLog[]
  /** By row of Table 5.1: the times that were measured. */
  readonly measuredS = new Map<number, { sum: number; n: number }>()

  constructor(hosts: readonly SiteHost[], seed: number) {
    this.hosts = hosts
    this.#seed = seed
    this.#log = hosts.map(() => ({ endsMs: [], peak: 0, leastGapMs: Infinity }))
  }

  visit(visit: Visit): Response {
    const { row } = this.hosts[visit.host]!
    const page = visit.page ?? -1
    const key = `${visit.host} ${page}`
    const attempt = this.#attempts.get(key) ?? 0
    this.#attempts.set(key, attempt + 1)
    const draw = [this.#seed, visit.host, page, visit.column, attempt] as const
    const meanMs = TABLE_5_1[row]!.meanS[visit.column]! * 1_000 * visit.slowness
    const neededMs = meanMs * logNormal([...draw, SALT.noise], NOISE_SIGMA)
    const ms = Math.min(neededMs, RESPONSE_MAX_MS)
    const isLost = ms < neededMs || uniform(...draw, SALT.failure) < FAILURE_SHARE
    const isPage = visit.page !== null
    const bytes =
      isPage && !isLost ? PAGE_BYTES * logNormal([...draw, SALT.size], PAGE_SIGMA) : ROBOTS_BYTES
    if (isPage && !isLost) this.#measure(row, ms)
    this.#note(visit, ms)
    return { ms, bytes: Math.round(bytes), isLost }
  }

  #measure(row: number, ms: number): void {
    const known = this.measuredS.get(row) ?? { sum: 0, n: 0 }
    this.measuredS.set(row, { sum: known.sum + ms / 1_000, n: known.n + 1 })
  }

  #note({ host, atMs }: Visit, ms: number): void {
    const log = this.#log[host]!
    log.leastGapMs = Math.min(log.leastGapMs, atMs - Math.max(...log.endsMs))
    log.endsMs = [...log.endsMs.filter((endMs) => endMs > atMs), atMs + ms]
    log.peak = Math.max(log.peak, log.endsMs.length)
  }

  /** The request whose response would end at `endMs` is given up: its host is left alone from now. */
  giveUp({ host, endMs, atMs }: { host: number; endMs: number; atMs: number }): void {
    const log = this.#log[host]!
    log.endsMs = log.endsMs.map((ms) => (ms === endMs ? atMs : ms))
  }

  /** What a host's own log shows: the shortest rest it was left, and how many came at once. */
  politeness(): { leastGapMs: number; peakPerHost: number } {
    return {
      leastGapMs: Math.min(...this.#log.map(({ leastGapMs }) => leastGapMs)),
      peakPerHost: Math.max(...this.#log.map(({ peak }) => peak)),
    }
  }
}

interface HostLog {
  /** When those end that were under way at the last request, and that one. */
  endsMs: number[]
  peak: number
  /** From the end of a response to the next request; negative when they overlap. */
  leastGapMs: number
}
