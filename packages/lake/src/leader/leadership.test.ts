// Goal: among coordinators that share a store at most one leads, whatever clocks show and whichever
// is suspended. Method: coordinators with clocks that tests move, on real stores; a property over
// random pauses and calls.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Row, Store } from '@minga/store'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { OPERATIONS } from '../../test/schedule/schedule-fixture.ts'
import { Leadership } from './leadership.ts'
import type { ContractOperations } from '../../test/schedule/contract-operations.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

const LEASE_MS = 10_000

/** A coordinator with clocks of its own; stopped, it does not tick. */
class Coordinator {
  readonly lead: Leadership
  constructor(store: Store<ContractOperations>, time: { ms: number }, place: number) {
    // Wall clocks differ by hours; only what passes is the same for all.
    const skewMs = place * 3_600_000
    const clock = { now: () => 1e12 + time.ms - skewMs, monotonicMs: () => time.ms + skewMs }
    this.lead = new Leadership({ store, clock, holder: `c${place}`, leaseMs: LEASE_MS })
  }
}

for (const engine of ENGINES) {
  describe(`leadership on ${engine.name}`, { skip: engine.skip }, async () => {
    if (engine.skip !== false) return
    const home = await engine.home()
    const store = await home.openHere<ContractOperations>({ operations: OPERATIONS })
    after(() => store.close())
    const query = <R>(text: string, params: Row = []): Promise<R[]> =>
      queryRows(store, text, params)
    const fresh = async (count: number): Promise<[Coordinator[], { ms: number }]> => {
      await query('DELETE FROM leaders')
      const time = { ms: 0 }
      return [Array.from({ length: count }, (_, i) => new Coordinator(store, time, i)), time]
    }
    const act = ({ lead }: Coordinator): Promise<unknown> => lead.call('lakeLivingQueries', {})

    test('the first leads at once, the second when the first has been silent for a time-out', async () => {
      const [[a, b], time] = await fresh(2)
      await a!.lead.tick()
      await b!.lead.tick()
      assert.deepEqual([a!.lead.mayLead(), b!.lead.mayLead()], [true, false])
      for (let i = 0; i < 10; i++) {
        time.ms += LEASE_MS / 2
        await a!.lead.tick()
        await b!.lead.tick()
        assert.deepEqual([a!.lead.mayLead(), b!.lead.mayLead()], [true, false])
      }
      time.ms += LEASE_MS - 1
      await b!.lead.tick()
      assert.equal(b!.lead.mayLead(), false)
      time.ms += 1
      await b!.lead.tick()
      assert.deepEqual([a!.lead.mayLead(), b!.lead.mayLead()], [false, true])
    })

    test('a leader that slept and wakes up changes nothing and waits one time-out before it leads again', async () => {
      const [[a, b], time] = await fresh(2)
      await a!.lead.tick()
      await b!.lead.tick()
      time.ms += LEASE_MS
      await b!.lead.tick()
      await act(b!)
      await assert.rejects(act(a!), { code: 'MINGA_NOT_LEADER' })
      await b!.lead.end()
      const [[c], clock] = await fresh(1)
      await c!.lead.tick()
      clock.ms += LEASE_MS * 5
      assert.equal(c!.lead.mayLead(), false)
      await c!.lead.tick()
      assert.equal(c!.lead.mayLead(), false)
      clock.ms += LEASE_MS
      await c!.lead.tick()
      assert.equal(c!.lead.mayLead(), true)
      await act(c!)
    })

    test('a leader that ends in order leaves the lead to the next at once', async () => {
      const [[a, b]] = await fresh(2)
      await a!.lead.tick()
      await b!.lead.tick()
      await a!.lead.end()
      await b!.lead.tick()
      assert.deepEqual([a!.lead.mayLead(), b!.lead.mayLead()], [false, true])
    })

    test('Supervision: with any of them suspended at any time, at most one may lead at a time, fences only grow, and an old one is refused', async () => {
      const steps = fc.array(
        fc.record({
          who: fc.nat(2),
          passMs: fc.integer({ min: 0, max: LEASE_MS }),
          doing: fc.constantFrom('tick', 'act', 'end'),
        }),
        { maxLength: 60 },
      )
      await fc.assert(
        fc.asyncProperty(steps, async (plan) => {
          const [all, time] = await fresh(3)
          let lastFence = 0
          for (const { who, passMs, doing } of plan) {
            time.ms += passMs
            const one = all[who]!
            if (doing === 'tick') await one.lead.tick()
            if (doing === 'end') await one.lead.end()
            assert.ok(all.filter(({ lead }) => lead.mayLead()).length <= 1)
            const [row] = await query<{ fence: number; holder: string }>('SELECT * FROM leaders')
            assert.ok((row?.fence ?? 0) >= lastFence)
            lastFence = row?.fence ?? 0
            if (doing !== 'act') continue
            const isDone = await act(one).then(
              () => true,
              () => false,
            )
            assert.ok(!isDone || row?.holder === `c${who}`)
          }
        }),
        { seed: 7, numRuns: 40 },
      )
    })
  })
}
