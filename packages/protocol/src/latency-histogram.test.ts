// Goal: a quantile read from the buckets is within the promised error of the true one, whatever was
// put in and however it was divided among machines. Method: properties against sorted arrays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  LATENCY_BUCKETS,
  LATENCY_RELATIVE_ERROR,
  LatencyHistogram,
  type BucketCounts,
} from './latency-histogram.ts'

const latencies = fc.array(fc.double({ min: 0.1, max: 600_000, noNaN: true }), { minLength: 1 })

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram()
  for (const value of values) histogram.add(value)
  return histogram
}

test('every quantile is within the promised share of the true one', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const sorted = values.toSorted((a, b) => a - b)
      const truth = sorted[Math.max(1, Math.ceil(share * values.length)) - 1]!
      const estimate = histogramOf(values).quantile(share)!
      assert.ok(Math.abs(estimate - truth) <= truth * (LATENCY_RELATIVE_ERROR + 1e-6))
    }),
  )
})

test('histograms of several machines add up to the histogram of all', () => {
  fc.assert(
    fc.property(latencies, latencies, (one, other) => {
      const merged = histogramOf(one)
      merged.merge(histogramOf(other).buckets())
      assert.deepEqual(merged.buckets(), histogramOf([...one, ...other]).buckets())
      assert.equal(merged.count, one.length + other.length)
    }),
  )
})

test('it travels as text and comes back the same', () => {
  const histogram = histogramOf([0.1, 3, 3.01, 950, 600_000])
  const arrived = LatencyHistogram.of(
    JSON.parse(JSON.stringify(histogram.buckets())) as BucketCounts,
  )
  assert.deepEqual(arrived.buckets(), histogram.buckets())
})

test('what is too short or too long counts as the shortest or the longest', () => {
  const histogram = histogramOf([0, -5, 1e12])
  assert.equal(histogram.count, 3)
  assert.equal(histogram.buckets()[0]![0], 0)
  assert.equal(histogram.buckets().at(-1)![0], LATENCY_BUCKETS - 1)
})

test('of nothing there is no quantile', () => {
  assert.equal(new LatencyHistogram().quantile(0.5), null)
})
