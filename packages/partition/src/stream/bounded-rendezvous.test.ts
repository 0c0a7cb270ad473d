// Goal: hashing that overruns no member. Method: the bound is checked after every placement for drawn
// weights and tolerances; what moves when members change is counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BoundedRendezvous, boundedOwners } from './bounded-rendezvous.ts'
import { Rendezvous } from './rendezvous.ts'

const RUNS = { numRuns: 80, seed: 20_260_103 }

function equalMembers(k: number): { name: string; weight: number }[] {
  return Array.from({ length: k }, (_, i) => ({ name: `agent ${i}`, weight: 1 }))
}

function hostsOf(count: number, load = 1): { name: string; load: number }[] {
  return Array.from({ length: count }, (_, i) => ({ name: `host${i}.example`, load }))
}

const weights = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 9 })
const tolerance = fc.double({ min: 1, max: 2, noNaN: true })

test('no member ever carries more than its tolerance of its fair share', () => {
  fc.assert(
    fc.property(weights, tolerance, (given, most) => {
      fc.pre(given.some((weight) => weight > 0))
      const bounded = new BoundedRendezvous(
        given.map((weight, i) => ({ name: `m${i}`, weight })),
        { tolerance: most },
      )
      const all = given.reduce((a, b) => a + b)
      for (const [i, host] of hostsOf(200).entries()) {
        bounded.place(host)
        for (const [m, load] of bounded.loads.entries()) {
          assert.ok(load <= Math.ceil((most * (i + 1) * given[m]!) / all), `member ${m}: ${load}`)
        }
      }
      assert.equal(bounded.overflows, 0)
    }),
    RUNS,
  )
})

test('where there is room enough the owner is that of rendezvous hashing', () => {
  const rendezvous = new Rendezvous(equalMembers(6))
  const { owners } = boundedOwners(equalMembers(6), hostsOf(500), 1_000)
  assert.deepEqual(
    [...owners],
    hostsOf(500).map(({ name }) => rendezvous.owner(name)),
  )
})

test('the order in which hosts are listed does not matter', () => {
  const hosts = hostsOf(800, 2)
  const turned = boundedOwners(equalMembers(5), hosts.toReversed()).owners.toReversed()
  assert.deepEqual(boundedOwners(equalMembers(5), hosts).owners, turned)
})

test('one member more moves at most twice the ideal', () => {
  const hosts = hostsOf(20_000)
  for (const k of [4, 8, 16]) {
    const before = boundedOwners(equalMembers(k), hosts).owners
    const after = boundedOwners(equalMembers(k + 1), hosts).owners
    const moved = before.filter((owner, i) => owner !== after[i]).length
    const ratio = (moved / hosts.length) * (k + 1)
    assert.ok(ratio > 0.9 && ratio < 2, `${ratio} of the ideal at ${k}`)
  }
})

test('with loads of a power law the bound is kept, and a new member still moves a small part', () => {
  const hosts = hostsOf(4_000).map(({ name }, i) => ({
    name,
    load: 1 + Math.floor(1_500 / (i + 1) ** 0.8),
  }))
  const total = hosts.reduce((sum, { load }) => sum + load, 0)
  for (const k of [4, 8, 16]) {
    const before = boundedOwners(equalMembers(k), hosts)
    const after = boundedOwners(equalMembers(k + 1), hosts)
    assert.equal(before.overflows + after.overflows, 0)
    assert.ok(Math.max(...before.loads) <= Math.ceil((1.25 * total) / k))
    const moved = hosts.reduce(
      (sum, { load }, i) => sum + (before.owners[i] === after.owners[i] ? 0 : load),
      0,
    )
    const ratio = (moved / total) * (k + 1)
    assert.ok(ratio < 2.5, `${ratio} of the ideal at ${k}`)
  }
})

test('a host heavier than all room goes where it does least harm, and is counted', () => {
  const bounded = new BoundedRendezvous(equalMembers(3), { tolerance: 1.1 })
  assert.equal(bounded.place({ name: 'giant.example', load: 90 }) >= 0, true)
  assert.equal(bounded.overflows, 1)
  const giant = bounded.loads.indexOf(90)
  for (const host of hostsOf(30)) assert.notEqual(bounded.place(host), giant)
  assert.equal(bounded.overflows, 1)
})

test('a host that leaves makes room for the next', () => {
  const bounded = new BoundedRendezvous(equalMembers(2), { tolerance: 1 })
  const first = bounded.place({ name: 'a.example', load: 1 })
  bounded.place({ name: 'b.example', load: 1 })
  bounded.leave(first, 1)
  assert.equal(bounded.place({ name: 'a.example', load: 1 }), first)
  assert.deepEqual([...bounded.loads], [1, 1])
})

test('a tolerance or load that cannot be meant is refused', () => {
  const refused = { code: 'MINGA_BAD_PARTITION_INPUT' }
  for (const bad of [0.9, Number.NaN, Infinity]) {
    assert.throws(() => new BoundedRendezvous(equalMembers(2), { tolerance: bad }), refused)
  }
  const expected = { expectedLoad: -1 }
  assert.throws(() => new BoundedRendezvous(equalMembers(2), expected), refused)
  const bounded = new BoundedRendezvous(equalMembers(2))
  for (const load of [-1, Number.NaN, Infinity]) {
    assert.throws(() => bounded.place({ name: 'a.example', load }), refused)
  }
})
