/** Who is due next: a binary heap of URL numbers ordered by due time, ties by number, in which the
 * due time of any URL can be moved. */
export class DueQueue {
  readonly due: Float64Array
  readonly #heap: Int32Array
  readonly #placeOf: Int32Array

  constructor(due: Float64Array) {
    this.due = due
    this.#heap = Int32Array.from(due, (_, url) => url)
    this.#placeOf = Int32Array.from(due, (_, url) => url)
    this.reorder()
  }

  first(): number {
    return this.#heap[0]!
  }

  move(url: number, at: number): void {
    const before = this.due[url]!
    this.due[url] = at
    if (at < before) this.#rise(this.#placeOf[url]!)
    else this.#sink(this.#placeOf[url]!)
  }

  /** After many due times were changed in place. */
  reorder(): void {
    for (let place = (this.#heap.length >> 1) - 1; place >= 0; place--) this.#sink(place)
  }

  #rise(from: number): void {
    for (let place = from; place > 0;) {
      const parent = (place - 1) >> 1
      if (!this.#isBefore(place, parent)) return
      this.#swap(place, parent)
      place = parent
    }
  }

  #sink(from: number): void {
    const size = this.#heap.length
    for (let place = from; ;) {
      const left = 2 * place + 1
      let least = place
      if (left < size && this.#isBefore(left, least)) least = left
      if (left + 1 < size && this.#isBefore(left + 1, least)) least = left + 1
      if (least === place) return
      this.#swap(place, least)
      place = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a]!, this.#heap[b]!]
    const difference = this.due[first]! - this.due[second]!
    return difference < 0 || (difference === 0 && first < second)
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const moved = heap[a]!
    heap[a] = heap[b]!
    heap[b] = moved
    this.#placeOf[heap[a]] = a
    this.#placeOf[moved] = b
  }
}
