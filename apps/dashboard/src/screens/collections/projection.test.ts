// Goal: a projected finish is right where the past is steady, wide where it is not, and not given where there is none.
// Method: curves made by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CurvePoint } from '@minga/protocol'
import { projectionOf } from './projection.ts'

const NO_LIMITS = { maxPages: null, maxBytes: null }
const running = { isRunning: true, limits: NO_LIMITS }

/** One point each ten seconds. */
const curve = (counts: [found: number, queued: number][]): CurvePoint[] =>
  counts.map(([found, queued], i) => {
    const done = found - queued
    return { at: i * 10_000, found, queued, pages: done, bytes: done * 1_000, failed: 0 }
  })

const steady = curve(Array.from({ length: 31 }, (_, i) => [1_000, 1_000 - i * 20]))

test('a steady queue ends when it is done at the same pace, and the interval is narrow', () => {
  const projection = projectionOf(steady, running)
  assert.ok(projection.kind === 'estimate')
  assert.equal(projection.at, 500_000)
  assert.equal(projection.by, 'queue')
  assert.ok(projection.from >= 495_000 && projection.to !== null && projection.to <= 505_000)
})

test('an uneven pace widens the interval around the estimate', () => {
  const left = Array.from({ length: 31 }, (_, i): [number, number] => [
    2_000,
    2_000 - i * 20 - (i % 8 > 3 ? 60 : 0),
  ])
  const projection = projectionOf(curve(left), running)
  assert.ok(projection.kind === 'estimate')
  assert.ok(projection.from < projection.at)
  assert.ok(projection.to === null || projection.to > projection.at)
})

test('a queue that grows is not said to end, nor one that stands still', () => {
  const growing = curve(Array.from({ length: 31 }, (_, i) => [100 + i * 50, 100 + i * 30]))
  assert.deepEqual(projectionOf(growing, running), { kind: 'none', why: 'growing' })
  const still = curve(Array.from({ length: 31 }, () => [100, 50]))
  assert.deepEqual(projectionOf(still, running), { kind: 'none', why: 'still' })
})

test('a growing queue ends by its limit of pages all the same', () => {
  const growing = curve(Array.from({ length: 31 }, (_, i) => [100 + i * 50, 100 + i * 30]))
  const limits = { maxPages: 700, maxBytes: null }
  const projection = projectionOf(growing, { isRunning: true, limits })
  assert.ok(projection.kind === 'estimate')
  assert.deepEqual([projection.by, projection.at], ['pages', 350_000])
})

test('nothing is said in the first minute, nor of what has ended', () => {
  assert.deepEqual(projectionOf(steady.slice(0, 4), running), { kind: 'none', why: 'early' })
  assert.deepEqual(projectionOf([], running), { kind: 'none', why: 'ended' })
  const ended = { isRunning: false, limits: NO_LIMITS }
  assert.deepEqual(projectionOf(steady, ended), { kind: 'none', why: 'ended' })
})
