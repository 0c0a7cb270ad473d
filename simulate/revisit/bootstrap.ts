/**
 * How sure is a figure? URLs are drawn again with replacement (Efron 1979), the same draws for every
 * policy, so that differences between policies can be judged pair by pair.
 */
import { randomStream } from './random.ts'

const DRAWS = 300
/** Of the 95 % interval. */
const TAIL = 0.025

export type Interval = [low: number, high: number]

export class Bootstrap {
  readonly #counts: Uint16Array[]

  constructor(urls: number, seed: number) {
    const random = randomStream(seed, 77)
    this.#counts = Array.from({ length: DRAWS }, () => {
      const counts = new Uint16Array(urls)
      for (let i = 0; i < urls; i++) counts[Math.floor(random() * urls)]!++
      return counts
    })
  }

  /** Of Σ above / Σ below over the URLs. */
  ratio(above: ArrayLike<number>, below: ArrayLike<number>): Interval {
    return intervalOf(this.#counts.map((counts) => sum(counts, above) / sum(counts, below)))
  }

  /** Of Σ values over the URLs. */
  total(values: ArrayLike<number>): Interval {
    return intervalOf(this.#counts.map((counts) => sum(counts, values)))
  }
}

function sum(counts: Uint16Array, values: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < counts.length; i++) total += counts[i]! * values[i]!
  return total
}

function intervalOf(drawn: number[]): Interval {
  const sorted = drawn.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!
  return [at(TAIL), at(1 - TAIL)]
}
