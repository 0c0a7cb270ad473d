// Goal: contributions are counted by day, and no contributor is named without having asked. Method:
// the real operations on both databases; days pass by the clock of the test.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { streakOf, type Contributions } from './contributions.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import type { RequestItem } from './request-details.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const item = (responseBytes: number): RequestItem => ({
  collectionId: 1,
  url: 'http://a.test/',
  outcome: 'captured',
  status: 200,
  responseBytes,
  elapsedMs: 5,
  encoding: null,
  code: null,
})

const stations = await Promise.all(
  ENGINES.map(async (engine) => (engine.skip ? null : openDevices(engine))),
)

const work = (devices: TestDevices, device: string, bytes: readonly number[]): Promise<void> =>
  devices.store.call('noteResults', {
    device,
    items: bytes.map(item),
    uploadBytes: 7,
    now: devices.now,
  })

const named = async (devices: TestDevices, id: string, name: string | null): Promise<void> => {
  await devices.store.call('change', {
    text: `INSERT INTO accounts (id, name, name_key, roles, created_at, board_name)
      VALUES (?, ?, ?, '[]', 0, ?)`,
    params: [id, id, id, name],
  })
}

for (const [i, engine] of ENGINES.entries()) {
  describe(`Contributions on ${engine.name}`, { skip: engine.skip }, () => {
    const devices = stations[i]!
    const read = (days: number): Promise<Contributions> =>
      devices.store.call('contributions', { days, limit: 50, now: devices.now })

    test('who chose a name stands alone, all others stand together, and streaks are days in a row', async () => {
      const [ana, ben, cleo] = [
        await devices.deviceOf('ana'),
        await devices.deviceOf('ben'),
        await devices.deviceOf('cleo'),
      ]
      await named(devices, 'ana', 'Ana of the hills')
      await named(devices, 'ben', null)
      await work(devices, ana, [10, 20])
      await work(devices, ben, [5])
      devices.now += DAY_MS
      await work(devices, ana, [30])
      await work(devices, cleo, [6])
      const { volunteers, days } = await read(3)
      assert.equal(days, 3)
      assert.deepEqual(
        volunteers.map(({ name, volunteers: people, requests, bytes, streakDays }) => [
          name,
          people,
          requests,
          bytes,
          streakDays,
        ]),
        [
          ['Ana of the hills', 1, 3, 60, 2],
          [null, 2, 2, 11, 2],
        ],
      )
      assert.deepEqual(
        volunteers[0]!.byDay.map(({ bytes }) => bytes),
        [0, 30, 30],
      )
    })

    test('a deleted device still counts, without whose it was', async () => {
      const gone = await devices.deviceOf('ana')
      await work(devices, gone, [1_000])
      await devices.store.call('eraseDevice', { device: gone, owner: 'ana' })
      const { volunteers } = await read(3)
      assert.deepEqual(
        volunteers.map(({ name, bytes }) => [name, bytes]),
        [
          [null, 1_011],
          ['Ana of the hills', 60],
        ],
      )
    })

    test('rates are given by the minute, with quiet minutes between, and are forgotten in time', async () => {
      const device = await devices.deviceOf('dora')
      devices.now += DAY_MS
      await work(devices, device, [100, 200])
      devices.now += 2 * MINUTE_MS
      await work(devices, device, [50])
      const rates = await devices.store.call('ratesOf', {
        device,
        minutes: 4,
        now: devices.now,
      })
      assert.deepEqual(rates.downBytes, [0, 300, 0, 50])
      assert.deepEqual(rates.upBytes, [0, 7, 0, 7])
      assert.deepEqual(rates.requests, [0, 2, 0, 1])
      devices.now += 200 * MINUTE_MS
      assert.ok((await devices.store.call('sweepRates', { now: devices.now })) > 0)
      assert.equal(await devices.store.call('sweepRates', { now: devices.now }), 0)
    })
  })
}

test('a streak ends with the first day without work, and today may still be empty', () => {
  assert.equal(streakOf(new Set([8, 9, 10]), 10), 3)
  assert.equal(streakOf(new Set([8, 9]), 10), 2)
  assert.equal(streakOf(new Set([8]), 10), 0)
  assert.equal(streakOf(new Set([7, 9, 10]), 10), 2)
})
