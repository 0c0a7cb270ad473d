/** A binary heap whose least item may grow in place: one pick costs O(log n). */
export class LeastHeap<T> {
  readonly #items: T[]
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(items: Iterable<T>, isBefore: (a: T, b: T) => boolean) {
    this.#items = [...items]
    this.#isBefore = isBefore
    for (let i = this.#items.length >> 1; i >= 0; i--) this.#sink(i)
  }

  least(): T | undefined {
    return this.#items[0]
  }

  /** To be called after the least item has grown. */
  leastGrew(): void {
    this.#sink(0)
  }

  #sink(from: number): void {
    const items = this.#items
    for (let at = from; ;) {
      const left = 2 * at + 1
      let least = at
      for (const child of [left, left + 1]) {
        if (child < items.length && this.#isBefore(items[child]!, items[least]!)) least = child
      }
      if (least === at) return
      const moved = items[at]!
      items[at] = items[least]!
      items[least] = moved
      at = least
    }
  }
}
