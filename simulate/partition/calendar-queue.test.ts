// Goal: the queue of events is a queue of events, whatever is put into it. Method: random sequences of asking and
// taking against a sorted list, with ties, bursts, long pauses and changes of pace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { CalendarQueue } from './calendar-queue.ts'

interface Model {
  at: number
  order: number
}

/** What a sorted list with stable ties would give. */
class SortedList {
  readonly #events: Model[] = []

  push(event: Model): void {
    const place = this.#events.findLastIndex(({ at }) => at <= event.at)
    this.#events.splice(place + 1, 0, event)
  }

  pop(): Model | undefined {
    return this.#events.shift()
  }
}

/** Negative: take so many. Otherwise: ask for an event so much after the last one taken. */
function check(steps: readonly { take: number; after: number }[]): void {
  const queue = new CalendarQueue()
  const model = new SortedList()
  let order = 0
  let now = 0
  const takeOne = (): void => {
    const expected = model.pop()
    assert.equal(queue.pop(), expected !== undefined)
    if (expected === undefined) return
    assert.deepEqual(
      [queue.at, queue.id, queue.mark],
      [expected.at, expected.order, ~expected.order],
    )
    now = expected.at
  }
  for (const { take, after } of steps) {
    queue.push(now + after, order & 3, order, ~order)
    model.push({ at: now + after, order })
    order++
    for (let i = 0; i < take; i++) takeOne()
  }
  while (queue.size > 0) takeOne()
  takeOne()
}

const delays = fc.oneof(
  fc.constantFrom(0, 1, 15, 15, 15),
  fc.double({ min: 0, max: 20, noNaN: true }),
  fc.double({ min: 0, max: 1e-6, noNaN: true }),
  fc.double({ min: 1e5, max: 1e9, noNaN: true }),
)

test('DES simulator: events come in the order of time, ties in the order of asking, as from a sorted list', () => {
  const step = fc.record({ take: fc.constantFrom(0, 0, 1, 1, 2, 5), after: delays })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => check(steps)),
    { seed: 5, numRuns: 300 },
  )
})

test('DES simulator: order holds when thousands wait and the pace changes a thousandfold', () => {
  const calm = Array.from({ length: 3_000 }, (_, i) => ({ take: 0, after: (i * 7_919) % 15_000 }))
  const hasty = Array.from({ length: 6_000 }, (_, i) => ({
    take: 1,
    after: ((i * 31) % 17) / 1_000,
  }))
  const fading = Array.from({ length: 500 }, (_, i) => ({ take: 3, after: i * 100 }))
  check([...calm, ...hasty, ...fading])
})

test('DES simulator: a million events of a steady crowd take far less than a minute', () => {
  const queue = new CalendarQueue()
  for (let i = 0; i < 10_000; i++) queue.push((i * 15) / 10_000, 0, i)
  let last = 0
  for (let i = 0; i < 1_000_000; i++) {
    queue.pop()
    assert.ok(queue.at >= last)
    last = queue.at
    queue.push(last + 1 + (i % 15), 0, queue.id)
  }
  assert.equal(queue.size, 10_000)
})
