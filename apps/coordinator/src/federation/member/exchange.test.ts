// Goal: stations that collect together fetch every page, and each page once, whatever happens to their
// messages, their hosts and to one of them. Method: real stores on both databases and a web, a network and a
// registrar made by the test; what was fetched is compared with what there is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { linkedWeb, TestFederation } from '../../../test/federation/member/exchange-fixture.ts'

const IDS = ['a', 'b', 'c']
const FARES = ['well', 'well', 'well', 'lost', 'unanswered', 'twice', 'late'] as const
/** One step of what is done a part at a time: a process may die after any of them. */
const STEPS = ['continueRelease', 'handOver', 'continueSnapshot'] as const
const ACTIONS = [
  'work',
  'work',
  'work',
  'ship',
  'ship',
  'claim',
  'renew',
  'move',
  'late',
  'restart',
  ...STEPS,
] as const
const RUNS =
  process.env['MINGA_LONG'] === '1' ? { SQLite: 60, PostgreSQL: 6 } : { SQLite: 5, PostgreSQL: 1 }
const HOSTS = 6
const PAGES = 4

const step = fc.record({
  action: fc.constantFrom(...ACTIONS),
  station: fc.nat(IDS.length - 1),
  to: fc.nat(IDS.length - 1),
  machine: fc.nat(HOSTS / 2 - 1),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const history = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 60 }),
  fares: fc.infiniteStream(fc.constantFrom(...FARES)),
  mode: fc.constantFrom('hash' as const, 'hold' as const),
  seed: fc.nat(1_000),
})

async function take(
  federation: TestFederation,
  { action, station, to, machine }: Step,
): Promise<void> {
  const active = federation.active()
  const id = active[station % active.length]!
  if (action === 'work') await federation.work(id, 3)
  else if (action === 'ship') await federation.ship(id)
  else if (action === 'claim') await federation.claim(id)
  else if (action === 'renew') await federation.renew(id)
  else if (action === 'late') await federation.deliverLate()
  else if (action === 'restart') federation.restart(id)
  else if (action !== 'move') await federation.call(id, action, {})
  else federation.move(`10.0.0.${machine}`, active[to % active.length]!)
}

function assertWhole(federation: TestFederation): void {
  const fetched = [...federation.fetchedTimes().keys()].toSorted()
  assert.deepEqual(fetched, [...federation.web.keys()].toSorted(), 'every page was fetched')
}

const fetchedTwice = (federation: TestFederation): string[] =>
  [...federation.fetchedTimes()].filter(([, n]) => n > 1).map(([url]) => url)

for (const engine of ENGINES) {
  const numRuns = RUNS[engine.name]
  describe(`exchange between stations on ${engine.name}`, { skip: engine.skip }, () => {
    for (const mode of ['hash', 'hold'] as const) {
      test(`Unknown-URL fallback: in mode ${mode} URLs of hosts without an owner are all fetched, each by one station`, async () => {
        const web = linkedWeb({ hosts: 8, pages: 6, seed: 1 })
        const federation = await TestFederation.open(engine, { ids: IDS, web, mode })
        await federation.start('a')
        await federation.drain()
        await federation.assertSound()
        assertWhole(federation)
        assert.deepEqual(fetchedTwice(federation), [])
        const workers = new Set(federation.fetches.map(({ station }) => station))
        assert.deepEqual([...workers].toSorted(), IDS, 'all of them had a part in it')
      })
    }

    test('every URL is fetched by exactly one station, whatever becomes of messages and hosts', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ steps, fares, mode, seed }) => {
          const web = linkedWeb({ hosts: HOSTS, pages: PAGES, seed })
          const federation = await TestFederation.open(engine, { ids: IDS, web, mode })
          federation.deliver = () => fares.next().value
          await federation.start('a')
          for (const each of steps) await take(federation, each)
          await federation.drain()
          await federation.assertSound()
          assertWhole(federation)
          assert.deepEqual(fetchedTwice(federation), [])
        }),
        { numRuns, seed: 20_261_115, endOnFailure: true },
      )
    })

    test('after the loss of a station only what it had not announced is fetched again, and nothing is lost', async () => {
      const losses = fc.record({ history, after: fc.nat(40), lost: fc.constantFrom(...IDS) })
      await fc.assert(
        fc.asyncProperty(losses, async ({ history: { steps, fares, mode, seed }, after, lost }) => {
          const web = linkedWeb({ hosts: HOSTS, pages: PAGES, seed })
          const federation = await TestFederation.open(engine, { ids: IDS, web, mode })
          federation.deliver = () => fares.next().value
          const survivor = IDS.find((id) => id !== lost)!
          await federation.start(survivor)
          for (const each of steps.slice(0, after)) await take(federation, each)
          const announced = await federation.lose(lost)
          const done = federation.fetches.filter(({ station }) => station === lost)
          for (const each of steps.slice(after)) await take(federation, each)
          await federation.drain()
          await federation.assertSound()
          assertWhole(federation)
          const unannounced = new Set(
            done.map(({ url }) => url).filter((url) => !announced.has(url)),
          )
          const again = fetchedTwice(federation).filter((url) => !unannounced.has(url))
          assert.deepEqual(again, [], 'what was announced is not fetched again')
        }),
        { numRuns, seed: 20_261_115, endOnFailure: true },
      )
    })
  })
}
