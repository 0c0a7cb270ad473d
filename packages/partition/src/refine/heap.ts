/** A binary heap of vertices by key, the largest on top, with a place per vertex to find it again. */
export class VertexHeap {
  size = 0
  readonly keys: Float64Array
  readonly #items: Int32Array
  readonly #places: Int32Array

  constructor(vertices: number) {
    this.keys = new Float64Array(vertices)
    this.#items = new Int32Array(vertices)
    this.#places = new Int32Array(vertices).fill(-1)
  }

  has(v: number): boolean {
    return this.#places[v]! >= 0
  }

  top(): number {
    return this.#items[0]!
  }

  push(v: number, key: number): void {
    this.keys[v] = key
    this.#rise(this.size++, v)
  }

  update(v: number, key: number): void {
    const before = this.keys[v]!
    if (key === before) return
    this.keys[v] = key
    if (key > before) this.#rise(this.#places[v]!, v)
    else this.#sink(this.#places[v]!, v)
  }

  pop(): number {
    const top = this.#items[0]!
    this.remove(top)
    return top
  }

  remove(v: number): void {
    const place = this.#places[v]!
    this.#places[v] = -1
    const last = this.#items[--this.size]!
    if (last === v) return
    if (this.keys[last]! > this.keys[v]!) this.#rise(place, last)
    else this.#sink(place, last)
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.#places[this.#items[i]!] = -1
    this.size = 0
  }

  #rise(from: number, v: number): void {
    const items = this.#items
    const places = this.#places
    const keys = this.keys
    const key = keys[v]!
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const other = items[above]!
      if (keys[other]! >= key) break
      items[place] = other
      places[other] = place
      place = above
    }
    items[place] = v
    places[v] = place
  }

  #sink(from: number, v: number): void {
    const items = this.#items
    const places = this.#places
    const keys = this.keys
    const key = keys[v]!
    const { size } = this
    let place = from
    for (;;) {
      let below = 2 * place + 1
      if (below >= size) break
      if (below + 1 < size && keys[items[below + 1]!]! > keys[items[below]!]!) below++
      const other = items[below]!
      if (keys[other]! <= key) break
      items[place] = other
      places[other] = place
      place = below
    }
    items[place] = v
    places[v] = place
  }
}
