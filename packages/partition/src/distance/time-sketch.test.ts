// Goal: what is remembered of times is true, recent and small. Method: properties over drawn samples, with
// medians computed again from all of them, and hand-made days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadTimes } from './errors.ts'
import { PairTimes } from './pair-times.ts'
import {
  LEAST_SAMPLES,
  SLICE_MS,
  TIME_RELATIVE_ERROR,
  TimeSketch,
  WINDOW_SLICES,
  readVarints,
  writeVarints,
} from './time-sketch.ts'

const RUNS = { numRuns: 200, seed: 20_081_101 }
const DAY_MS = 86_400_000
const NOW_MS = 20_000 * DAY_MS

interface Sample {
  ms: number
  agoMs: number
}

const aSample = fc.record({
  ms: fc.double({ min: 0.1, max: 5_000, noNaN: true }),
  agoMs: fc.integer({ min: 0, max: WINDOW_SLICES * SLICE_MS - SLICE_MS }),
})

function sketchOf(samples: readonly Sample[]): TimeSketch {
  const sketch = new TimeSketch()
  for (const { ms, agoMs } of samples) sketch.add(ms, NOW_MS - agoMs)
  return sketch
}

test('the median of samples of one day is that of all of them within two percent', () => {
  const today = fc.array(aSample, { minLength: LEAST_SAMPLES, maxLength: 60 })
  fc.assert(
    fc.property(today, (samples) => {
      const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b)
      const lower = sorted[Math.ceil(sorted.length / 2) - 1]!
      const found = sketchOf(samples.map(({ ms }) => ({ ms, agoMs: 0 }))).median(NOW_MS)!
      assert.ok(Math.abs(found - lower) <= lower * TIME_RELATIVE_ERROR * 1.001, `${found} ${lower}`)
    }),
    RUNS,
  )
})

test('fewer than seven samples have no median, and none have no quantile', () => {
  const sketch = new TimeSketch()
  assert.equal(sketch.quantile(0.5, NOW_MS), null)
  for (let n = 1; n < LEAST_SAMPLES; n++) {
    sketch.add(10, NOW_MS)
    assert.equal(sketch.median(NOW_MS), null)
  }
  sketch.add(10, NOW_MS)
  assert.ok(sketch.median(NOW_MS)! > 9.8)
})

test('merging gives the same in any order, as if all samples had come to one place', () => {
  const samples = fc.array(aSample, { maxLength: 40 })
  fc.assert(
    fc.property(samples, samples, samples, (a, b, c) => {
      const all = sketchOf([...a, ...b, ...c]).toBytes()
      const left = sketchOf(a)
      left.merge(sketchOf(b))
      left.merge(sketchOf(c))
      const right = sketchOf(c)
      right.merge(sketchOf(a))
      right.merge(sketchOf(b))
      assert.deepEqual(left.toBytes(), all)
      assert.deepEqual(right.toBytes(), all)
    }),
    RUNS,
  )
})

test('bytes bring back the same sketch, at most six of them per sample', () => {
  fc.assert(
    fc.property(fc.array(aSample, { maxLength: 80 }), (samples) => {
      const bytes = sketchOf(samples).toBytes()
      assert.deepEqual(TimeSketch.fromBytes(bytes).toBytes(), bytes)
      assert.ok(bytes.length <= 5 + 6 * samples.length)
    }),
    RUNS,
  )
})

test('bytes that are no sketch are refused with an error of the catalogue', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
      try {
        TimeSketch.fromBytes(bytes).median(NOW_MS)
      } catch (error) {
        assert.ok(error instanceof BadTimes, String(error))
      }
    }),
    RUNS,
  )
  for (const bytes of [
    [],
    [2],
    [1, 5],
    [1, 5, 0],
    [1, 200],
    [1, 255, 255, 255, 255, 255, 255, 255, 255, 1],
  ]) {
    assert.throws(() => TimeSketch.fromBytes(Uint8Array.from(bytes)), BadTimes)
  }
})

test('whole numbers up to the largest safe one survive as bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
      assert.deepEqual(readVarints(writeVarints(numbers)), numbers)
    }),
    RUNS,
  )
})

test('a route that changed is believed after a day, although the old samples are more', () => {
  const sketch = new TimeSketch()
  for (let n = 0; n < 40; n++) sketch.add(20, NOW_MS - 4 * DAY_MS)
  for (let n = 0; n < 10; n++) sketch.add(90, NOW_MS)
  assert.ok(sketch.median(NOW_MS)! > 85)
})

test('one new sample among old ones does not become a median of one', () => {
  const sketch = new TimeSketch()
  for (let n = 0; n < 8; n++) sketch.add(20, NOW_MS - 5 * DAY_MS)
  sketch.add(900, NOW_MS)
  assert.ok(sketch.median(NOW_MS)! < 21)
})

test('samples leave the window after a week, and what is older is not taken', () => {
  const sketch = new TimeSketch()
  for (let n = 0; n < 10; n++) sketch.add(20, NOW_MS)
  assert.equal(sketch.count(NOW_MS + 6 * DAY_MS), 10)
  assert.equal(sketch.count(NOW_MS + 8 * DAY_MS), 0)
  assert.equal(sketch.median(NOW_MS + 8 * DAY_MS), null)
  assert.equal(sketch.add(20, NOW_MS - 8 * DAY_MS), false)
  assert.ok(sketch.add(20, NOW_MS + 8 * DAY_MS))
  assert.ok(sketch.toBytes().length < 10, 'the old ones take no room any more')
})

test('what is no time is left out and changes nothing', () => {
  const sketch = new TimeSketch()
  for (const ms of [NaN, -1, Infinity]) assert.equal(sketch.add(ms, NOW_MS), false)
  for (const at of [NaN, -1, Infinity]) assert.equal(sketch.add(1, at), false)
  assert.equal(sketch.count(NOW_MS), 0)
})

test('connections tell the round trip, first bytes stand in, and a restart forgets nothing', () => {
  const times = new PairTimes()
  for (let n = 0; n < 9; n++) {
    const common = { agent: 'a', atMs: NOW_MS }
    times.observe({ ...common, host: 'new.example', connectMs: 20 + n / 10, firstByteMs: 80 })
    times.observe({ ...common, host: 'kept.example', connectMs: null, firstByteMs: 80 })
    if (n < 3) times.observe({ ...common, host: 'rare.example', connectMs: 5, firstByteMs: 9 })
  }
  const resumed = new PairTimes()
  for (const pair of times.snapshot()) resumed.merge(pair)
  for (const known of [times, resumed]) {
    const fresh = known.rtt('a', 'new.example', NOW_MS)!
    assert.equal(fresh.by, 'connection')
    assert.ok(Math.abs(fresh.rttMs - 20.4) < 0.5 && fresh.uncertaintyMs < 1)
    assert.equal(known.rtt('a', 'kept.example', NOW_MS)!.by, 'first-byte')
    assert.equal(known.rtt('a', 'rare.example', NOW_MS), null)
    assert.equal(known.rtt('b', 'new.example', NOW_MS), null)
    const hosts = [...known.measured(NOW_MS)].map(({ host }) => host)
    assert.deepEqual(hosts, ['kept.example', 'new.example'])
  }
  assert.equal(resumed.forget(NOW_MS), 0)
  assert.equal(resumed.forget(NOW_MS + 30 * DAY_MS), 3)
  assert.deepEqual([...resumed.snapshot()], [])
})
