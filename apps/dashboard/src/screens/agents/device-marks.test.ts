// Goal: a device is called what it is. Method: devices as plain values, one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceRow, DeviceTrustView } from '../../api/api-types.ts'
import { errorsOfDevice, joinCommand, stateOf, trustMarkOf } from './device-marks.ts'

const DEVICE = {
  state: 'active',
  isConnected: true,
  counters: { network_errors: 2, timeouts: 3 },
} as DeviceRow

const trust = (change: Partial<DeviceTrustView>, state = 'active'): DeviceTrustView =>
  ({
    isTrusted: false,
    isProven: false,
    standing: { state, reason: null, blockedUntil: null },
    ...change,
  }) as DeviceTrustView

test('what its owner decided comes before whether it is there', () => {
  assert.equal(stateOf(DEVICE).word, 'working')
  assert.equal(stateOf({ ...DEVICE, isConnected: false }).word, 'away')
  assert.equal(stateOf({ ...DEVICE, state: 'paused' }).word, 'paused')
  assert.equal(stateOf({ ...DEVICE, state: 'revoked' }).word, 'revoked')
})

test('a stopped device is stopped, however far it was believed', () => {
  assert.equal(trustMarkOf(trust({ isTrusted: true }, 'blocked')).word, 'blocked')
  assert.equal(trustMarkOf(trust({ isProven: true }, 'quarantined')).word, 'quarantined')
  assert.equal(trustMarkOf(trust({}, 'expelled')).word, 'expelled')
})

test('a device that nobody knows yet is unproven, as one that never came', () => {
  assert.equal(trustMarkOf(trust({ isTrusted: true })).word, 'own')
  assert.equal(trustMarkOf(trust({ isProven: true })).word, 'proven')
  assert.equal(trustMarkOf(trust({})).word, 'unproven')
  assert.equal(trustMarkOf(null).word, 'unproven')
})

test('requests without an answer are counted together', () => {
  assert.equal(errorsOfDevice(DEVICE), 5)
})

test('the command to join is one line', () => {
  assert.equal(
    joinCommand('https://station.example', 'minga_join_x'),
    'minga agent join https://station.example --token minga_join_x',
  )
})
