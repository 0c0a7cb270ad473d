// Goal: a child that hangs is distinguished from a slow one. Method: periods and heartbeats, one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeartbeatMonitor } from './heartbeat-monitor.ts'

test('a child that beats, however irregularly, is never silent', () => {
  const heartbeats = new HeartbeatMonitor(1000)
  for (let period = 0; period < 100; period++) {
    if (period % 4 !== 3) heartbeats.heard()
    assert.equal(heartbeats.isSilent(), false)
  }
})

test('a child is silent after the fourth period without a beat', () => {
  const heartbeats = new HeartbeatMonitor(1000)
  heartbeats.heard()
  assert.deepEqual(
    Array.from({ length: 5 }, () => heartbeats.isSilent()),
    [false, false, false, false, true],
  )
})

test('a child that has not begun is given a minute', () => {
  const heartbeats = new HeartbeatMonitor(2500)
  const judged = Array.from({ length: 24 }, () => heartbeats.isSilent())
  assert.equal(judged.indexOf(true), 23)
})
