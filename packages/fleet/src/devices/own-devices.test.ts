// Goal: an owner rules over their own devices and sees no other; a revoked key is out for good and a
// deleted device leaves only sums. Method: the real operations on both databases, by several owners.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDeviceKeys } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { FACTS, openDevices } from '../../test/devices/devices-fixture.ts'
import type { RequestItem } from './request-details.ts'

const NO_SUCH = { code: 'MINGA_NO_SUCH_DEVICE' }

for (const engine of ENGINES) {
  describe(`Owners on ${engine.name}`, { skip: engine.skip }, async () => {
    const devices = await openDevices(engine)
    const { store } = devices

    test('Multi-device ownership: two devices of one owner are theirs, and no other user can change them', async () => {
      const hers = [await devices.deviceOf('ana'), await devices.deviceOf('ana')]
      const his = await devices.deviceOf('ben')
      const idsOf = async (owner: string | null): Promise<string[]> =>
        (await devices.list(owner)).map(({ id }) => id)
      assert.deepEqual(await idsOf('ana'), hers)
      assert.deepEqual(await idsOf('ben'), [his])
      assert.deepEqual((await idsOf(null)).length, 3)
      const args = { device: hers[0]!, owner: 'ben', name: 'mine now', limit: 10, now: devices.now }
      const operations = ['renameDevice', 'pauseDevice', 'resumeDevice', 'markRevoked'] as const
      for (const operation of [...operations, 'eraseDevice', 'deviceRequests'] as const) {
        await assert.rejects(store.call(operation, args), NO_SUCH, operation)
      }
      const [device] = await devices.list('ana')
      assert.deepEqual([device?.name, device?.state], ['a device', 'active'])
      await store.call('renameDevice', { ...args, owner: null, name: 'by the operator' })
      assert.equal((await devices.list('ana'))[0]?.name, 'by the operator')
    })

    test('a paused device is paused until it is resumed', async () => {
      const device = await devices.deviceOf('cleo')
      const own = { device, owner: 'cleo' }
      await store.call('pauseDevice', own)
      assert.equal((await devices.list('cleo'))[0]?.state, 'paused')
      await store.call('resumeDevice', own)
      assert.equal((await devices.list('cleo'))[0]?.state, 'active')
    })

    test('a revoked key stays out: no hello, no resuming, no new enrolment, not even once deleted', async () => {
      const { publicKey } = newDeviceKeys()
      const device = await devices.deviceOf('dora', publicKey)
      const own = { device, owner: 'dora', now: devices.now }
      await store.call('markRevoked', own)
      await store.call('resumeDevice', own)
      assert.equal((await devices.list('dora'))[0]?.state, 'revoked')
      const revoked = { code: 'MINGA_DEVICE_REVOKED' }
      await assert.rejects(store.call('deviceKey', { device }), revoked)
      const hello = { nonceNumber: 1, facts: FACTS, address: null, country: null }
      await assert.rejects(store.call('receiveDevice', { ...own, ...hello }), revoked)
      await assert.rejects(devices.deviceOf('dora', publicKey), revoked)
      await store.call('eraseDevice', own)
      await assert.rejects(devices.deviceOf('dora', publicKey), revoked)
    })

    test('of a deleted device the sums stay and the facts go', async () => {
      const device = await devices.deviceOf('eve')
      const item: RequestItem = {
        collectionId: 1,
        url: 'http://a.test/',
        outcome: 'captured',
        status: 200,
        responseBytes: 1_000,
        elapsedMs: 20,
        encoding: null,
        code: null,
      }
      await store.call('noteResults', { device, items: [item, item], now: devices.now })
      const hello = { nonceNumber: 1, facts: FACTS, address: '192.0.2.7', country: null }
      await store.call('receiveDevice', { device, ...hello, now: devices.now })
      const before = await store.call('fleetTotals', {})
      await store.call('eraseDevice', { device, owner: 'eve' })
      assert.deepEqual(await store.call('fleetTotals', {}), before)
      assert.deepEqual(await devices.list('eve'), [])
      const left = await devices.query('SELECT * FROM device_addresses WHERE device = ?', [device])
      assert.deepEqual(left, [])
      await assert.rejects(store.call('deviceKey', { device }), { code: 'MINGA_UNKNOWN_DEVICE' })
    })

    test('a nonce serves once, and none that is older than the last', async () => {
      const device = await devices.deviceOf('gus')
      const say = (nonceNumber: number): Promise<unknown> => {
        const hello = { facts: FACTS, address: null, country: null, now: devices.now }
        return store.call('receiveDevice', { device, nonceNumber, ...hello })
      }
      await say(10)
      await assert.rejects(say(10), { code: 'MINGA_STALE_CHALLENGE' })
      await assert.rejects(say(9), { code: 'MINGA_STALE_CHALLENGE' })
      const outcomes = await Promise.allSettled([say(11), say(11), say(11)])
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    })
  })
}
