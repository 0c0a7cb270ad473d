// Goal: idle processors are used, busy ones are left alone. Method: a made-up clock and made-up times of processors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idleShare, processorTimes, type ProcessorTimes } from './idle-processors.ts'
import { RoomForMore } from './room-for-more.ts'

/** Two processors whose idle share is `idle` from now on. */
function machine(): { room: RoomForMore; pass: (ms: number, idle: number) => void } {
  let now = 0
  let times: ProcessorTimes = { idle: 0, all: 0 }
  const room = new RoomForMore({
    filesAtOnce: 2,
    filesMost: 4,
    now: () => now,
    times: () => times,
  })
  const pass = (ms: number, idle: number): void => {
    now += ms
    times = { idle: times.idle + 2 * ms * idle, all: times.all + 2 * ms }
  }
  return { room, pass }
}

test('there is room for as many files as processors, however busy these are', () => {
  const { room, pass } = machine()
  assert.deepEqual([room.isThere(0), room.isThere(1)], [true, true])
  pass(10_000, 0)
  assert.equal(room.isThere(1), true)
})

test('one more is begun when the processors stood idle for a while, and not before the others show what they take', () => {
  const { room, pass } = machine()
  pass(1_000, 1)
  assert.equal(room.isThere(2), false, 'too early to tell')
  pass(3_000, 0.5)
  assert.equal(room.isThere(2), true)
  room.begun()
  pass(1_000, 1)
  assert.equal(room.isThere(3), false, 'the one that was just begun may take it all')
})

test('nothing more is begun on busy processors, and idleness long ago does not count', () => {
  const { room, pass } = machine()
  pass(60_000, 1)
  assert.equal(room.isThere(2), true)
  pass(3_000, 0.1)
  assert.equal(room.isThere(2), false)
})

test('there is an end to it, even where all of them sleep', () => {
  const { room, pass } = machine()
  pass(10_000, 1)
  assert.equal(room.isThere(4), false)
})

test('the share of idle time is between nothing and all of it', () => {
  assert.equal(idleShare({ idle: 1, all: 4 }, { idle: 2, all: 8 }), 0.25)
  const times = processorTimes()
  assert.equal(idleShare(times, times), 0)
  assert.ok(times.idle > 0 && times.all > times.idle)
})
