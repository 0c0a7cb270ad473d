// Goal: the pure choices pick whom they promise to pick. Method: random fleets against a plain
// search through all agents, and hand-made cases for distances, the bandit and thefts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { greatCircleKm } from '@minga/partition/great-circle'
import { hopefulMs, tried, untriedMs, type Arm } from './latencies.ts'
import {
  FastestOf,
  FirstOf,
  isLessBusy,
  isLessServed,
  MappedTo,
  NearestOf,
  timeToEnd,
  type Chooser,
  type Turn,
} from './choose.ts'
import { COUNTRY_POSITIONS } from './countries.ts'
import { byDistanceFrom, countryDistanceKm } from './country-distance.ts'
import { busyOf, type Load } from './loads.ts'
import { stealFromLongest, stealFromSlower } from './work-stealing.ts'

const PLACES = ['CL', 'AR', 'DE', 'JP', '']

function load(more: Partial<Load> & { device: string }): Load {
  const given = {
    connected: 1,
    ready: 1,
    country: '',
    assigned: 0,
    balance: 0,
    due: 0,
    promised: 0,
    in_hand: 0,
    success: 1,
    latency_ms: 0,
    idle_since: null,
    ...more,
  }
  return { ...given, busy: busyOf(given) }
}

const fleet = fc
  .array(
    fc.record({
      country: fc.constantFrom(...PLACES),
      balance: fc.nat(20),
      in_hand: fc.nat(20),
      success: fc.constantFrom(0.1, 0.5, 0.9, 1),
      latency_ms: fc.integer({ min: 1, max: 50 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) => list.map((facts, i) => load({ device: `d${i}`, ...facts })))
const turns = fc.array(
  fc.record({
    hostId: fc.constant(1),
    host: fc.constant('host.example'),
    country: fc.constantFrom(...PLACES),
    requests: fc.integer({ min: 1, max: 9 }),
  }),
  { maxLength: 40 },
)

function turnOf(hostId: number): Turn {
  return { hostId, host: `host${hostId}.example`, country: '', requests: 1 }
}

/** Each choice must be the one that a search through everyone finds at that moment. */
function assertSearches(
  make: (loads: Load[]) => Chooser,
  best: (loads: readonly Load[], turn: Turn) => Load,
): void {
  fc.assert(
    fc.property(fleet, turns, (loads, list) => {
      const chooser = make(loads)
      for (const turn of list) {
        const expected = best(loads, turn).device
        assert.equal(chooser.choose(turn)?.device, expected)
      }
    }),
    { numRuns: 2_000 },
  )
}

function firstBy(loads: readonly Load[], isBefore: (a: Load, b: Load) => boolean): Load {
  return loads.reduce((best, one) => (isBefore(one, best) ? one : best))
}

test('democratic chooses as a search for the fewest requests over a life would', () => {
  assertSearches(
    (loads) => new FirstOf(loads, isLessServed),
    (loads) => firstBy(loads, isLessServed),
  )
})

test('less_busy chooses as a search for the fewest unresolved by success would', () => {
  assertSearches(
    (loads) => new FirstOf(loads, isLessBusy),
    (loads) => firstBy(loads, isLessBusy),
  )
})

test('geography chooses the least busy of the nearest country, of all when a place is unknown', () => {
  assertSearches(
    (loads) => new NearestOf(loads),
    (loads, turn) => {
      const km = loads.map((one) => countryDistanceKm(turn.country, one.country))
      const least = Math.min(...km)
      return firstBy(
        loads.filter((_, i) => km[i] === least),
        isLessBusy,
      )
    },
  )
})

test('fastest chooses the agent that is expected to finish first, and so uses slow agents less', () => {
  const expectedMs = (one: Load): number => one.latency_ms
  assertSearches(
    (loads) => new FastestOf(loads, expectedMs),
    (loads, turn) =>
      firstBy(loads, (a, b) => {
        const ends = [a, b].map((one) => timeToEnd(one, turn.requests, expectedMs(one)))
        return ends[0]! < ends[1]! || (ends[0] === ends[1] && isLessBusy(a, b))
      }),
  )
  const loads = [
    load({ device: 'quick', latency_ms: 10 }),
    load({ device: 'slow', latency_ms: 90 }),
  ]
  const chooser = new FastestOf(loads, expectedMs)
  for (let i = 0; i < 100; i++) chooser.choose(turnOf(1))
  assert.deepEqual(
    loads.map(({ due }) => due),
    [90, 10],
  )
})

test('an agent that always fails is given less, but is not given up', () => {
  const loads = [load({ device: 'good' }), load({ device: 'bad', success: 0.05 })]
  const chooser = new FirstOf(loads, isLessBusy)
  for (let i = 0; i < 210; i++) chooser.choose(turnOf(1))
  assert.deepEqual(
    loads.map(({ due }) => due),
    [200, 10],
  )
})

test('partitioned chooses the agent in the map, and by the name of the host where the map has none', () => {
  const loads = ['a', 'b', 'c', 'd'].map((device) => load({ device }))
  const ready = loads.map((one) => ({ load: one, weight: one.device === 'd' ? 3 : 1 }))
  const mapped = new MappedTo(new Map([[7, loads[1]!]]), ready)
  assert.equal(mapped.choose(turnOf(7))?.device, 'b')
  assert.deepEqual([loads[1]!.due, loads[1]!.promised], [1, 1], 'what it is given counts')
  const owners = (members: typeof ready): (string | undefined)[] =>
    Array.from(
      { length: 2_000 },
      (_, i) => new MappedTo(new Map(), members).choose(turnOf(i))?.device,
    )
  const before = owners(ready)
  assert.deepEqual(owners(ready), before, 'the same host finds the same agent')
  const onD = before.filter((device) => device === 'd').length
  assert.ok(Math.abs(onD - 1_000) < 100, `${onD} of 2,000 for half of the weight`)
  // Without a, its sixth moves and nothing else.
  const after = owners(ready.slice(1))
  for (const [i, device] of before.entries()) if (device !== 'a') assert.equal(after[i], device)
  const moved = before.filter((device, i) => device !== after[i]).length
  assert.ok(Math.abs(moved - 333) < 80, `${moved}`)
  assert.equal(new MappedTo(new Map(), []).choose(turnOf(1)), null)
})

test('the bandit finds the fastest arm, hardly pays for it, and notices when it changes', () => {
  const speedsMs = [300, 120, 100, 250, 400]
  const arms: (Arm | null)[] = speedsMs.map(() => null)
  const pulls = speedsMs.map(() => 0)
  // Synthetic noise that repeats: ±50 %.
  const noise = (step: number): number => 0.5 + ((step * 7_919) % 1_000) / 1_000
  const pull = (step: number): void => {
    const means = arms.flatMap((arm) => (arm === null ? [] : [arm.meanMs]))
    const bestMs = means.length === 0 ? null : Math.min(...means)
    const hopes = arms.map((arm) =>
      arm === null ? untriedMs({ bestMs, overallMs: 0 }) : hopefulMs(arm),
    )
    const chosen = hopes.indexOf(Math.min(...hopes))
    arms[chosen] = tried(arms[chosen]!, speedsMs[chosen]! * noise(step))
    pulls[chosen] = pulls[chosen]! + 1
  }
  for (let step = 0; step < 2_000; step++) pull(step)
  assert.ok(
    pulls.every((n) => n > 0),
    'everyone was tried',
  )
  assert.ok(pulls[2]! + pulls[1]! > 1_800, `the two fastest got ${pulls.join(', ')}`)
  speedsMs[2] = 900
  const before = pulls[2]!
  for (let step = 0; step < 2_000; step++) pull(step)
  assert.ok(pulls[2]! - before < 200, 'the arm that became slow is left')
})

test('distances follow the great circle, over the date line and for unknown places too', () => {
  const km = greatCircleKm({ lat: 0, lon: 179 }, { lat: 0, lon: -179 })
  assert.ok(Math.abs(km - 222.4) < 1, `${km}`)
  assert.equal(countryDistanceKm('CL', 'CL'), 0)
  assert.equal(countryDistanceKm('CL', ''), Infinity)
  assert.deepEqual(byDistanceFrom('CL', ['JP', '', 'DE', 'AR', 'XX']), ['AR', 'DE', 'JP', '', 'XX'])
  for (const [code, [lat, lon]] of Object.entries(COUNTRY_POSITIONS)) {
    assert.match(code, /^[A-Z]{2}$/)
    assert.ok(Math.abs(lat) <= 90 && Math.abs(lon) <= 180, code)
  }
})

test('a thief steals from the longest line first and stops when it has as much as its victim', () => {
  const victims = [load({ device: 'a', due: 3 }), load({ device: 'b', due: 6 })]
  const steal = (has: number, wants: number): unknown => stealFromLongest(victims, { has, wants })
  assert.deepEqual(steal(0, 1), [{ device: 'b', turns: 1 }])
  assert.deepEqual(steal(0, 9), [{ device: 'b', turns: 3 }])
  assert.deepEqual(steal(6, 9), [])
  assert.deepEqual(steal(0, 0), [])
})

test('under fastest a thief takes only what it would finish before its owner', () => {
  const slow = load({ device: 'slow', due: 10, promised: 10, latency_ms: 100 })
  const thief = load({ device: 'thief', latency_ms: 100 })
  assert.deepEqual(stealFromSlower([slow], { has: 0, wants: 99, thief }), [
    { device: 'slow', turns: 5 },
  ])
  const lame = { ...thief, latency_ms: 2_000 }
  assert.deepEqual(stealFromSlower([slow], { has: 0, wants: 99, thief: lame }), [])
})
