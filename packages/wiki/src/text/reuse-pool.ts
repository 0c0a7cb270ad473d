/** Everything that ever stood under one text, to be taken again at most once per revision. */

export interface ReusableText {
  tokens: Int32Array
  /** Place in the history of the revision that had it last. */
  usedIn: number
}

export class ReusePool<T extends ReusableText> {
  readonly #all: T[] = []
  #order: readonly T[] = []
  #next = 0
  #orderedIn = 0

  put(item: T): void {
    this.#all.push(item)
  }

  /**
   * The one that stood most recently, the older of two that stood together: what stays in place stays itself, and
   * what comes back is what was last removed. Those that were passed over once are taken, so each is looked at
   * once per revision however often the text occurs.
   */
  take(revision: number, isFree: (item: T) => boolean): T | null {
    if (this.#orderedIn !== revision) {
      this.#orderedIn = revision
      this.#next = 0
      this.#order =
        this.#all.length < 2 ? this.#all.slice() : this.#all.toSorted((a, b) => b.usedIn - a.usedIn)
    }
    while (this.#next < this.#order.length) {
      const item = this.#order[this.#next]!
      this.#next += 1
      if (isFree(item)) return item
    }
    return null
  }
}
