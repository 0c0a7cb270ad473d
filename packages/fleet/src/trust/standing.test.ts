// Goal: a device is stopped for good reasons, for as long as needed, and can come back.
// Method: the pure rules, step by step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from './refusal.ts'
import {
  afterAgreement,
  afterBlock,
  afterExpulsion,
  afterLie,
  afterRelease,
  afterTime,
  emptyWindow,
  NEW_STANDING,
  poorService,
  withService,
  WINDOW_MS,
} from './standing.ts'

const served = (more: Partial<{ failed: number; timedOut: number; slow: number }>) => ({
  served: 100,
  failed: 0,
  timedOut: 0,
  slow: 0,
  ...more,
})

test('Eject/temporary block: thresholds of failures, lost requests and slowness trigger, too few requests do not', () => {
  const window = emptyWindow(0)
  assert.equal(poorService(withService(window, served({}), 1)), null)
  assert.equal(poorService(withService(window, served({ failed: 59 }), 1)), null)
  assert.equal(poorService(withService(window, served({ failed: 60 }), 1)), 'failing')
  assert.equal(poorService(withService(window, served({ timedOut: 30 }), 1)), 'timing-out')
  assert.equal(poorService(withService(window, served({ slow: 80 }), 1)), 'slow')
  assert.equal(poorService(withService(window, { ...served({}), served: 49, failed: 49 }, 1)), null)
})

test('what happened before the window is forgotten', () => {
  const bad = withService(emptyWindow(0), served({ failed: 100 }), 1)
  assert.equal(poorService(withService(bad, served({}), WINDOW_MS)), null)
})

test('a block ends by itself and the next one lasts longer, up to a day', () => {
  const first = afterBlock(NEW_STANDING, { reason: 'slow', now: 0 })
  assert.equal(first.blockedUntil, 900_000)
  assert.equal(afterTime(first, 899_999).state, 'blocked')
  const back = afterTime(first, 900_000)
  assert.deepEqual([back.state, back.reason], ['active', null])
  assert.equal(afterBlock(back, { reason: 'slow', now: 0 }).blockedUntil, 1_800_000)
  assert.equal(
    afterBlock({ ...back, blocks: 500 }, { reason: 'slow', now: 0 }).blockedUntil,
    86_400_000,
  )
})

test('a proven lie takes all trust, a second independent one expels', () => {
  const trusted = { ...NEW_STANDING, agreements: 500 }
  const once = afterLie(trusted, { hostId: 1, receivedAt: 10 })
  assert.deepEqual([once.state, once.agreements, once.lies], ['quarantined', 0, 1])
  const sameHost = afterLie(once, { hostId: 1, receivedAt: 11 })
  assert.equal(sameHost.state, 'quarantined', 'one odd site is one oddity')
  assert.equal(afterLie(once, { hostId: 2, receivedAt: 11 }).state, 'expelled')
  assert.equal(afterAgreement(once).agreements, 0)
  assert.equal(afterBlock(once, { reason: 'slow', now: 1 }).state, 'quarantined')
})

test('a released device starts again; another forgery expels it even on the same host', () => {
  const once = afterLie(NEW_STANDING, { hostId: 1, receivedAt: 10 })
  const released = afterRelease(once, { now: 20, isForgiven: false })
  assert.deepEqual([released.state, released.lies], ['active', 1])
  assert.equal(afterLie(released, { hostId: 1, receivedAt: 21 }).state, 'expelled')
  assert.equal(afterLie(released, { hostId: 1, receivedAt: 15 }).state, 'quarantined')
  const forgiven = afterRelease(once, { now: 20, isForgiven: true })
  assert.equal(afterLie(forgiven, { hostId: 2, receivedAt: 21 }).state, 'quarantined')
})

test('a device that may not work gets the reason and whether to come back', () => {
  assert.equal(refusalOf(NEW_STANDING, 0), null)
  const blocked = afterBlock(NEW_STANDING, { reason: 'failing', now: 0 })
  assert.equal(refusalOf(blocked, 1)?.code, 'MINGA_DEVICE_BLOCKED')
  assert.match(refusalOf(blocked, 1)!.message, /1970-01-01T00:15.*failed/)
  assert.equal(refusalOf(blocked, 900_000), null)
  const lie = afterLie(NEW_STANDING, { hostId: 1, receivedAt: 1 })
  assert.equal(refusalOf(lie, 1)?.code, 'MINGA_DEVICE_QUARANTINED')
  const expelled = afterExpulsion(NEW_STANDING, 'operator')
  assert.equal(refusalOf(expelled, 1)?.code, 'MINGA_DEVICE_EXPELLED')
})
