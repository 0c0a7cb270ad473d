// Goal: what operators changed is kept whole, with the trail of who changed it. Method: the real
// operations of both databases, also two operators at the same moment.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../store/test/sorted-page-fixture.ts'
import { openStation, type TestStation } from '../test/station-fixture.ts'
import {
  SETTING_CHANGE_ORDERS,
  type FindSettingChangesArgs,
  type NewSetting,
} from './station-settings.ts'

const change = (station: TestStation, changes: NewSetting[], by = 'ana'): Promise<number> =>
  station.store
    .call('changeSettings', { changes, by, note: 'why', now: station.now })
    .then(({ changed }) => changed)

const to = (name: string, value: unknown): NewSetting => ({
  name,
  value: value === null ? null : JSON.stringify(value),
  otherwise: '1',
})

const trail = async (station: TestStation): Promise<string[]> => {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: 100 }
  const rows = await station.store.call('settingChanges', page)
  return rows.map(({ name, before, after, by }) => `${by}: ${name} ${before} → ${after}`)
}

for (const engine of ENGINES) {
  describe(`settings on ${engine.name}`, { skip: engine.skip }, () => {
    test('each change is kept with what held before; what changes nothing leaves no trace', async () => {
      const station = await openStation(engine)
      assert.equal(await change(station, [to('b', 2), to('a', 'x')]), 2)
      assert.equal(await change(station, [to('b', 2)]), 0)
      assert.equal(await change(station, [to('b', 3), to('c', null)]), 1)
      assert.equal(await change(station, [to('b', null)]), 1)
      assert.deepEqual(await trail(station), [
        'ana: b 3 → 1',
        'ana: b 2 → 3',
        'ana: b 1 → 2',
        'ana: a 1 → "x"',
      ])
      const stored = await station.store.call('storedSettings', {})
      assert.deepEqual(
        stored.map((row) => ({ ...row })),
        [{ name: 'a', value: '"x"', changedAt: station.now, changedBy: 'ana' }],
      )
      const second = await station.store.call('settingChanges', {
        before: 4,
        limit: 2,
      })
      assert.deepEqual(
        second.map(({ no, note }) => `${no} ${note}`),
        ['3 why', '2 why'],
      )
    })

    test('the trail is searched, narrowed down, sorted and read page by page', async () => {
      const station = await openStation(engine)
      const { store } = station
      for (let n = 2; n < 9; n++) {
        station.now += n % 2
        await change(station, [to(n % 3 === 0 ? 'pause' : 'blockMax', n)], n === 5 ? 'ben' : 'ana')
      }
      await assertEveryOrder({
        orders: SETTING_CHANGE_ORDERS,
        read: (part) => store.call('findSettingChanges', part),
        idOf: ({ no }) => no,
      })
      const found = async (args: Partial<FindSettingChangesArgs>): Promise<string[]> => {
        const rows = await allPages((part) =>
          store.call('findSettingChanges', { ...part, order: 'at', ...args }),
        )
        return rows.map(({ name, after }) => `${name} ${after}`)
      }
      assert.deepEqual(await found({ setting: 'pause' }), ['pause 3', 'pause 6'])
      assert.deepEqual(await found({ text: 'BEN' }), ['blockMax 5'])
      assert.deepEqual(await found({ setting: 'block' }), [])
      assert.equal((await found({ from: station.now })).length, 2)
      assert.equal((await found({ to: station.now })).length, 5)
    })

    test('two operators at the same moment leave one of their wishes and a trail that joins', async () => {
      const station = await openStation(engine)
      await change(station, [to('a', 0), to('b', 0)])
      await Promise.all(
        ['ana', 'ben', 'carla', 'dora'].map((by, i) =>
          change(
            station,
            i % 2 ? [to('a', i + 2), to('b', i + 2)] : [to('b', i + 2), to('a', i + 2)],
            by,
          ),
        ),
      )
      const steps = (await trail(station)).filter((line) => / a /.test(line)).toReversed()
      assert.equal(steps.length, 5)
      for (const [i, step] of steps.entries()) {
        const [, before] = / a (\d) →/.exec(step)!
        if (i > 0) assert.ok(steps[i - 1]!.endsWith(`→ ${before}`), steps.join('; '))
      }
      const [a, b] = await station.store.call('storedSettings', {})
      assert.equal(a!.value, b!.value)
      assert.ok(steps.at(-1)!.endsWith(`→ ${a!.value}`))
    })
  })
}
