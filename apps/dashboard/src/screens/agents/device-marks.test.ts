// Goal: a device is called what it is. Method: devices as plain values, one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersOf, DOING_WORDS, errorsOfDevice, kindOfDoing, trustMarkOf } from './device-marks.ts'
import type { SeenDevice, TrustView } from '../../api/station-api.ts'

const DEVICE = {
  counters: { n_2xx: 4, n_3xx: 1, n_4xx: 2, n_5xx: 1, network_errors: 2, timeouts: 3 },
} as SeenDevice

const trust = (change: Partial<TrustView>, state = 'active'): TrustView =>
  ({
    isTrusted: false,
    isProven: false,
    standing: { state, reason: null, blockedUntil: null },
    ...change,
  }) as TrustView

test('only a device at work is marked as good, and only those that cannot come back as bad', () => {
  const marked = (kind: string): string[] =>
    DOING_WORDS.filter((word) => kindOfDoing(word) === kind)
  assert.deepEqual(marked('good'), ['working'])
  assert.deepEqual(marked('bad'), ['stopped', 'revoked'])
})

test('a stopped device is stopped, however far it was believed', () => {
  assert.equal(trustMarkOf(trust({ isTrusted: true }, 'blocked')).word, 'blocked')
  assert.equal(trustMarkOf(trust({ isProven: true }, 'quarantined')).word, 'quarantined')
  assert.equal(trustMarkOf(trust({}, 'expelled')).word, 'expelled')
})

test('an unknown device is unproven, as one that never connected', () => {
  assert.equal(trustMarkOf(trust({ isTrusted: true })).word, 'own')
  assert.equal(trustMarkOf(trust({ isProven: true })).word, 'proven')
  assert.equal(trustMarkOf(trust({})).word, 'unproven')
  assert.equal(trustMarkOf(null).word, 'unproven')
})

test('requests without an answer are counted together', () => {
  assert.equal(errorsOfDevice(DEVICE), 5)
  assert.equal(answersOf(DEVICE), 8)
})
