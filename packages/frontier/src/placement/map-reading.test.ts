// Goal: epochs are listed light, narrowed down, sorted and read page by page, and one is read whole. Method: maps
// written by the real operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PlacementReport } from '@minga/protocol'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import type { MapFacts } from './agent-map.ts'
import { EPOCH_ORDER_NAMES, type FindEpochsArgs } from './map-reading.ts'
import { fleetsOnEngines } from '../../test/placement/placement-fixture.ts'

const EPOCHS = 7
const FIGURES = { cut: 1, exchangeShare: 0.1, imbalance: 0.02, latencyMs: null }
const EXCHANGE = { devices: ['a', 'b'], links: [[1, 2], [3, 4]] } // prettier-ignore

function factsOf(n: number): MapFacts {
  const story: PlacementReport = {
    after: FIGURES,
    before: null,
    movedHosts: n * 10,
    newHosts: 0,
    compared: {},
    exchange: EXCHANGE,
    exchangeBefore: null,
  }
  return {
    reason: n % 2 === 0 ? 'members' : 'time',
    why: `The reason of ${n}.`,
    way: 'scratch',
    hosts: 5,
    pages: 9,
    movedPages: n % 3,
    exchangeShare: n === 1 ? null : 1 / (n + 2),
    imbalance: 0.02,
    latencyMs: null,
    parts: ['a', 'b'].map((device) => ({ device, capacity: 1, hosts: 2, pages: 4 })),
    // The first is of before stories were kept.
    story: n === 1 ? null : story,
  }
}

for (const { engine, openFleet } of await fleetsOnEngines()) {
  describe(`Reading epochs on ${engine.name}`, { skip: engine.skip }, () => {
    test('a list of epochs has no matrices, and one epoch has them', async () => {
      const fleet = await openFleet()
      await fleet.begin()
      const { store } = fleet
      const begun = fleet.now
      for (let n = 1; n <= EPOCHS; n++) {
        const now = begun + n * 1_000
        const epoch = await store.call('beginMap', { writer: 'w', now })
        const claim = { epoch, writer: 'w' }
        while ((await store.call('tidyMap', { claim, atMost: 100 })) > 0);
        await store.call('publishMap', { ...claim, now, facts: factsOf(n) })
      }
      await assertEveryOrder({
        orders: EPOCH_ORDER_NAMES,
        read: (part) => store.call('findEpochs', part),
        idOf: ({ epoch }) => epoch,
      })
      const found = async (args: Partial<FindEpochsArgs>): Promise<number[]> => {
        const rows = await allPages((part) =>
          store.call('findEpochs', { ...part, order: 'epoch', ...args }),
        )
        return rows.map(({ epoch }) => epoch)
      }
      assert.deepEqual(await found({ reason: 'members' }), [2, 4, 6])
      assert.deepEqual(await found({ text: 'REASON OF 5' }), [5])
      assert.deepEqual(await found({ from: begun + 6_000, to: begun + 7_000 }), [6])

      const rows = await allPages((part) => store.call('findEpochs', { ...part, order: 'epoch' }))
      assert.deepEqual(
        rows.map(({ movedHosts, agents }) => [movedHosts, agents]),
        [null, 20, 30, 40, 50, 60, 70].map((moved) => [moved, 2]),
      )
      assert.ok(rows.every((row) => !('story' in row) && !('parts' in row)))
      const whole = await store.call('readEpoch', { epoch: 3 })
      assert.deepEqual(whole?.story?.exchange, EXCHANGE)
    })
  })
}
