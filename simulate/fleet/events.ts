/**
 * Virtual time: what is to happen waits in one queue and happens in the order of its due time, ties
 * in the order of asking. An event may wait for the database, never for the real clock, so the same
 * run always takes the same course.
 */

interface Due {
  atMs: number
  sequence: number
  happen: () => void | Promise<void>
}

export class Events {
  nowMs = 0
  #sequence = 0
  #stopped = false
  readonly #heap: Due[] = []

  at(atMs: number, happen: () => void | Promise<void>): void {
    const heap = this.#heap
    heap.push({ atMs: Math.max(atMs, this.nowMs), sequence: ++this.#sequence, happen })
    for (let i = heap.length - 1; i > 0;) {
      const parent = (i - 1) >> 1
      if (!isBefore(heap[i]!, heap[parent]!)) return
      swap(heap, i, parent)
      i = parent
    }
  }

  after(ms: number, happen: () => void | Promise<void>): void {
    this.at(this.nowMs + ms, happen)
  }

  /** Nothing happens any more. */
  stop(): void {
    this.#stopped = true
  }

  /** Until it is stopped, or nothing is left to happen. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const next = this.#pop()
      if (!next) return
      this.nowMs = next.atMs
      const waiting = next.happen()
      if (waiting) await waiting
    }
  }

  #pop(): Due | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    heap[0] = last
    for (let i = 0; ;) {
      const left = 2 * i + 1
      let least = i
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left
      if (left + 1 < heap.length && isBefore(heap[left + 1]!, heap[least]!)) least = left + 1
      if (least === i) return first
      swap(heap, i, least)
      i = least
    }
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence)
}

function swap(heap: Due[], i: number, j: number): void {
  const moved = heap[i]!
  heap[i] = heap[j]!
  heap[j] = moved
}

/** Something that serves one at a time, in order of arrival: a processor, a line. */
export class SerialResource {
  busyMs = 0
  #freeAtMs = 0

  /** When a job that arrives at this moment and takes so long is done. */
  doneAt(arrivesAtMs: number, takesMs: number): number {
    this.#freeAtMs = Math.max(this.#freeAtMs, arrivesAtMs) + takesMs
    this.busyMs += takesMs
    return this.#freeAtMs
  }
}

/** As SerialResource, for jobs whose time is known only when they were done: database operations. */
export class SerialServer {
  busyMs = 0
  #isBusy = false
  readonly #events: Events
  readonly #line: (() => Promise<number>)[] = []

  constructor(events: Events) {
    this.#events = events
  }

  /** The job answers how long it took; what follows from it belongs in an event after that. */
  submit(job: () => Promise<number>): void {
    this.#line.push(job)
    if (!this.#isBusy) this.#next()
  }

  #next(): void {
    const job = this.#line.shift()
    this.#isBusy = job !== undefined
    if (!job) return
    this.#events.after(0, async () => {
      const tookMs = await job()
      this.busyMs += tookMs
      this.#events.after(tookMs, () => this.#next())
    })
  }
}
