// Goal: a site owner learns whether a network visited their host around a time, and no one learns
// more. Method: devices that connect and visit hosts on both databases over virtual days, and
// questions that are right in all but one respect.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { FACTS, openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let nonces = 0

async function connect(devices: TestDevices, device: string, address: string): Promise<void> {
  const hello = { device, nonceNumber: ++nonces, facts: FACTS, address, country: null }
  await devices.store.call('receiveDevice', { ...hello, now: devices.now })
}

async function fetched(devices: TestDevices, device: string, ...urls: string[]): Promise<void> {
  const items = urls.map((url) => ({
    collectionId: 1,
    url,
    outcome: 'captured' as const,
    status: 200,
    responseBytes: 1,
    elapsedMs: 1,
    encoding: null,
    code: null,
  }))
  await devices.store.call('noteResults', { device, items, now: devices.now })
}

function ask(devices: TestDevices, more: object): Promise<string> {
  const usual = {
    address: '192.0.2.7',
    host: 'a.example.org',
    at: devices.now,
    windowMs: 5 * MINUTE_MS,
    keptMs: 30 * DAY_MS,
    now: devices.now,
  }
  return devices.store.call('askAddress', { ...usual, ...more })
}

for (const engine of ENGINES) {
  describe(`Was this address yours, on ${engine.name}`, { skip: engine.skip }, () => {
    test('yes for the network, the host and the time of a visit, no for any other', async () => {
      const devices = await openDevices(engine)
      const [one, two] = [await devices.deviceOf('ana'), await devices.deviceOf('ben')]
      await connect(devices, one, '192.0.2.7')
      await connect(devices, two, '198.51.100.1')
      for (let hour = 0; hour < 20; hour++) {
        devices.now += 60 * MINUTE_MS
        await fetched(devices, two, 'https://a.example.org/', 'https://c.example.org/')
      }
      await fetched(devices, one, 'https://a.example.org/page?x', 'https://b.example.org/')
      const at = devices.now
      devices.now += DAY_MS
      await fetched(devices, one, 'https://c.example.org/')
      const answers = {
        itself: await ask(devices, { at }),
        'a neighbour in its network': await ask(devices, { at, address: '192.0.2.200' }),
        mapped: await ask(devices, { at, address: '::ffff:192.0.2.7' }),
        'within the window': await ask(devices, { at: at + 4 * MINUTE_MS }),
        'another network': await ask(devices, { at, address: '203.0.113.9' }),
        'another host': await ask(devices, { at, host: 'c.example.org' }),
        'a host like it': await ask(devices, { at, host: 'example.org' }),
        'another time': await ask(devices, { at: at + 6 * MINUTE_MS }),
        'the other device': await ask(devices, { at, address: '198.51.100.77' }),
        'before all': await ask(devices, { at: at - 2 * DAY_MS }),
      }
      assert.deepEqual(answers, {
        itself: 'yes',
        'a neighbour in its network': 'yes',
        mapped: 'yes',
        'within the window': 'yes',
        'another network': 'no',
        'another host': 'no',
        'a host like it': 'no',
        'another time': 'no',
        'the other device': 'yes',
        'before all': 'no',
      })
    })

    test('a device that moved answers for the network in which it was', async () => {
      const devices = await openDevices(engine)
      const device = await devices.deviceOf('ana')
      await connect(devices, device, '192.0.2.7')
      devices.now += DAY_MS
      await connect(devices, device, '198.51.100.1')
      devices.now += 60 * MINUTE_MS
      await fetched(devices, device, 'http://a.example.org/')
      assert.equal(await ask(devices, { address: '192.0.2.7' }), 'no')
      assert.equal(await ask(devices, { address: '198.51.100.1' }), 'yes')
    })

    test('unknown where nothing is kept: too long ago, not yet, or no address', async () => {
      const devices = await openDevices(engine)
      assert.equal(await ask(devices, { at: devices.now - 31 * DAY_MS }), 'unknown')
      assert.equal(await ask(devices, { at: devices.now + DAY_MS }), 'unknown')
      assert.equal(await ask(devices, { address: 'nonsense' }), 'unknown')
      assert.equal(await ask(devices, {}), 'no')
    })
  })
}
