// Goal: a device gets in by a token that holds, gets its own identity once, and every refusal has
// its code. Method: the real operations on both databases, tokens in every state, races in
// parallel.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDeviceKeys } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, FACTS } from '../../test/devices/devices-fixture.ts'

const outcomeOf = (call: Promise<string>): Promise<string> =>
  call.catch((error: { code: string }) => error.code)

for (const engine of ENGINES) {
  describe(`Enrolling on ${engine.name}`, { skip: engine.skip }, async () => {
    const devices = await openDevices(engine)

    test('Connect, valid/invalid token: each way of being wrong has its own code', async () => {
      await devices.token('revoked')
      await devices.store.call('revokeJoinToken', {
        id: 'join_revoked',
        owner: 'ana',
        now: devices.now,
      })
      await devices.token('expired', { expiresAt: devices.now })
      await devices.token('used')
      assert.match(await devices.enrol('used'), /^dev_/)
      assert.equal(await outcomeOf(devices.enrol('never made')), 'MINGA_TOKEN_REFUSED')
      assert.equal(await outcomeOf(devices.enrol('revoked')), 'MINGA_TOKEN_REVOKED')
      assert.equal(await outcomeOf(devices.enrol('expired')), 'MINGA_TOKEN_EXPIRED')
      assert.equal(await outcomeOf(devices.enrol('used')), 'MINGA_TOKEN_USED')
    })

    test('the same key with the same one-time token is the same device: an answer may be lost', async () => {
      const { publicKey } = newDeviceKeys()
      await devices.token('once')
      const first = await devices.enrol('once', publicKey)
      assert.equal(await devices.enrol('once', publicKey), first)
      await devices.token('another of hers')
      assert.equal(await devices.enrol('another of hers', publicKey), first)
    })

    test('of two devices that show a one-time token at once, one is taken', async () => {
      await devices.token('contested')
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map(() => outcomeOf(devices.enrol('contested'))),
      )
      assert.equal(outcomes.filter((outcome) => outcome.startsWith('dev_')).length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'MINGA_TOKEN_USED').length, 3)
    })

    test('the token of the station enrols any number of trusted devices, also after it was registered again', async () => {
      for (let starts = 0; starts < 2; starts++) {
        await devices.store.call('ensureStationToken', {
          hash: 'station',
          owner: 'operator',
          now: devices.now,
        })
      }
      const ids = [await devices.enrol('station'), await devices.enrol('station')]
      assert.equal(new Set(ids).size, 2)
      for (const device of await devices.list('operator')) assert.equal(device.isTrusted, true)
      const listed = await devices.store.call('listJoinTokens', {
        owner: 'operator',
      })
      assert.equal(listed.length, 1)
    })

    test('a revoked token of the station stays revoked when the station starts again', async () => {
      const station = { hash: 'leaked', owner: 'operator', now: devices.now }
      await devices.store.call('ensureStationToken', station)
      await devices.store.call('revokeJoinToken', {
        id: 'join_leaked',
        owner: null,
        now: devices.now,
      })
      await devices.store.call('ensureStationToken', station)
      assert.equal(await outcomeOf(devices.enrol('leaked')), 'MINGA_TOKEN_REVOKED')
    })

    test('a key that belongs to one owner is not taken over with the token of another', async () => {
      const { publicKey } = newDeviceKeys()
      await devices.deviceOf('ana', publicKey)
      assert.equal(await outcomeOf(devices.deviceOf('ben', publicKey)), 'MINGA_DEVICE_TAKEN')
    })

    test('only the owner or the operator revokes a token', async () => {
      await devices.token('hers')
      const stranger = { id: 'join_hers', owner: 'ben', now: devices.now }
      await assert.rejects(devices.store.call('revokeJoinToken', stranger), {
        code: 'MINGA_NO_SUCH_TOKEN',
      })
      await devices.store.call('revokeJoinToken', { ...stranger, owner: null })
      assert.equal(await outcomeOf(devices.enrol('hers')), 'MINGA_TOKEN_REVOKED')
    })

    test('Device facts: what a device said of itself is what its owner sees', async () => {
      const device = await devices.deviceOf('fay')
      const [seen] = await devices.list('fay')
      assert.equal(seen?.id, device)
      const { os, osVersion, hostName, software } = seen
      assert.deepEqual({ os, osVersion, hostName, software }, FACTS)
      const moved = { ...FACTS, osVersion: '2' }
      const hello = { nonceNumber: 1, facts: moved, address: '2001:db8:1:2::3', country: 'CL' }
      await devices.store.call('receiveDevice', { device, ...hello, now: devices.now })
      const [later] = await devices.list('fay')
      assert.deepEqual([later?.osVersion, later?.country], ['2', 'CL'])
    })

    test('no token and no session is in the tables as it is shown', async () => {
      const [{ n } = { n: -1 }] = await devices.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM join_tokens WHERE hash LIKE 'minga_join_%'`,
      )
      assert.equal(n, 0)
    })

    test('an owner has so many devices and open tokens, also when they come at once, and none after an expulsion', async () => {
      const text = `INSERT INTO accounts (id, name, name_key, roles, created_at)
        VALUES ('bert', 'bert', 'bert', 'reader volunteer', 0)`
      await devices.store.call('change', { text, params: [] })
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          devices
            .token(`open ${n}`, { owner: 'bert', openMax: 2 })
            .then(() => 'made')
            .catch((error: { code: string }) => error.code),
        ),
      )
      const refused = 'MINGA_TOO_MANY_JOIN_TOKENS'
      assert.equal(outcomes.filter((outcome) => outcome === refused).length, 2)
      for (let n = 0; n < 3; n++) {
        await devices.token(`for device ${n}`, { owner: 'cora' })
      }
      await devices.enrol('for device 0', undefined, 2)
      await devices.enrol('for device 1', undefined, 2)
      const third = (devicesMax: number): Promise<string> =>
        outcomeOf(devices.enrol('for device 2', undefined, devicesMax))
      assert.equal(await third(2), 'MINGA_TOO_MANY_DEVICES')
      const now = devices.now
      const known = { device: 'a liar', owner: 'cora', network: null, isTrusted: false, now }
      await devices.store.call('admitDevice', known)
      const lied = { device: 'a liar', who: 'x', note: null, reason: 'lies', now } as const
      await devices.store.call('expelDevice', lied)
      assert.equal(await third(9), 'MINGA_OWNER_EXPELLED')
      await devices.store.call('releaseDevice', { ...lied, isForgiven: true })
      await devices.store.call('expelDevice', { ...lied, reason: 'operator' })
      assert.equal(await third(9), 'MINGA_OWNER_EXPELLED')
      await devices.store.call('releaseDevice', { ...lied, isForgiven: true })
      assert.match(await third(9), /^dev_/)
    })
  })
}
