// Goal: after a jump of the price the plans that matter soon are right within seconds, and all of them
// in the end, whatever dies in between. Method: the same URLs in two stores; one is timed plan by plan,
// the other by the two passes.
// Needs a process of its own: plans are compared to the last digit, and that of a computation has differed after
// other files had run in the process.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { WatchSettings } from '@minga/protocol'
import type { Store } from '@minga/store'
import { createVirtualClock } from '@minga/testkit'
import {
  ENGINES,
  type Home,
  type TestEngine,
} from '../../../../../packages/store/test/contract-engines.ts'
import { START } from '../../../test/station-fixture.ts'
import type { Replanned } from './replan.ts'
import { watchNothing } from '../../../test/watch/plan/planning-fixture.ts'
import type {
  Fill,
  PlanRow,
  RetimingOperations,
} from '../../../test/watch/plan/retiming-fixture.ts'
import { Retiming, timeUpcomingVisits } from './retiming.ts'

const OPERATIONS = new URL('../../../test/watch/plan/retiming-fixture.ts', import.meta.url).href
const HORIZON = START + 900_000
const DAY = 86_400_000
const URLS = 200
const BULK: Partial<WatchSettings>[] = [
  {},
  { floorMs: 2 * DAY },
  { budgetShare: 0.1 },
  { policy: 'minga' },
  { policy: 'minga:freshness' },
]
const OTHERS: Partial<WatchSettings>[] = [
  { policy: 'cho' },
  { policy: 'nutch' },
  { periodMs: 5 * DAY },
]

interface Opened {
  home: Home
  store: Store<RetimingOperations>
}

async function open(engine: TestEngine): Promise<Opened> {
  const home = await engine.home()
  const store = await home.openHere<RetimingOperations>({ operations: OPERATIONS })
  await store.call('ensureOperator', { keyHash: null, now: START })
  const opened = { home, store }
  after(() => opened.store.close())
  return opened
}

async function watch(
  store: Store<RetimingOperations>,
  settings: object,
  urls: Omit<Fill, 'collectionId' | 'now'>,
): Promise<void> {
  const collectionId = await watchNothing(store, settings)
  await store.call('fillForecasts', { collectionId, now: START, ...urls })
}

async function fill({ store }: Opened): Promise<void> {
  for (const [i, settings] of [...BULK, ...OTHERS].entries()) {
    await watch(store, settings, { count: URLS, seed: i })
  }
}

const parts = ({ store }: Opened): ConstructorParameters<typeof Retiming>[0] => ({
  store,
  clock: createVirtualClock(START),
})

const plans = ({ store }: Opened): Promise<PlanRow[]> => store.call('allPlans', {})

const replan = ({ store }: Opened, visitsPerDay: number): Promise<Replanned> =>
  store.call('replanVisits', { now: START, visitsPerDay })

/** Every plan by itself, as the second pass does. */
async function retimeAll(on: Opened): Promise<PlanRow[]> {
  const page = { now: START, limit: 150 }
  while (await on.store.call('retimeVisits', page));
  return plans(on)
}

/** A few plans have no reason yet: they were never visited. */
const isSoon = ({ next_visit_at: at }: PlanRow): boolean => at !== null && at <= HORIZON

for (const engine of ENGINES) {
  describe(`Retiming on ${engine.name}`, { skip: engine.skip }, () => {
    for (const visitsPerDay of [400, 30_000]) {
      test(`what is due soon after a jump to ${visitsPerDay} visits a day is what timing every plan says, and the rest follows`, async () => {
        const [slow, quick] = [await open(engine), await open(engine)]
        for (const on of [slow, quick]) await fill(on)
        const before = await plans(quick)
        assert.ok((await replan(slow, visitsPerDay)).hasJumped)
        const right = await retimeAll(slow)
        const replanned = await replan(quick, visitsPerDay)
        for await (const _ of timeUpcomingVisits(parts(quick), replanned));
        const soon = await plans(quick)
        let [moved, needless] = [0, 0]
        for (const [i, row] of soon.entries()) {
          const [was, should] = [before[i]!, right[i]!]
          const isBulk = row.collection_id <= BULK.length || row.role === 'feed'
          if (isSoon(was) || (isBulk && isSoon(should))) assert.deepEqual(row, should)
          else if (row.next_visit_at === was.next_visit_at) assert.equal(row.plan, was.plan)
          else needless += 1
          if (row.next_visit_at !== was.next_visit_at) {
            assert.deepEqual(row, should)
            moved += 1
          }
        }
        const figures = `${moved} of ${soon.length} moved, ${needless} of them for no need`
        assert.ok(
          moved > 100 && moved < 0.9 * soon.length && needless < 0.05 * soon.length,
          figures,
        )
        assert.deepEqual(await retimeAll(quick), right)
      })
    }

    test('killed between two pages, the pass resumes where it was, and is done once', async () => {
      const [slow, killed] = [await open(engine), await open(engine)]
      for (const on of [slow, killed]) await fill(on)
      await replan(slow, 3_000)
      const right = await retimeAll(slow)
      await replan(killed, 3_000)
      const isUnfinished = await killed.store.call('retimeVisits', { now: START, limit: 350 })
      assert.ok(isUnfinished)
      const half = await plans(killed)
      await killed.store.close()
      killed.store = await killed.home.openHere<RetimingOperations>({ operations: OPERATIONS })
      const retiming = new Retiming(parts(killed))
      await retiming.tick()
      assert.deepEqual(await plans(killed), right)
      assert.notDeepEqual(half, right)
      assert.equal(await killed.store.call('retimeVisits', { now: START, limit: 350 }), false)
    })

    test('of more than the budget can visit until then, the longest due are made due first', async () => {
      const on = await open(engine)
      await watch(on.store, {}, { count: 41_000, seed: 1, isEven: true })
      const replanned = await replan(on, 20_000)
      for await (const _ of timeUpcomingVisits(parts(on), replanned));
      const due = (await plans(on)).map((row) => row.next_visit_at === START)
      assert.deepEqual([due.indexOf(true), due.lastIndexOf(false)], [31_000, 30_999])
    })
  })
}
