// Goal: the page's picture of the station is right after any order of events. Method: events as plain values.
import type { Snapshot } from '@minga/protocol'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStale, stationNow, withSnapshot, withUnchanged } from './live-state.ts'

function snapshot(at: number, done: number, history?: Snapshot['history']): Snapshot {
  const sample = { at, done: { 1: done }, bytes: { 1: done * 10 } }
  return {
    now: at,
    collections: [],
    station: {} as never,
    captures: [],
    sample,
    ...(history ? { history } : {}),
  }
}

test('a snapshot with history replaces what was known, one without adds a sample', () => {
  const first = withSnapshot(
    undefined,
    snapshot(2_000, 5, [{ at: 1_000, done: {}, bytes: {} }]),
    50,
  )
  assert.deepEqual(
    first.history.map(({ at }) => at),
    [1_000],
  )
  const second = withSnapshot(first, snapshot(3_000, 9), 60)
  assert.deepEqual(
    second.history.map(({ at }) => at),
    [1_000, 3_000],
  )
  assert.equal(second.receivedAt, 60)
})

test('history is bounded however long the page stays open', () => {
  let state = withSnapshot(undefined, snapshot(0, 0), 0)
  for (let i = 1; i < 1_000; i++) state = withSnapshot(state, snapshot(i * 1_000, i), i)
  assert.equal(state.history.length, 300)
  assert.equal(state.history.at(-1)?.at, 999_000)
})

test('an unchanged station moves the clock on and keeps its counts', () => {
  const state = withUnchanged(withSnapshot(undefined, snapshot(1_000, 7), 10), 2_000, 20)
  assert.equal(state?.snapshot.now, 2_000)
  assert.deepEqual(
    state?.history.map(({ done }) => done[1]),
    [7, 7],
  )
  assert.equal(withUnchanged(undefined, 2_000, 20), undefined)
})

test('the picture is stale after five seconds of silence, and only if there is one', () => {
  const state = withSnapshot(undefined, snapshot(1_000, 7), 100_000)
  assert.equal(isStale(state, 105_000), false)
  assert.equal(isStale(state, 105_001), true)
  assert.equal(isStale(undefined, 1), false)
})

test('the station keeps its own time, whatever this machine thinks', () => {
  const state = withSnapshot(undefined, snapshot(1_000, 7), 900_000)
  assert.equal(stationNow(state, 900_250), 1_250)
})
