// Goal: unknown hosts have an owner at once, by exact weights, and a change of members moves no more
// than it must. Method: properties over drawn members, and shares counted over many hosts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Rendezvous, type Member } from './rendezvous.ts'

const RUNS = { numRuns: 60, seed: 20_260_102 }
const HOSTS = Array.from({ length: 400 }, (_, i) => `host${i}.example`)
const MANY = Array.from({ length: 30_000 }, (_, i) => `www.${i}.example`)

const members = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 12 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record({
          name: fc.constant(name),
          weight: fc.double({ min: 0.1, max: 20, noNaN: true }),
        }),
      ),
    ),
  )

function ownerName(among: readonly Member[], host: string): string {
  return among[new Rendezvous(among).owner(host)]!.name
}

function equalMembers(k: number): Member[] {
  return Array.from({ length: k }, (_, i) => ({ name: `agent ${i}`, weight: 1 }))
}

test('Unknown-URL fallback: in hash mode every unknown host has an owner at once, the same in every process', () => {
  const here = new Rendezvous(equalMembers(5))
  const elsewhere = new Rendezvous(equalMembers(5))
  const queue = [...MANY]
  const received = new Int32Array(5)
  for (let host = queue.pop(); host !== undefined; host = queue.pop()) {
    const owner = here.owner(host)
    assert.equal(elsewhere.owner(host), owner)
    received[owner]!++
  }
  assert.equal(
    received.reduce((a, b) => a + b),
    MANY.length,
  )
  for (const count of received) assert.ok(Math.abs(count / MANY.length - 0.2) < 0.01)
})

test('each member gets its weight of the hosts, neither more nor less', () => {
  const weights = [1, 2, 3.5, 0.25, 5, 0]
  const rendezvous = new Rendezvous(weights.map((weight, i) => ({ name: `m${i}`, weight })))
  const counts = new Float64Array(weights.length)
  for (const host of MANY) counts[rendezvous.owner(host)]!++
  const all = weights.reduce((a, b) => a + b)
  for (const [i, weight] of weights.entries()) {
    const share = weight / all
    // Four standard deviations of a count of so many draws.
    const slack = 4 * Math.sqrt((share * (1 - share)) / MANY.length)
    assert.ok(Math.abs(counts[i]! / MANY.length - share) <= slack, `${i}: ${counts[i]}`)
  }
})

test('a new member takes hosts for itself and moves none between the others', () => {
  fc.assert(
    fc.property(members, fc.double({ min: 0.1, max: 20, noNaN: true }), (before, weight) => {
      const after = [{ name: 'a newcomer of long name', weight }, ...before]
      for (const host of HOSTS) {
        const owner = ownerName(after, host)
        if (owner !== ownerName(before, host)) assert.equal(owner, after[0]!.name)
      }
    }),
    RUNS,
  )
})

test('when one leaves only its own hosts move, each to the next of its preference', () => {
  fc.assert(
    fc.property(members, fc.nat(), (before, at) => {
      const gone = before[at % before.length]!
      const after = before.filter((member) => member !== gone)
      const all = new Rendezvous(before)
      for (const host of HOSTS) {
        const [first, second] = all.preference(host)
        assert.equal(all.owner(host), first)
        const heir = before[first!] === gone ? second! : first!
        assert.equal(ownerName(after, host), before[heir]!.name)
      }
    }),
    RUNS,
  )
})

test('a change of members moves about the share of the one that comes', () => {
  for (const k of [2, 7, 20]) {
    const [before, after] = [new Rendezvous(equalMembers(k)), new Rendezvous(equalMembers(k + 1))]
    const moved = MANY.filter((host) => before.owner(host) !== after.owner(host)).length
    const ratio = (moved / MANY.length) * (k + 1)
    assert.ok(ratio > 0.92 && ratio < 1.08, `${ratio} of the ideal at ${k}`)
  }
})

test('a heavier weight only gains hosts, a lighter one only loses them', () => {
  fc.assert(
    fc.property(members, (before) => {
      const after = before.map((member, i) =>
        i === 0 ? { ...member, weight: member.weight * 2 } : member,
      )
      for (const host of HOSTS) {
        const owner = ownerName(after, host)
        assert.ok(owner === ownerName(before, host) || owner === before[0]!.name)
      }
    }),
    RUNS,
  )
})

test('invalid members are refused', () => {
  const bad: Member[][] = [
    [],
    [{ name: 'a', weight: 0 }],
    [{ name: 'a', weight: -1 }],
    [{ name: 'a', weight: Number.NaN }],
    [{ name: 'a', weight: Infinity }],
    [
      { name: 'a', weight: 1 },
      { name: 'a', weight: 2 },
    ],
  ]
  for (const list of bad) {
    assert.throws(() => new Rendezvous(list), { code: 'MINGA_BAD_PARTITION_INPUT' })
  }
})
