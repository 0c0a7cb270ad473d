/**
 * How long answers took, as counts in buckets whose width grows with the value: any quantile is
 * known within 2.5 % however many answers there were, and histograms of several machines add up
 * exactly. Masson, Rim, Lee, "DDSketch: a fast and fully-mergeable quantile sketch with
 * relative-error guarantees", VLDB 2019, with bounds instead of collapsing.
 */

/** Relative error of a quantile. A finer one costs bytes in every report and has no reader. */
export const LATENCY_RELATIVE_ERROR = 0.025
const GROWTH = (1 + LATENCY_RELATIVE_ERROR) / (1 - LATENCY_RELATIVE_ERROR)
const LOG_GROWTH = Math.log(GROWTH)
/**
 * Nothing answers faster than a tenth of a millisecond; no request waits longer than ten minutes.
 */
const SHORTEST_MS = 0.1
const LONGEST_MS = 600_000
export const LATENCY_BUCKETS = bucketOf(LONGEST_MS) + 1

/** Buckets that hold something, with their counts. */
export type BucketCounts = [bucket: number, count: number][]

function bucketOf(ms: number): number {
  const bounded = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms))
  return Math.ceil(Math.log(bounded / SHORTEST_MS) / LOG_GROWTH - 1e-9)
}

/** The value whose distance from both ends of the bucket is the same share of it. */
function middleOf(bucket: number): number {
  return bucket === 0 ? SHORTEST_MS : (2 * SHORTEST_MS * GROWTH ** bucket) / (GROWTH + 1)
}

export class LatencyHistogram {
  readonly #counts = new Map<number, number>()
  #count = 0

  static of(buckets: BucketCounts): LatencyHistogram {
    const histogram = new LatencyHistogram()
    histogram.merge(buckets)
    return histogram
  }

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    this.#put(bucketOf(ms), 1)
  }

  merge(buckets: Readonly<BucketCounts>): void {
    for (const [bucket, count] of buckets) this.#put(bucket, count)
  }

  #put(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
    this.#count += count
  }

  buckets(): BucketCounts {
    return [...this.#counts].toSorted(([a], [b]) => a - b)
  }

  /** The value that this share of the answers did not exceed; null of nothing. */
  quantile(share: number): number | null {
    return this.atRank(Math.ceil(share * this.#count))
  }

  /** The value at this place, counted from 1, when all are put in order; null outside of them. */
  atRank(rank: number): number | null {
    if (this.#count === 0) return null
    const wanted = Math.min(this.#count, Math.max(1, rank))
    let seen = 0
    for (const [bucket, count] of this.buckets()) {
      seen += count
      if (seen >= wanted) return middleOf(bucket)
    }
    return null
  }
}
