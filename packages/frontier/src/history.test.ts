// Goal: whatever happens in whatever order, counts add up, every URL ends once, no clock is violated
// and the work comes to an end. Method: random histories of agents, sites, deaths and lost answers on
// the real operations of both databases, with a recount of everything after every step.
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../store/test/contract-engines.ts'
import { World, type Happening } from '../test/history-fixture.ts'
import { openStation } from '../test/station-fixture.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const RUNS = { SQLite: LONG ? 400 : 8, PostgreSQL: LONG ? 100 : 3 }

const pick = fc.nat(100)
const agentDoes = (type: 'ask' | 'beat' | 'upload' | 'repeat' | 'restart' | 'forget') =>
  fc.record({ type: fc.constant(type), pick })

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(1_500) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(20_000) }) },
  { weight: 6, arbitrary: agentDoes('ask') },
  { weight: 3, arbitrary: agentDoes('beat') },
  { weight: 4, arbitrary: agentDoes('upload') },
  { weight: 1, arbitrary: agentDoes('repeat') },
  { weight: 1, arbitrary: agentDoes('restart') },
  { weight: 1, arbitrary: agentDoes('forget') },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('dial' as const),
      pick,
      answer: fc.nat(100),
      lastsMs: fc.nat(200),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'sweep' } as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ type: 'pause' } as const, { type: 'resume' } as const),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'finish' } as const) },
)

const history = fc
  .tuple(
    fc.array(happening, { minLength: 30, maxLength: 80 }),
    fc.option(fc.nat(60), { freq: 4, nil: -1 }),
  )
  .map(([events, cancelAt]) => {
    if (cancelAt < 0) return events
    return events.toSpliced(cancelAt, 0, { type: 'cancel' })
  })

for (const engine of ENGINES) {
  describe(`Histories on ${engine.name}`, { skip: engine.skip }, () => {
    test('counts, clocks and outcomes stay true through any history, and it comes to an end', async () => {
      await fc.assert(
        fc.asyncProperty(history, async (events) => {
          const world = new World(await openStation(engine), 'w')
          try {
            await world.open()
            for (const event of events) {
              await world.happen(event)
              await world.check()
            }
            await world.runToTheEnd()
            await world.assertNothingLeft()
          } finally {
            await world.station.store.close()
          }
        }),
        { numRuns: RUNS[engine.name], endOnFailure: !LONG },
      )
    })
  })
}
