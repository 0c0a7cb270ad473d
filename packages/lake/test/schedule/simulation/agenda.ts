/** Virtual time: things happen in the order of their moments, and of their arrangement where moments are equal. */

type Act = () => Promise<void> | void

interface Entry {
  at: number
  order: number
  act: Act
}

export class Agenda {
  now: number
  /** How many things have happened. */
  steps = 0
  readonly #heap: Entry[] = []
  #order = 0

  constructor(now: number) {
    this.now = now
  }

  in(ms: number, act: Act): void {
    this.#order += 1
    this.#push({ at: this.now + Math.max(0, ms), order: this.#order, act })
  }

  /** One thing after another, until it is over or nothing is arranged any more. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const next = this.#pop()
      if (!next) return
      this.now = next.at
      this.steps += 1
      await next.act()
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let place = heap.length
    heap.push(entry)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = entry
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || !last) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = last
    return first
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
