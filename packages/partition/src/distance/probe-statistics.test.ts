// Goal: the number of probes is chosen by statistics. Method: the figures of a measured
// destination, the inverse of each formula, and synthetic populations with tails like the measured
// one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadDistanceInput } from './errors.ts'
import { medianOf } from './median.ts'
import {
  LEAST_FOR_MEAN,
  marginOfError,
  medianErrorCurve,
  sampleSizeFor,
  standardScore,
} from './probe-statistics.ts'
import { World } from '../../test/distance/world-fixture.ts'

test('Sample-size formulas: 10,056 probes with a deviation of 3.21 ms have a margin of 0.08 ms at 99 %', () => {
  const margin = marginOfError({ sigma: 3.21, confidence: 0.99 }, 10_056)
  assert.equal(margin.toFixed(2), '0.08')
  assert.equal(margin.toFixed(5), '0.08245')
  assert.equal(sampleSizeFor({ sigma: 3.21, confidence: 0.99 }, margin), 10_056)
})

test('Sample-size formulas: each is the inverse of the other, for finite populations too', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 100, noNaN: true }),
      fc.integer({ min: LEAST_FOR_MEAN, max: 5_000 }),
      fc.integer({ min: 1, max: 19 }),
      (sigma, n, times) => {
        const finite = { sigma, confidence: 0.95, population: n * times + 1 }
        for (const sampling of [finite, { ...finite, population: Infinity }]) {
          const margin = marginOfError(sampling, n)
          const again = sampleSizeFor(sampling, margin)
          assert.ok(Math.abs(again - n) <= 1, `${again} for ${n} of ${sampling.population}`)
        }
      },
    ),
    { numRuns: 200, seed: 20_081_101 },
  )
})

test('Sample-size formulas: a finite population needs fewer, all of it has no error, twenty times is endless', () => {
  const sampling = { sigma: 10, confidence: 0.95 }
  const endless = marginOfError(sampling, 100)
  assert.ok(marginOfError({ ...sampling, population: 200 }, 100) < endless)
  assert.equal(marginOfError({ ...sampling, population: 100 }, 100), 0)
  assert.equal(marginOfError({ ...sampling, population: 1 }, 1), 0)
  assert.equal(marginOfError({ ...sampling, population: 2_000 }, 100), endless)
  assert.ok(sampleSizeFor({ ...sampling, population: 200 }, 1) < sampleSizeFor(sampling, 1))
  assert.equal(sampleSizeFor({ ...sampling, sigma: 0 }, 1), 1)
})

test('the standard score has the known values to all printed digits', () => {
  const known = { 0.6827: '1.000', 0.9: '1.645', 0.95: '1.960', 0.99: '2.576', 0.999: '3.291' }
  for (const [confidence, z] of Object.entries(known)) {
    assert.equal(standardScore(Number(confidence)).toFixed(3), z)
  }
})

test('invalid figures are refused with an error of the catalogue', () => {
  const sampling = { sigma: 1, confidence: 0.95 }
  for (const ask of [
    () => marginOfError(sampling, 0),
    () => marginOfError({ ...sampling, population: 10 }, 11),
    () => marginOfError({ ...sampling, sigma: NaN }, 10),
    () => sampleSizeFor(sampling, 0),
    () => sampleSizeFor({ ...sampling, confidence: 1 }, 1),
    () => sampleSizeFor({ ...sampling, population: 0 }, 1),
    () => medianErrorCurve([[1, 2, 3]], [7]),
    () => medianErrorCurve([Array.from({ length: 30 }, () => 1)], [0]),
  ]) {
    assert.throws(ask, BadDistanceInput)
  }
})

/** One measured destination: median 11.72 ms, mean 12.00 ms, deviation 3.21 ms. */
function studied(): number[] {
  const world = new World(0, 0, 11)
  return Array.from({ length: 10_056 }, () => {
    const bulk = 10 + 1.46 * Math.sqrt(-2 * Math.log(1 - world.uniform()))
    return world.uniform() < 0.012 ? bulk * (1 - 0.99 * world.uniform()) ** -0.64 : bulk
  })
}

test('Median-of-7 probes: the normalised error is at most 0.08 on samples skewed as the measured ones', () => {
  const probes = studied()
  const mean = probes.reduce((sum, ms) => sum + ms, 0) / probes.length
  const sigma = Math.sqrt(probes.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / probes.length)
  assert.ok(Math.abs(medianOf(probes) - 11.72) < 0.1, `median ${medianOf(probes)}`)
  assert.ok(Math.abs(mean - 12) < 0.05, `mean ${mean}`)
  assert.ok(Math.abs(sigma - 3.21) < 0.1, `deviation ${sigma}`)
  const [error] = medianErrorCurve([probes], [7])
  assert.ok(error! <= 0.08, `${error}`)
})

test('Median-of-7 probes: over many destinations, near and far, the curve levels off at seven', () => {
  const world = new World(8, 60, 3)
  const destinations = world.hosts.map((host) => {
    const rttMs = world.trueRttMs(world.agents[0]!, host)
    // Some have two modes, as half of their probes take another way; some wait in long queues.
    const detourMs = world.uniform() < 0.2 ? 0.15 * rttMs : 0
    const queueMs = world.uniform() < 0.4 ? 0.3 * rttMs : 0
    return Array.from({ length: 210 }, () => {
      const way = rttMs + (world.uniform() < 0.5 ? detourMs : 0)
      return world.probeMs(way) - queueMs * Math.log(1 - world.uniform())
    })
  })
  const sizes = [1, 3, 5, 7, 9, 15, 21, 29]
  const curve = medianErrorCurve(destinations, sizes)
  const at = (size: number): number => curve[sizes.indexOf(size)]!
  assert.ok(at(7) <= 0.08, `${at(7)} at seven`)
  for (let i = 1; i < curve.length; i++) assert.ok(curve[i]! < curve[i - 1]!, curve.join(' '))
  assert.ok(at(1) - at(7) > 2 * (at(7) - at(21)), 'more probes bring less than the first seven')
})
