// Goal: the station's time never goes backwards. Method: a virtual machine clock that is set back and
// forth while the station runs and while it is down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { createSteadyClock } from './steady-clock.ts'

test('setting the wall clock moves nothing while the station runs', async () => {
  const machine = createVirtualClock(1_000_000)
  const steady = createSteadyClock(machine, 0)
  assert.equal(steady.now(), 1_000_000)
  machine.jumpWall(-500_000)
  assert.equal(steady.now(), 1_000_000)
  await machine.advance(250)
  assert.equal(steady.now(), 1_000_250)
  machine.jumpWall(9_000_000)
  assert.equal(steady.now(), 1_000_250)
})

test('a station that starts under a clock that was set back continues from the latest time it saw', async () => {
  const machine = createVirtualClock(1_000)
  const steady = createSteadyClock(machine, 5_000)
  assert.equal(steady.now(), 5_000)
  await machine.advance(10)
  assert.equal(steady.now(), 5_010)
})
