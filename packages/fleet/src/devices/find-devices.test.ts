// Goal: a list of devices of any length is filtered, sorted and read page by page, and each device's word for what it
// does is right. Method: the real operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import type { DeviceOrder, Doing, FindDevicesArgs, FoundDevices } from './find-devices.ts'

const stations = await Promise.all(
  ENGINES.map(async (engine) => (engine.skip ? null : openDevices(engine))),
)

const ALL = { owner: null, order: 'id', isDescending: false, after: null, limit: 100 } as const

function find(
  { store }: TestDevices,
  args: Partial<FindDevicesArgs> & { order?: DeviceOrder },
): Promise<FoundDevices> {
  return store.call('findDevices', { ...ALL, ...args })
}

for (const [i, engine] of ENGINES.entries()) {
  describe(`Finding devices on ${engine.name}`, { skip: engine.skip }, () => {
    const devices = stations[i]!

    test('pages in any order have every device once', async () => {
      for (let n = 0; n < 7; n++) {
        const device = await devices.deviceOf('ana')
        const name = `Laptop ${(n * 3) % 7}`
        await devices.store.call('renameDevice', { device, owner: 'ana', name })
      }
      for (const isDescending of [false, true]) {
        const names: string[] = []
        let after: FindDevicesArgs['after'] = null
        do {
          const page: FoundDevices = await find(devices, {
            order: 'name',
            isDescending,
            after,
            limit: 3,
          })
          assert.equal(page.total, 7)
          names.push(...page.devices.map(({ name }) => name))
          after = page.next
        } while (after !== null)
        const sorted = Array.from({ length: 7 }, (_, n) => `Laptop ${n}`)
        assert.deepEqual(names, isDescending ? sorted.toReversed() : sorted)
      }
    })

    test('text is sought as it stands, signs of patterns included', async () => {
      const device = await devices.deviceOf('ben')
      await devices.store.call('renameDevice', { device, owner: 'ben', name: 'The 100% Attic_1' })
      const idsFor = async (text: string): Promise<string[]> =>
        (await find(devices, { text })).devices.map(({ id }) => id)
      assert.deepEqual(await idsFor('100% attic'), [device])
      assert.deepEqual(await idsFor('c_1'), [device])
      assert.deepEqual(await idsFor('1%c'), [])
      assert.deepEqual((await find(devices, { owner: 'ana', text: 'attic' })).devices, [])
    })

    test('what stops a device for longest is what it is said to do', async () => {
      const device = await devices.deviceOf('cleo')
      const doing = async (): Promise<Doing> =>
        (await find(devices, { owner: 'cleo' })).devices[0]!.doing
      const change = (text: string): Promise<unknown> =>
        devices.store.call('change', { text, params: [device] })
      assert.equal(await doing(), 'away')
      await change(
        `INSERT INTO agents (boot, device, joined_at, last_beat_at, progress_at)
         VALUES ('boot-of-cleo', ?, 0, 0, 0)`,
      )
      assert.equal(await doing(), 'idle')
      await change('INSERT INTO agent_loads (device, in_hand) VALUES (?, 3)')
      assert.equal(await doing(), 'working')
      await change(`UPDATE agents SET rest = 'on-battery' WHERE device = ?`)
      assert.equal(await doing(), 'resting')
      const asked = { device, who: 'otto', note: null, now: devices.now }
      await devices.store.call('markDrained', asked)
      assert.equal(await doing(), 'drained')
      assert.deepEqual((await find(devices, { doing: ['idle', 'drained'] })).total, 1)
      await devices.store.call('undrainDevice', asked)
      await devices.store.call('pauseDevice', { device, owner: 'cleo' })
      assert.equal(await doing(), 'paused')
      await devices.store.call('markRevoked', { device, owner: 'cleo', now: devices.now })
      assert.equal(await doing(), 'revoked')
    })

    test('a message is kept until it is taken back, and both are in the log', async () => {
      const device = await devices.deviceOf('dora')
      const told = async (): Promise<unknown> => (await devices.list('dora'))[0]?.message
      const asked = { device, who: 'otto', now: devices.now }
      await devices.store.call('tellOwner', { ...asked, note: 'Please update.' })
      assert.deepEqual(await told(), { text: 'Please update.', at: devices.now })
      await devices.store.call('tellOwner', { ...asked, note: null })
      assert.equal(await told(), null)
      const log = await devices.query<{ action: string }>(
        'SELECT action FROM trust_log WHERE device = ? ORDER BY id',
        [device],
      )
      assert.deepEqual(
        log.map(({ action }) => action),
        ['told', 'untold'],
      )
      const nobody = devices.store.call('tellOwner', { ...asked, device: 'dev_none', note: 'x' })
      await assert.rejects(nobody, { code: 'MINGA_NO_SUCH_DEVICE' })
    })
  })
}
