// Goal: of a place as little is kept as serves, and not for ever. Method: addresses of every form, and
// the real operations on both databases over virtual months.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { networkPrefix } from './addresses.ts'
import { FACTS, openDevices } from '../../test/devices/devices-fixture.ts'

const DAY_MS = 86_400_000

test('an address is cut to its network, whatever its spelling', () => {
  const cases: [address: string, prefix: string | null][] = [
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:0a0b:12f0::1', '2001:db8:a0b::/48'],
    ['2001:DB8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['not an address', null],
    ['', null],
  ]
  for (const [address, prefix] of cases) assert.equal(networkPrefix(address), prefix, address)
})

for (const engine of ENGINES) {
  describe(`Places on ${engine.name}`, { skip: engine.skip }, async () => {
    test('IP history: a row per new place of connection, minimised, gone after ninety days', async () => {
      const devices = await openDevices(engine)
      const device = await devices.deviceOf('ana')
      let nonceNumber = 0
      const connect = (address: string): Promise<unknown> =>
        devices.store.call('receiveDevice', {
          device,
          nonceNumber: ++nonceNumber,
          facts: FACTS,
          address,
          country: null,
          now: devices.now,
        })
      const places = async (): Promise<string[]> => {
        const [view] = await devices.list('ana')
        return view!.places.map(({ networkPrefix: place }) => place)
      }
      await connect('192.0.2.7')
      devices.now += DAY_MS
      await connect('192.0.2.200')
      await connect('198.51.100.1')
      devices.now += DAY_MS
      await connect('2001:db8:1:2::3')
      assert.deepEqual(await places(), ['2001:db8:1::/48', '192.0.2.0/24', '198.51.100.0/24'])
      const whole = await devices.query(
        `SELECT 1 FROM device_addresses WHERE network_prefix LIKE '%.7' OR network_prefix LIKE '%::3'`,
      )
      assert.deepEqual(whole, [])
      const keepMs = 90 * DAY_MS
      devices.now += 89 * DAY_MS
      await devices.store.call('sweepAddresses', { now: devices.now, keepMs })
      assert.deepEqual(await places(), ['2001:db8:1::/48'])
      devices.now += DAY_MS
      await devices.store.call('sweepAddresses', { now: devices.now, keepMs })
      assert.deepEqual(await places(), [])
    })
  })
}
