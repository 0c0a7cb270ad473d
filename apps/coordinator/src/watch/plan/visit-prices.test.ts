// Goal: what is scarce has its price in live plans: bytes, and hosts that ask for long pauses. Method:
// pages of equal worth on both engines; the gaps of their plans are summed.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Store } from '@minga/store'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openPlanning, planAll, watchPages } from '../../../test/watch/plan/planning-fixture.ts'
import type { PlanningOperations } from '../../../test/watch/visits/planning-pages-fixture.ts'

const HOUR_MS = 3_600_000

/** Of a watch's pages, all together. */
async function visitsPerDay(
  store: Store<PlanningOperations>,
  collectionId: number,
): Promise<number> {
  const gaps = await store.call('gapsOf', { collectionId })
  return gaps.reduce((sum, days) => sum + 1 / days, 0)
}

for (const engine of ENGINES) {
  describe(`prices on ${engine.name}`, { skip: engine.skip }, () => {
    test('where bytes are scarce a large page is visited more rarely than a small one of equal worth', async () => {
      const store = await openPlanning(engine)
      after(() => store.close())
      const large = await watchPages(store, { count: 40, bytes: 1_000_000 })
      const small = await watchPages(store, { count: 40, bytes: 20_000 })
      await planAll(store, { visitsPerDay: 40 })
      const before = await visitsPerDay(store, large)
      assert.ok(Math.abs(before / (await visitsPerDay(store, small)) - 1) < 0.01, 'equal worth')
      await planAll(store, { visitsPerDay: 40, visitBytesPerDay: 8_000_000 })
      const [rare, often] = [await visitsPerDay(store, large), await visitsPerDay(store, small)]
      assert.ok(often > 3 * rare && rare > 0, `${often} small, ${rare} large`)
      const bytes = rare * 1_000_000 + often * 20_000
      assert.ok(bytes < 8_800_000 && bytes > 7_000_000, `${bytes} bytes a day`)
      assert.ok(rare + often < 42, `${rare + often} visits a day`)
      await planAll(store, { visitsPerDay: 40, visitBytesPerDay: 1e12 })
      assert.ok(Math.abs((await visitsPerDay(store, large)) / before - 1) < 0.01, 'plenty is free')
    })

    test('a host with a delay of an hour and fifty pages is planned for what it can handle', async () => {
      const store = await openPlanning(engine)
      after(() => store.close())
      const patient = { count: 50, hostId: 7, crawlDelayMs: HOUR_MS }
      const [slow, others] = [
        await watchPages(store, patient),
        await watchPages(store, { count: 50 }),
      ]
      await planAll(store, { visitsPerDay: 100 })
      const [onHost, elsewhere] = [
        await visitsPerDay(store, slow),
        await visitsPerDay(store, others),
      ]
      assert.ok(onHost <= 24 && onHost > 18, `${onHost} visits a day of 24`)
      // What it cannot take is for the others.
      assert.ok(elsewhere > 65, `${elsewhere} visits a day elsewhere`)
      await planAll(store, { visitsPerDay: 10 })
      const all = (await visitsPerDay(store, slow)) + (await visitsPerDay(store, others))
      assert.ok(Math.abs(all / 10 - 1) < 0.1, `${all} where the budget is what is scarce`)
    })
  })
}
