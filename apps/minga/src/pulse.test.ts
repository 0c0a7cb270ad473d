// Goal: a child that hangs is distinguished from a slow one. Method: periods and heartbeats, one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pulse } from './pulse.ts'

test('a child that beats, however irregularly, is never silent', () => {
  const pulse = new Pulse(1000)
  for (let period = 0; period < 100; period++) {
    if (period % 4 !== 3) pulse.heard()
    assert.equal(pulse.isSilent(), false)
  }
})

test('a child is silent after the fourth period without a beat', () => {
  const pulse = new Pulse(1000)
  pulse.heard()
  assert.deepEqual(
    Array.from({ length: 5 }, () => pulse.isSilent()),
    [false, false, false, false, true],
  )
})

test('a child that has not begun is given a minute', () => {
  const pulse = new Pulse(2500)
  const judged = Array.from({ length: 24 }, () => pulse.isSilent())
  assert.equal(judged.indexOf(true), 23)
})
