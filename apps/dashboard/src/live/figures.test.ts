// Goal: rates, times left and parts of the bar are true to the counts. Method: samples as plain values.
import type { Sample } from '@minga/protocol'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection } from '../api/api-types.ts'
import { shownState } from './shown-state.ts'
import { errorsOf, progressOf, rateOf, secondsLeft, seriesOf } from './figures.ts'

function samples(rows: Record<number, number>[]): Sample[] {
  return rows.map((done, i) => ({ at: i * 1_000, done, bytes: done }))
}

function collection(part: Partial<Collection>): Collection {
  return {
    state: 'running',
    found: 0,
    queued: 0,
    leased: 0,
    failed: 0,
    errors: {},
    ...part,
  } as Collection
}

test('the rate is the growth of the last ten seconds', () => {
  const history = samples(Array.from({ length: 30 }, (_, i) => ({ 1: i < 19 ? 0 : (i - 19) * 4 })))
  assert.deepEqual(rateOf(history, 1), { urls: 4, bytes: 4 })
  assert.deepEqual(rateOf(history, 2), { urls: 0, bytes: 0 })
  assert.deepEqual(rateOf([], null), { urls: 0, bytes: 0 })
})

test('what a collection had before it began to run is no growth', () => {
  const history = samples([{ 1: 10 }, { 1: 12, 2: 5_000 }, { 1: 14, 2: 5_002 }])
  assert.equal(rateOf(history, null).urls, (2 + 2 + 2) / 2)
})

test('a count that falls (a restarted collection) never makes a negative rate', () => {
  assert.equal(rateOf(samples([{ 1: 100 }, { 1: 0 }]), 1).urls, 0)
})

test('the series has one point per pair of samples', () => {
  const series = seriesOf(samples([{ 1: 0 }, { 1: 3 }, { 1: 6 }]), null)
  assert.deepEqual(series, { at: [1, 2], urls: [3, 3], bytes: [3, 3] })
})

test('time left needs a running collection and a rate', () => {
  const rates = { urls: 5, bytes: 0 }
  assert.equal(secondsLeft(collection({ queued: 50 }), rates), 10)
  assert.equal(secondsLeft(collection({ queued: 50 }), { urls: 0, bytes: 0 }), null)
  assert.equal(secondsLeft(collection({ queued: 50, state: 'paused' }), rates), null)
})

test('done, out and to do add up to what was found, also while robots.txt is out', () => {
  assert.deepEqual(progressOf(collection({ found: 10, queued: 4, leased: 1 })), {
    done: 6,
    failed: 0,
    out: 1,
    toDo: 3,
  })
  assert.deepEqual(progressOf(collection({ found: 1, queued: 1, leased: 2 })), {
    done: 0,
    failed: 0,
    out: 1,
    toDo: 0,
  })
})

test('the failed part of the bar is what failed, and all of it where nothing was captured', () => {
  const failedOf = (part: Partial<Collection>): number => progressOf(collection(part)).failed
  assert.equal(failedOf({ found: 10, failed: 2, outcome: 'with-errors' }), 2)
  assert.equal(failedOf({ found: 3, failed: 1, outcome: 'failed' }), 3)
  const spec = { kind: 'watch' } as Collection['spec']
  assert.equal(failedOf({ found: 1, failed: 40, spec }), 0)
})

test('a collection is shown by how it ended, and as finished only when it is complete', () => {
  assert.equal(shownState({ state: 'running', outcome: null }), 'running')
  assert.equal(shownState({ state: 'finished', outcome: 'complete' }), 'finished')
  for (const outcome of ['failed', 'with-errors', 'at-limit', 'stopped'] as const) {
    assert.equal(shownState({ state: 'finished', outcome }), outcome)
  }
})

test('errors of all collections are summed, the most frequent first', () => {
  const errors = errorsOf([{ errors: { A: 1, B: 5 } }, { errors: { A: 9, C: 5 } }])
  assert.deepEqual(errors, [
    { code: 'A', count: 10 },
    { code: 'B', count: 5 },
    { code: 'C', count: 5 },
  ])
})
