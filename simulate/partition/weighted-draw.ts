/** Draws an index with chances in proportion to weights: a sum over all before it, and a search. O(log n). */
export class WeightedDraw {
  readonly #sums: Float64Array

  constructor(weights: Float64Array) {
    this.#sums = new Float64Array(weights.length)
    let sum = 0
    for (let i = 0; i < weights.length; i++) this.#sums[i] = sum += weights[i]!
  }

  /** `share` is uniform in [0, 1). */
  draw(share: number): number {
    const sums = this.#sums
    const wanted = share * (sums.at(-1) ?? 0)
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
