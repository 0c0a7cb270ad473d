// Goal: the projected growth is right on average, says how sure it is, and no rhythm, import or
// clock fools it. Method: synthetic archives with a known growth, seeded; properties over any
// samples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { GrowthSample } from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import { DAY_MS } from '../estimate/grid.ts'
import { projectGrowth } from './growth.ts'

const NOW = Date.UTC(2026, 4, 6, 15)
const GB = 1e9

/** Totals at the end of each of the last days; `grown` says what a day brought. */
function archive(days: number, grown: (daysAgo: number) => number): GrowthSample[] {
  let bytes = 0
  const samples = [{ at: NOW - days * DAY_MS, bytes }]
  for (let ago = days - 1; ago >= 0; ago--) {
    bytes += grown(ago)
    samples.push({ at: NOW - ago * DAY_MS, bytes })
  }
  return samples
}

const near = (actual: number, expected: number, within: number): void =>
  assert.ok(Math.abs(actual - expected) <= within * expected, `${actual} is not ${expected}`)

test('an even growth gives its rate, and the day on which the disk is full', () => {
  const growth = projectGrowth(
    archive(60, () => GB),
    { now: NOW, capacityBytes: 100 * GB },
  )
  assert.equal(growth.basis, 'weeks')
  assert.equal(growth.bytes, 60 * GB)
  near(growth.bytesPerDay!.likely, GB, 1e-9)
  assert.equal(growth.outlook, 'dated')
  near((growth.fullAt!.likely! - NOW) / DAY_MS, 40, 1e-6)
  assert.ok(growth.fullAt!.earliest! <= growth.fullAt!.likely!)
  assert.ok(growth.fullAt!.likely! <= growth.fullAt!.latest!)
})

test('a rhythm of weekdays does not show, wherever in the week the observation begins and ends', () => {
  const rhythm = [7 * GB, 0, 0, 0, 0, 0, 0]
  for (let shift = 0; shift < 7; shift++) {
    for (const days of [14, 17, 25, 60]) {
      const samples = archive(days, (ago) => rhythm[(ago + shift) % 7]!)
      const { bytesPerDay } = projectGrowth(samples, { now: NOW, capacityBytes: null })
      near(bytesPerDay!.likely, GB, 1e-9)
      near(bytesPerDay!.high, GB, 1e-9)
    }
  }
})

test('one import is set aside and named, while a harvest that comes back every month is growth', () => {
  const room = { now: NOW, capacityBytes: null }
  const once = projectGrowth(
    archive(84, (ago) => (ago === 40 ? 500 * GB : GB)),
    room,
  )
  near(once.bytesPerDay!.likely, GB, 0.001)
  near(once.setAsideBytes, 499 * GB, 0.001)
  const monthly = projectGrowth(
    archive(168, (ago) => (ago % 28 === 3 ? 56 * GB : 1)),
    room,
  )
  near(monthly.bytesPerDay!.likely, 2 * GB, 0.01)
  assert.ok(monthly.bytesPerDay!.low < 2 * GB && monthly.bytesPerDay!.high > 2 * GB)
})

test('about nine of ten intervals hold the true growth, with a rhythm, noise and bursts together', () => {
  const random = seededRandom(41)
  const weekday = [2, 1.5, 1, 1, 1, 0.4, 0.1]
  for (const [days, bursts] of [
    [28, 0],
    [84, 0],
    [84, 0.05],
    [168, 0.05],
  ] as const) {
    let held = 0
    const runs = 400
    for (let run = 0; run < runs; run++) {
      const samples = archive(days, (ago) => {
        const noise = -Math.log(1 - random.next())
        const burst = random.next() < bursts ? 5 : 0
        return GB * (weekday[ago % 7]! * noise + burst)
      })
      const { bytesPerDay } = projectGrowth(samples, { now: NOW, capacityBytes: null })
      const truth = GB * (1 + bursts * 5)
      if (bytesPerDay!.low <= truth && truth <= bytesPerDay!.high) held++
    }
    assert.ok(held / runs >= 0.84 && held / runs <= 0.97, `${days} days, ${bursts}: ${held / runs}`)
  }
})

