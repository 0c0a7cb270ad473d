/**
 * How long one agent waited for one host lately, as counts in buckets whose width grows with the value
 * (Masson, Rim, Lee, "DDSketch", VLDB 2019), kept apart by the quarter of a day they fell in. Sketches
 * of the same pair add up exactly, in any order, because slices are cut at the same instants everywhere.
 * One entry per sample at most; a median costs one pass over the entries.
 */
import { BadTimes } from './errors.ts'

const MORE = 128
const MOST_BYTES = 8

/** Whole numbers from 0 to 2⁵³ − 1 in seven bits per byte, the lowest first. */
export function writeVarints(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = []
  for (const number of numbers) {
    let rest = number
    while (rest >= MORE) {
      bytes.push((rest % MORE) + MORE)
      rest = Math.floor(rest / MORE)
    }
    bytes.push(rest)
  }
  return Uint8Array.from(bytes)
}

export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let [number, scale, length] = [0, 1, 0]
  for (const byte of bytes) {
    number += (byte % MORE) * scale
    if (++length > MOST_BYTES || !Number.isSafeInteger(number)) {
      throw new BadTimes('a number is too long')
    }
    if (byte >= MORE) scale *= MORE
    else {
      numbers.push(number)
      ;[number, scale, length] = [0, 1, 0]
    }
  }
  if (length > 0) throw new BadTimes('it ends within a number')
  return numbers
}

/** Of a quantile. The noise of any path is wider. */
export const TIME_RELATIVE_ERROR = 0.02
const GROWTH = (1 + TIME_RELATIVE_ERROR) / (1 - TIME_RELATIVE_ERROR)
const LOG_GROWTH = Math.log(GROWTH)
/** A neighbour in the same room answers after this; no request waits longer than ten minutes. */
const SHORTEST_MS = 0.05
const LONGEST_MS = 600_000
const BUCKETS = bucketOf(LONGEST_MS) + 1
/** Slice and bucket share one number; more than BUCKETS, so that slices stay apart. */
const KEYS_PER_SLICE = 512

const HOUR_MS = 3_600_000
export const SLICE_MS = 6 * HOUR_MS
/**
 * A week. Shorter, and hosts that are visited once a day never have seven samples; longer, and a
 * route that is gone is still believed.
 */
export const WINDOW_SLICES = 28
const HALF_LIFE_MS = 24 * HOUR_MS

/** From here on the error of a median levels off, at 0.08 of it (`probe-statistics.ts`). */
export const LEAST_SAMPLES = 7

const FORMAT = 1

function bucketOf(ms: number): number {
  const bounded = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms))
  return Math.ceil(Math.log(bounded / SHORTEST_MS) / LOG_GROWTH - 1e-9)
}

/** The value whose distance from both ends of the bucket is the same share of it. */
function middleOf(bucket: number): number {
  return bucket === 0 ? SHORTEST_MS : (2 * SHORTEST_MS * GROWTH ** bucket) / (GROWTH + 1)
}

const sliceOf = (atMs: number): number => Math.floor(atMs / SLICE_MS)
const sliceOfKey = (key: number): number => Math.floor(key / KEYS_PER_SLICE)

export class TimeSketch {
  /** Ascending, so the oldest slice stands first. */
  #keys: number[] = []
  #counts: number[] = []

  static fromBytes(bytes: Uint8Array): TimeSketch {
    const [format, ...numbers] = readVarints(bytes)
    if (format !== FORMAT) throw new BadTimes(`format ${format ?? 'none'}, not ${FORMAT}`)
    if (numbers.length % 2 !== 0) throw new BadTimes('a count is missing')
    const sketch = new TimeSketch()
    let key = -1
    for (let i = 0; i < numbers.length; i += 2) {
      key += numbers[i]! + 1
      const count = numbers[i + 1]!
      if (count === 0 || !Number.isSafeInteger(key) || key % KEYS_PER_SLICE >= BUCKETS) {
        throw new BadTimes(`entry ${i / 2} counts nothing or lies outside of the buckets`)
      }
      sketch.#keys.push(key)
      sketch.#counts.push(count)
    }
    sketch.#prune()
    return sketch
  }

