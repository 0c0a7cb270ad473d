// Goal: no owner waits because another asked for more. Method: the rule alone, served by hand-made
// loops with one worker or several, and as a property over loads of every kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { inFairOrder, turnOfNewcomer, type OpenQuery } from './fair-share.ts'

/** Queries of endless tasks; serves one at a time or several, and counts who was served. */
class Counter {
  readonly queries: OpenQuery[] = []
  readonly owners = new Map<string, number>()
  readonly served = new Map<number, number>()
  #numbers = 0

  join(owner: string, weight = 1, ready = 1e6): OpenQuery {
    const own = this.queries.filter((query) => query.owner === owner)
    const others = this.queries.map((query) => this.owners.get(query.owner)!)
    if (own.length === 0) {
      this.owners.set(owner, Math.max(this.owners.get(owner) ?? 0, turnOfNewcomer(others)))
    }
    this.#numbers += 1
    const turn = turnOfNewcomer(own.map((query) => query.turn))
    const query = { number: this.#numbers, owner, weight, ready, running: 0, turn }
    this.queries.push(query)
    this.served.set(query.number, 0)
    return query
  }

  /** Answers who was served; the task is under way until `end`. */
  serve(): OpenQuery {
    const [choice] = inFairOrder(this.queries, this.owners)
    const { query, turns } = choice!
    query.turn = turns.query
    query.ready -= 1
    query.running += 1
    this.owners.set(query.owner, turns.owner)
    this.served.set(query.number, this.served.get(query.number)! + 1)
    return query
  }

  end(query: OpenQuery): void {
    query.running -= 1
    if (query.ready === 0) this.queries.splice(this.queries.indexOf(query), 1)
  }

  /** With one worker. */
  serveAndEnd(times: number): void {
    for (let i = 0; i < times; i++) this.end(this.serve())
  }
}

test('owners take turns, however many queries each of them has', () => {
  const counter = new Counter()
  for (let i = 0; i < 9; i++) counter.join('ann')
  const alone = counter.join('bob')
  counter.serveAndEnd(100)
  assert.equal(counter.served.get(alone.number), 50)
})

test('an owner with nothing under way comes before one with something', () => {
  const counter = new Counter()
  counter.join('ann')
  const small = counter.join('bob')
  const served = [counter.serve(), counter.serve(), counter.serve(), counter.serve()]
  assert.equal(served.filter((query) => query === small).length, 2)
})

test('a query of weight 3 is served three times as often as its neighbour', () => {
  const counter = new Counter()
  const [light, heavy] = [counter.join('ann', 1), counter.join('ann', 3)]
  counter.serveAndEnd(400)
  assert.equal(counter.served.get(heavy.number)! / counter.served.get(light.number)!, 3)
})

test('idle owners build up no credit', () => {
  const counter = new Counter()
  const idle = counter.join('ann', 1, 1)
  const busy = counter.join('bob')
  counter.serveAndEnd(1_000)
  assert.equal(counter.queries.includes(idle), false)
  const back = counter.join('ann')
  const before = counter.served.get(busy.number)!
  counter.serveAndEnd(20)
  assert.equal(counter.served.get(back.number), 10)
  assert.equal(counter.served.get(busy.number)! - before, 10)
})

test('a flood of small queries, of one owner or of many, does not starve a large one', () => {
  for (const owner of [() => 'ann', (i: number) => `owner ${i}`]) {
    const counter = new Counter()
    const large = counter.join('ann')
    for (let i = 0; i < 200; i++) {
      counter.join(owner(i), 1, 1)
      counter.serveAndEnd(2)
    }
    assert.equal(counter.served.get(large.number), 200)
  }
})

test('no owner with more running tasks, for its weight, is served before one with fewer', () => {
  const query = fc.record({
    number: fc.nat(1_000),
    owner: fc.constantFrom('ann', 'bob', 'cid'),
    weight: fc.constantFrom(0.5, 1, 2),
    ready: fc.nat(3),
    running: fc.nat(5),
    turn: fc.nat(50),
  })
  fc.assert(
    fc.property(fc.array(query, { maxLength: 12 }), fc.nat(40), (queries, turn) => {
      const order = inFairOrder(queries, new Map([['ann', turn]]))
      assert.equal(order.length, queries.filter(({ ready }) => ready > 0).length)
      const load = (owner: string): number => {
        const own = queries.filter((one) => one.owner === owner)
        const running = own.reduce((sum, one) => sum + one.running, 0)
        return running / Math.max(...own.map(({ weight }) => weight))
      }
      for (let i = 1; i < order.length; i++) {
        const [before, after] = [order[i - 1]!.query, order[i]!.query]
        assert.ok(load(before.owner) <= load(after.owner))
        if (before.owner !== after.owner) continue
        assert.ok(before.running / before.weight <= after.running / after.weight)
      }
    }),
    { seed: 7 },
  )
})