test('an archive that does not grow, or shrinks, is not full in the foreseeable future', () => {
  const room = { now: NOW, capacityBytes: 1_000 * GB }
  const still = projectGrowth(
    archive(60, (ago) => (ago === 59 ? 100 * GB : 0)),
    room,
  )
  assert.equal(still.outlook, 'never')
  assert.equal(still.fullAt!.likely, null)
  const shrinking = projectGrowth(
    archive(60, (ago) => (ago === 59 ? 900 * GB : -GB)),
    room,
  )
  assert.equal(shrinking.outlook, 'never')
  assert.ok(shrinking.bytesPerDay!.likely < 0)
  const slow = projectGrowth(
    archive(60, () => GB / 100),
    room,
  )
  assert.equal(slow.outlook, 'never')
})

test('a full disk is full now, an unlimited one is never dated, and three days are needed', () => {
  const week = archive(6, () => GB)
  const full = projectGrowth(week, { now: NOW, capacityBytes: 6 * GB })
  assert.deepEqual([full.outlook, full.fullAt!.earliest, full.fullAt!.latest], ['full', NOW, NOW])
  const unlimited = projectGrowth(week, { now: NOW, capacityBytes: null })
  assert.deepEqual([unlimited.outlook, unlimited.basis], ['unknown', 'days'])
  near(unlimited.bytesPerDay!.likely, GB, 1e-9)
  for (const samples of [[], archive(2, () => GB)]) {
    const growth = projectGrowth(samples, { now: NOW, capacityBytes: 9 * GB })
    assert.deepEqual([growth.bytesPerDay, growth.basis, growth.outlook], [null, null, 'unknown'])
  }
})

test('samples from the future and numbers that are none are left out', () => {
  const samples = archive(60, () => GB)
  const odd = [
    { at: NOW + DAY_MS, bytes: 9e15 },
    { at: NaN, bytes: 1 },
    { at: NOW, bytes: NaN },
  ]
  const room = { now: NOW, capacityBytes: 100 * GB }
  assert.deepEqual(projectGrowth([...odd, ...samples], room), projectGrowth(samples, room))
})

test('an archive that has rested since its last capture has not grown since', () => {
  const samples = archive(60, (ago) => (ago < 30 ? 0 : GB)).filter(
    ({ at }) => at <= NOW - 30 * DAY_MS,
  )
  const { bytesPerDay } = projectGrowth(samples, { now: NOW, capacityBytes: null })
  assert.ok(bytesPerDay!.likely < 0.6 * GB, String(bytesPerDay!.likely))
})

const anySamples = fc.array(
  fc.record({ ago: fc.integer({ min: 0, max: 400 }), bytes: fc.nat({ max: 1e12 }) }),
  { maxLength: 60 },
)

test('whatever was measured: the interval holds the rate, dates come in order, and units do not matter', () => {
  fc.assert(
    fc.property(anySamples, fc.nat({ max: 2e12 }), (given, capacityBytes) => {
      const samples = given.map(({ ago, bytes }) => ({ at: NOW - ago * DAY_MS, bytes }))
      const { bytesPerDay, fullAt } = projectGrowth(samples, { now: NOW, capacityBytes })
      if (bytesPerDay !== null) {
        const { low, likely, high } = bytesPerDay
        assert.ok(low <= likely && likely <= high, `${low} ${likely} ${high}`)
      }
      const dates = [fullAt?.earliest, fullAt?.likely, fullAt?.latest].map((at) => at ?? Infinity)
      assert.deepEqual(
        dates,
        dates.toSorted((a, b) => a - b),
      )
      const doubled = samples.map(({ at, bytes }) => ({ at, bytes: bytes * 2 }))
      const twice = projectGrowth(doubled, { now: NOW, capacityBytes: capacityBytes * 2 })
      assert.equal(twice.bytesPerDay?.likely ?? null, bytesPerDay ? bytesPerDay.likely * 2 : null)
      assert.deepEqual(twice.fullAt, fullAt)
    }),
    { seed: 7 },
  )
})

test('adding the same growth to every day adds it to the rate and leaves its uncertainty alone', () => {
  const gift = fc.nat({ max: 1e9 })
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1e9 }), { minLength: 30, maxLength: 60 }),
      gift,
      (grown, more) => {
        const room = { now: NOW, capacityBytes: null }
        const plain = projectGrowth(
          archive(grown.length, (ago) => grown[ago]!),
          room,
        ).bytesPerDay!
        const richer = projectGrowth(
          archive(grown.length, (ago) => grown[ago]! + more),
          room,
        ).bytesPerDay!
        const width = plain.high - plain.low
        assert.ok(Math.abs(richer.likely - plain.likely - more) < 1)
        assert.ok(Math.abs(richer.high - richer.low - width) < 1 + 1e-6 * width)
      },
    ),
    { seed: 8 },
  )
})