  /** A few bytes for the first entry, two or three for each further one. */
  toBytes(): Uint8Array {
    const numbers = [FORMAT]
    let before = -1
    for (const [i, key] of this.#keys.entries()) {
      numbers.push(key - before - 1, this.#counts[i]!)
      before = key
    }
    return writeVarints(numbers)
  }

  /** False if it was left out: no time at all, or older than the window. */
  add(ms: number, atMs: number): boolean {
    if (!(ms >= 0 && ms < Infinity && atMs >= 0 && atMs < Infinity)) return false
    const slice = sliceOf(atMs)
    if (slice <= this.#newestSlice() - WINDOW_SLICES) return false
    this.#put(slice * KEYS_PER_SLICE + bucketOf(ms), 1)
    this.#prune()
    return true
  }

  merge(other: TimeSketch): void {
    for (const [i, key] of other.#keys.entries()) this.#put(key, other.#counts[i]!)
    this.#prune()
  }

  /** Samples within the window that ends now. */
  count(nowMs: number): number {
    let count = 0
    for (let i = this.#firstWithin(nowMs); i < this.#keys.length; i++) count += this.#counts[i]!
    return count
  }

  /** Null with fewer than seven samples. */
  median(nowMs: number): number | null {
    return this.count(nowMs) < LEAST_SAMPLES ? null : this.quantile(0.5, nowMs)
  }

  /** The value that this share of the samples, by weight, did not exceed; null of nothing. */
  quantile(share: number, nowMs: number): number | null {
    const weights = new Float64Array(BUCKETS)
    const total = this.#weigh(weights, nowMs)
    if (total === 0) return null
    // Sums of powers of two by different ways may differ in the last bit.
    const wanted = share * total * (1 - 1e-12)
    let below = 0
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      below += weights[bucket]!
      if (weights[bucket]! > 0 && below >= wanted) return middleOf(bucket)
    }
    return null
  }

  /**
   * Adds the weight of every bucket and answers their sum. Weights halve every day, but only while at
   * least seven samples really speak: one new sample among old ones must not become a median of one.
   */
  #weigh(weights: Float64Array, nowMs: number): number {
    const first = this.#firstWithin(nowMs)
    const decays = this.#decays(first, nowMs)
    let total = 0
    for (let i = first; i < this.#keys.length; i++) {
      const weight = (decays === null ? 1 : decays[i - first]!) * this.#counts[i]!
      weights[this.#keys[i]! % KEYS_PER_SLICE]! += weight
      total += weight
    }
    return total
  }

  /** Of a single sample of each entry; null if by them fewer than seven would speak (Kish's count). */
  #decays(first: number, nowMs: number): Float64Array | null {
    const decays = new Float64Array(this.#keys.length - first)
    let [sum, squares] = [0, 0]
    for (let i = 0; i < decays.length; i++) {
      const decay = decayOf(sliceOfKey(this.#keys[first + i]!), nowMs)
      const count = this.#counts[first + i]!
      decays[i] = decay
      sum += decay * count
      squares += decay ** 2 * count
    }
    return sum ** 2 >= LEAST_SAMPLES * squares * (1 - 1e-12) ? decays : null
  }

  #newestSlice(): number {
    const newest = this.#keys.at(-1)
    return newest === undefined ? -Infinity : sliceOfKey(newest)
  }

  #firstWithin(nowMs: number): number {
    return this.#placeOf((sliceOf(nowMs) - WINDOW_SLICES + 1) * KEYS_PER_SLICE)
  }

  #put(key: number, count: number): void {
    const place = this.#placeOf(key)
    if (this.#keys[place] === key) this.#counts[place]! += count
    else {
      this.#keys.splice(place, 0, key)
      this.#counts.splice(place, 0, count)
    }
  }

  /** Of the first key that is not less. */
  #placeOf(key: number): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }

  #prune(): void {
    const oldest = this.#newestSlice() - WINDOW_SLICES + 1
    const gone = this.#placeOf(oldest * KEYS_PER_SLICE)
    if (gone === 0) return
    this.#keys.splice(0, gone)
    this.#counts.splice(0, gone)
  }
}

/** A slice that has not begun yet, by a clock that is ahead, weighs no more than the present one. */
function decayOf(slice: number, nowMs: number): number {
  const ageMs = Math.max(0, sliceOf(nowMs) - slice) * SLICE_MS
  return 2 ** (-ageMs / HALF_LIFE_MS)
}
