/**
 * What is measured between agents and hosts. Nothing is probed: every fetch tells how long the
 * connection took (one round trip) and how long the first byte (one more, and the server's thinking).
 */
import type { RttEstimate } from './estimate-rtt.ts'
import { TimeSketch } from './time-sketch.ts'

export interface FetchTimes {
  agent: string
  host: string
  /** From dialling to an open connection; null when an open one was used again. */
  connectMs: number | null
  /** From the request to the first byte of the answer. */
  firstByteMs: number | null
  atMs: number
}

export interface MeasuredPair extends RttEstimate {
  agent: string
  host: string
  samples: number
  by: 'connection' | 'first-byte'
}

export interface PairBytes {
  agent: string
  host: string
  connection: Uint8Array
  firstByte: Uint8Array
}

interface Pair {
  connection: TimeSketch
  firstByte: TimeSketch
}

/** Between the quartiles of a normal distribution lie this many σ. */
const QUARTILES_PER_SIGMA = 1.349
/** The error of a median over that of a mean, √(π/2). */
const MEDIAN_OVER_MEAN = 1.2533

export class PairTimes {
  readonly #pairs = new Map<string, Map<string, Pair>>()

  observe({ agent, host, connectMs, firstByteMs, atMs }: FetchTimes): void {
    const pair = this.#pair(agent, host)
    if (connectMs !== null) pair.connection.add(connectMs, atMs)
    if (firstByteMs !== null) pair.firstByte.add(firstByteMs, atMs)
  }

  /** Adds what another coordinator, or this one before a restart, had measured. */
  merge({ agent, host, connection, firstByte }: PairBytes): void {
    const [connections, firstBytes] = [connection, firstByte].map((bytes) =>
      TimeSketch.fromBytes(bytes),
    )
    const pair = this.#pair(agent, host)
    pair.connection.merge(connections!)
    pair.firstByte.merge(firstBytes!)
  }

  /** Null until one of both was measured seven times within the window. */
  rtt(agent: string, host: string, nowMs: number): MeasuredPair | null {
    const pair = this.#pairs.get(agent)?.get(host)
    if (pair === undefined) return null
    const connection = estimateOf(pair.connection, nowMs)
    const firstByte = estimateOf(pair.firstByte, nowMs)
    // The first byte comes after thinking: it bounds the round trip from above, and stands in for it.
    if (connection !== null && (firstByte === null || connection.rttMs <= firstByte.rttMs)) {
      return { agent, host, by: 'connection', ...connection }
    }
    return firstByte === null ? null : { agent, host, by: 'first-byte', ...firstByte }
  }

  /** All pairs with seven samples, agents and hosts in the order of their names. */
  *measured(nowMs: number): Generator<MeasuredPair> {
    for (const agent of [...this.#pairs.keys()].toSorted()) {
      for (const host of [...this.#pairs.get(agent)!.keys()].toSorted()) {
        const pair = this.rtt(agent, host, nowMs)
        if (pair !== null) yield pair
      }
    }
  }

  /** Every pair, also those with few samples: a restart must not reset the counts. */
  *snapshot(): Generator<PairBytes> {
    for (const [agent, hosts] of this.#pairs) {
      for (const [host, { connection, firstByte }] of hosts) {
        yield { agent, host, connection: connection.toBytes(), firstByte: firstByte.toBytes() }
      }
    }
  }

  /** Drops pairs without a measurement for as long as the window. Returns how many. */
  forget(nowMs: number): number {
    let forgotten = 0
    for (const [agent, hosts] of this.#pairs) {
      for (const [host, { connection, firstByte }] of hosts) {
        if (connection.count(nowMs) + firstByte.count(nowMs) > 0) continue
        hosts.delete(host)
        forgotten++
      }
      if (hosts.size === 0) this.#pairs.delete(agent)
    }
    return forgotten
  }

  #pair(agent: string, host: string): Pair {
    let hosts = this.#pairs.get(agent)
    if (hosts === undefined) this.#pairs.set(agent, (hosts = new Map()))
    let pair = hosts.get(host)
    if (pair === undefined) {
      hosts.set(host, (pair = { connection: new TimeSketch(), firstByte: new TimeSketch() }))
    }
    return pair
  }
}

function estimateOf(sketch: TimeSketch, nowMs: number): (RttEstimate & { samples: number }) | null {
  const rttMs = sketch.median(nowMs)
  if (rttMs === null) return null
  const samples = sketch.count(nowMs)
  const [low, high] = [sketch.quantile(0.25, nowMs)!, sketch.quantile(0.75, nowMs)!]
  const sigma = (high - low) / QUARTILES_PER_SIGMA
  return { rttMs, samples, uncertaintyMs: (MEDIAN_OVER_MEAN * sigma) / Math.sqrt(samples) }
}
