// Goal: every host gets a suitable owner, and no station is overloaded. Method: synthetic claims.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { keeperOf, Placing, type Unplaced } from './placing.ts'

const seat = (id: string, capacity = 1, load = 0) => ({ id, capacity, load })
const host = (key: string, more: Partial<Unplaced> = {}): Unplaced => ({
  key,
  weight: 1,
  wantedBy: null,
  links: new Map(),
  near: null,
  ...more,
})

test('a host goes to the station that most of its links lead to, as long as there is room', () => {
  const placing = new Placing([seat('a', 1, 50), seat('b', 1, 50)], 2)
  assert.equal(placing.place(host('1', { links: new Map([['b', 9]]) })), 'b')
  const links = new Map([
    ['a', 5],
    ['b', 4],
  ])
  assert.equal(placing.place(host('2', { links })), 'a')
})

test('a station that is full gets nothing more by its links or its neighbourhood', () => {
  const placing = new Placing([seat('a', 1, 100), seat('b', 1, 10)], 2)
  assert.equal(placing.place(host('1', { links: new Map([['a', 9]]) })), 'b')
  assert.equal(placing.place(host('2', { near: 'a' })), 'b')
})

test('the station with work that cannot move gets the host, full or not', () => {
  const placing = new Placing([seat('a', 1, 100), seat('b', 1, 10)], 1)
  assert.equal(placing.place(host('1', { wantedBy: 'a', near: 'b' })), 'a')
})

test('a host without links goes to the owner of its neighbourhood', () => {
  const placing = new Placing([seat('a', 1, 50), seat('b', 1, 50)], 20)
  const owners = Array.from({ length: 10 }, (_, i) => placing.place(host(`h${i}`, { near: 'b' })))
  assert.deepEqual([...new Set(owners)], ['b'])
})

test('links and neighbours of stations that are gone do not count', () => {
  const placing = new Placing([seat('a')], 1)
  const links = new Map([['gone', 9]])
  assert.equal(placing.place(host('1', { links, near: 'gone', wantedBy: 'gone' })), 'a')
})

test('loads follow capacities within a quarter, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 400 }),
      (capacities, hosts) => {
        const seats = capacities.map((capacity, i) => seat(`s${i}`, capacity))
        const placing = new Placing(seats, hosts)
        const counts = new Map<string, number>()
        for (let i = 0; i < hosts; i++) {
          const owner = placing.place(host(`host ${i}`))
          counts.set(owner, (counts.get(owner) ?? 0) + 1)
        }
        const all = capacities.reduce((sum, capacity) => sum + capacity, 0)
        for (const [i, capacity] of capacities.entries()) {
          const share = all === 0 ? 1 / capacities.length : capacity / all
          assert.ok((counts.get(`s${i}`) ?? 0) <= Math.ceil(1.25 * share * hosts))
        }
      },
    ),
  )
})

test('a keeper stays as long as it can, is never the station itself, and is one of the others', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id, branch: '' }))
  assert.equal(keeperOf({ ...a!, keeper: 'c' }, [a!, b!, c!]), 'c')
  assert.equal(keeperOf({ ...a!, keeper: 'c' }, [a!, b!]), 'b')
  assert.equal(keeperOf({ ...a!, keeper: null }, [a!]), null)
})
