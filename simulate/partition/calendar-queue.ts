/**
 * What is to happen, in the order of its time; ties in the order of asking. R. Brown, "Calendar queues: a
 * fast O(1) priority queue implementation for the simulation event set problem", CACM 1988: days of equal
 * length in a year that begins again and again, each day a short sorted list. Events are numbers in columns,
 * so millions of them leave nothing to collect.
 *
 * Ours: days are measured again not only when the number of events doubles or halves, but also when searching
 * has become slow, since a crawl changes its pace and not its number of servers.
 */

const FEWEST_DAYS = 16
/** Mean gaps in a day: fewer leave days empty, more make lists long. */
const GAPS_PER_DAY = 3
/** Of the next events, so many tell the pace. */
const SAMPLE = 256
/** Steps per event, on average, from which the days are measured again. */
const SLOW_STEPS = 12

export class CalendarQueue {
  /** Of the event that was taken last. */
  at = 0
  kind = 0
  id = 0
  /** Whatever the asker wants to recognise. */
  mark = 0
  #size = 0
  #times = new Float64Array(64)
  #kinds = new Uint8Array(64)
  #ids = new Int32Array(64)
  #marks = new Int32Array(64)
  #next = new Int32Array(64)
  #used = 0
  #free = -1
  /** First and last event of every day, −1 for none. */
  #firsts = new Int32Array(FEWEST_DAYS).fill(-1)
  #lasts = new Int32Array(FEWEST_DAYS).fill(-1)
  #width = 1
  /** Days since time 0, of the day that is looked at. */
  #today = 0
  #steps = 0
  #taken = 0

  get size(): number {
    return this.#size
  }

  push(at: number, kind: number, id: number, mark = 0): void {
    const event = this.#allocate()
    this.#times[event] = at
    this.#kinds[event] = kind
    this.#ids[event] = id
    this.#marks[event] = mark
    this.#insert(event)
    this.#size++
    if (this.#size > 2 * this.#firsts.length) this.#measure()
  }

  /** Takes the next event into `at`, `kind`, `id` and `mark`; false when there is none. */
  pop(): boolean {
    if (this.#size === 0) return false
    const event = this.#takeFirst()
    this.at = this.#times[event]!
    this.kind = this.#kinds[event]!
    this.id = this.#ids[event]!
    this.mark = this.#marks[event]!
    this.#next[event] = this.#free
    this.#free = event
    this.#size--
    this.#taken++
    const days = this.#firsts.length
    if (days > FEWEST_DAYS && this.#size < days / 2) this.#measure()
    else if (this.#taken >= 4 * days && this.#steps > SLOW_STEPS * this.#taken) this.#measure()
    return true
  }

  #takeFirst(): number {
    const days = this.#firsts.length
    for (let looked = 0; looked < days; looked++) {
      const slot = this.#today % days
      const event = this.#firsts[slot]!
      if (event >= 0 && this.#dayOf(this.#times[event]!) <= this.#today) return this.#unlink(slot)
      this.#today++
      this.#steps++
    }
    // A whole year without an event: straight to the day of the first one.
    this.#today = this.#dayOf(this.#times[this.#earliest()]!)
    return this.#unlink(this.#today % days)
  }

  #unlink(slot: number): number {
    const event = this.#firsts[slot]!
    this.#firsts[slot] = this.#next[event]!
    if (this.#firsts[slot] === -1) this.#lasts[slot] = -1
    return event
  }

  #earliest(): number {
    let best = -1
    for (const event of this.#firsts) {
      if (event < 0) continue
      if (best < 0 || this.#times[event]! < this.#times[best]!) best = event
    }
    return best
  }

  #dayOf(at: number): number {
    return Math.floor(at / this.#width)
  }

  /** Behind all events of the same time. */
  #insert(event: number): void {
    const at = this.#times[event]!
    const day = this.#dayOf(at)
    if (day < this.#today) this.#today = day
    const slot = day % this.#firsts.length
    const last = this.#lasts[slot]!
    if (last < 0 || this.#times[last]! <= at) {
      if (last < 0) this.#firsts[slot] = event
      else this.#next[last] = event
      this.#lasts[slot] = event
      this.#next[event] = -1
      return
    }
    let before = -1
    let after = this.#firsts[slot]!
    while (this.#times[after]! <= at) {
      before = after
      after = this.#next[after]!
      this.#steps++
    }
    this.#next[event] = after
    if (before < 0) this.#firsts[slot] = event
    else this.#next[before] = event
  }

  /** As many days as events, as long as a few gaps between the next of them. */
  #measure(): void {
    const events = this.#inOrder()
    const days = Math.max(FEWEST_DAYS, 2 ** Math.ceil(Math.log2(Math.max(1, this.#size))))
    this.#width = this.#widthFor(events)
    this.#firsts = new Int32Array(days).fill(-1)
    this.#lasts = new Int32Array(days).fill(-1)
    this.#today = events.length === 0 ? 0 : this.#dayOf(this.#times[events[0]!]!)
    this.#steps = 0
    this.#taken = 0
    for (const event of events) this.#insert(event)
  }

  #inOrder(): Int32Array {
    const events = new Int32Array(this.#size)
    let count = 0
    for (let event of this.#firsts) {
      for (; event >= 0; event = this.#next[event]!) events[count++] = event
    }
    const times = this.#times
    // Equal times stand in one list already, in their order, and the sort keeps it.
    return events.subarray(0, count).toSorted((a, b) => times[a]! - times[b]!)
  }

  #widthFor(events: Int32Array): number {
    const count = Math.min(SAMPLE, events.length)
    if (count < 2) return this.#width
    const span = this.#times[events[count - 1]!]! - this.#times[events[0]!]!
    const width = (GAPS_PER_DAY * span) / (count - 1)
    // Days since time 0 must stay exact numbers.
    return Math.max(width, this.#times[events[0]!]! * 1e-12, 1e-9)
  }

  #allocate(): number {
    const event = this.#free
    if (event >= 0) {
      this.#free = this.#next[event]!
      return event
    }
    if (this.#used === this.#times.length) this.#grow()
    return this.#used++
  }

  #grow(): void {
    const length = 2 * this.#times.length
    const [times, kinds] = [new Float64Array(length), new Uint8Array(length)]
    const [ids, marks, next] = [0, 0, 0].map(() => new Int32Array(length))
    times.set(this.#times)
    kinds.set(this.#kinds)
    ids!.set(this.#ids)
    marks!.set(this.#marks)
    next!.set(this.#next)
    this.#times = times
    this.#kinds = kinds
    this.#ids = ids!
    this.#marks = marks!
    this.#next = next!
  }
}
