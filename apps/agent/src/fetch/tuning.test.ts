// Goal: the tuning finds what a line can handle, follows it, and never goes beyond what the owner
// allows. Method: a simulated line with a knee: beyond it lanes share what it carries, and too many
// of them fail. Every window is drawn with noise, with many seeds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { seededRandom } from '@minga/testkit'
import { Tuner, type Window } from './tuning.ts'

const SEEDS = process.env['MINGA_LONG'] === '1' ? 500 : 50
const WINDOW_MS = 2_000
const LIMITS = { concurrencyMax: 64, requestsInHandMax: 2_000 }

interface Line {
  /** Lanes that it carries without holding any of them up. */
  knee: number
  /** What one request takes there. */
  latencyMs: number
  noise: number
  /** Beyond so many lanes a part of all requests fails. */
  breaksAt?: number
}

function windowOf(line: Line, lanes: number, random: { next(): number }): Window {
  const noise = 1 + line.noise * (2 * random.next() - 1)
  const latencyMs = line.latencyMs * Math.max(1, lanes / line.knee) * noise
  const ended = (lanes * WINDOW_MS) / latencyMs
  const failed = lanes > (line.breaksAt ?? Infinity) ? ended * 0.4 : 0
  const completed = ended - failed
  const laneMs = lanes * WINDOW_MS
  const common = { ms: WINDOW_MS, late: 0, isOutOfWork: false, laneMs }
  return { ...common, completed, failed, bytes: completed * 10_000 }
}

/** The lanes of each window. */
function run(tuner: Tuner, line: Line, options: { windows: number; seed: number }): number[] {
  const random = seededRandom(options.seed)
  return Array.from(
    { length: options.windows },
    () => tuner.observe(windowOf(line, tuner.pace.concurrency, random)).concurrency,
  )
}

const mean = (numbers: number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

for (const knee of [12, 20, 40]) {
  test(`a line that carries ${knee} lanes gets ${knee}, within a fifth`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const lanes = run(
        new Tuner(LIMITS),
        { knee, latencyMs: 100, noise: 0.03 },
        { windows: 60, seed },
      )
      const settled = lanes.slice(20)
      assert.ok(Math.abs(mean(settled) / knee - 1) < 0.2, `seed ${seed}: ${settled.join(' ')}`)
      assert.ok(Math.max(...settled) <= Math.ceil(knee * 1.2) + 2, settled.join(' '))
    }
  })
}

test('when the knee moves, down or up, the lanes follow', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const tuner = new Tuner(LIMITS)
    for (const knee of [40, 16, 48]) {
      const lanes = run(tuner, { knee, latencyMs: 100, noise: 0.03 }, { windows: 50, seed })
      const settled = lanes.slice(25)
      assert.ok(Math.abs(mean(settled) / knee - 1) < 0.2, `${knee}, ${seed}: ${lanes.join(' ')}`)
    }
  }
})

test('a line without a knee below it gets the maximum, and never more', () => {
  const lanes = run(
    new Tuner(LIMITS),
    { knee: 500, latencyMs: 50, noise: 0.03 },
    { windows: 60, seed: 7 },
  )
  assert.equal(Math.max(...lanes), 64)
  assert.ok(mean(lanes.slice(20)) > 52, lanes.join(' '))
})

test('sites that become slower for their own reasons do not take lanes away for good', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const tuner = new Tuner(LIMITS)
    run(tuner, { knee: 500, latencyMs: 100, noise: 0.03 }, { windows: 40, seed })
    const lanes = run(tuner, { knee: 500, latencyMs: 300, noise: 0.03 }, { windows: 40, seed })
    assert.ok(mean(lanes.slice(10)) > 48, `seed ${seed}: ${lanes.join(' ')}`)
  }
})

test('a line that gives in under too many lanes is relieved at once', () => {
  const tuner = new Tuner(LIMITS)
  const lanes = run(
    tuner,
    { knee: 500, latencyMs: 100, noise: 0, breaksAt: 30 },
    { windows: 4, seed: 1 },
  )
  assert.deepEqual(lanes, [16, 32, 16, 16])
})

test('idle lanes are not taken for a fast line: without work nothing is raised', () => {
  const tuner = new Tuner(LIMITS)
  const { concurrency } = tuner.pace
  const idle = { ms: WINDOW_MS, completed: 30, failed: 0, bytes: 0, laneMs: 3_000, late: 0 }
  for (let i = 0; i < 50; i++) tuner.observe({ ...idle, isOutOfWork: true })
  assert.deepEqual(tuner.pace, { concurrency, requestsInHand: 200 })
})

test('more is asked for while lanes are idle for want of it, and half when it comes too late', () => {
  const tuner = new Tuner({ ...LIMITS, requestsInHandMax: 450 })
  const idle = {
    ms: WINDOW_MS,
    completed: 30,
    failed: 0,
    bytes: 0,
    laneMs: 3_000,
    isOutOfWork: false,
  }
  const inHand = [0, 0, 0, 0, 10, 0].map((late) => tuner.observe({ ...idle, late }).requestsInHand)
  assert.deepEqual(inHand, [300, 400, 450, 450, 225, 325])
})

test('whatever happens, both stay between one and what is allowed', () => {
  const whatever = fc.record({
    ms: fc.integer({ min: 1, max: 10_000 }),
    completed: fc.nat(1_000),
    failed: fc.nat(1_000),
    bytes: fc.nat(),
    laneMs: fc.integer({ min: 1, max: 1_000_000 }),
    late: fc.nat(1_000),
    isOutOfWork: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(whatever, { maxLength: 30 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 3_000 }),
      (windows, concurrencyMax, requestsInHandMax) => {
        const tuner = new Tuner({ concurrencyMax, requestsInHandMax })
        for (const window of windows) {
          const { concurrency, requestsInHand } = tuner.observe(window)
          assert.ok(concurrency >= 1 && concurrency <= concurrencyMax)
          assert.ok(requestsInHand >= 1 && requestsInHand <= requestsInHandMax)
          assert.ok(Number.isInteger(concurrency) && Number.isInteger(requestsInHand))
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a lower maximum holds at once', () => {
  const tuner = new Tuner(LIMITS)
  run(tuner, { knee: 500, latencyMs: 50, noise: 0 }, { windows: 10, seed: 1 })
  tuner.setOptions({ concurrencyMax: 5, requestsInHandMax: 10 })
  assert.deepEqual(tuner.pace, { concurrency: 5, requestsInHand: 10 })
})
