// Goal: each strategy gives and steals as spec 0 means it, and no request is lost or handed out
// twice by stealing, switching, coming and going. Method: random histories of a fleet on both
// databases, each step compared with a model on plain arrays.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { TestEngine } from '../../../store/test/contract-engines.ts'
import { FleetModel } from '../../test/placement/fleet-model.ts'
import { fleetsOnEngines, type Fleet } from '../../test/placement/placement-fixture.ts'
import type { Strategy } from './settings.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const RUNS = { SQLite: LONG ? 200 : 4, PostgreSQL: LONG ? 50 : 2 }

const PLACES = ['CL', 'AR', 'DE', 'FR', 'JP', '']
const DEVICES = ['a', 'b', 'c', 'd', 'e']

type Happening =
  | { type: 'hosts'; places: string[] }
  | { type: 'ask'; device: string; wanted: number }
  | { type: 'complete'; device: string; answers: ('good' | 'bad')[] }
  | { type: 'connect' | 'disconnect'; device: string; place: string }
  | { type: 'switch'; strategy: Strategy }

const device = fc.constantFrom(...DEVICES)
const place = fc.constantFrom(...PLACES)

function happening(strategies: readonly Strategy[]): fc.Arbitrary<Happening> {
  const switches: fc.Arbitrary<Happening>[] = strategies.map((strategy) =>
    fc.constant({ type: 'switch', strategy }),
  )
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('hosts' as const),
        places: fc.array(place, { minLength: 1, maxLength: 12 }),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('ask' as const),
        device,
        wanted: fc.integer({ min: 1, max: 6 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('complete' as const),
        device,
        answers: fc.array(fc.constantFrom('good' as const, 'bad' as const), { maxLength: 6 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constantFrom('connect' as const, 'disconnect' as const),
        device,
        place,
      }),
    },
    ...(strategies.length > 1 ? switches : []),
  )
}

const byNumber = (a: number, b: number): number => a - b

/** Lets one thing happen to the fleet and to the model, and compares what came of it. */
class Comparison {
  readonly fleet: Fleet
  readonly model = new FleetModel()

  constructor(fleet: Fleet) {
    this.fleet = fleet
  }

  async happen(event: Happening): Promise<void> {
    const { fleet, model } = this
    if (event.type === 'hosts') {
      const ids = await fleet.addHosts(event.places)
      for (const [i, id] of ids.entries()) model.addHost(id, event.places[i]!)
    } else if (event.type === 'switch') {
      await fleet.strategy(event.strategy)
      model.strategy = event.strategy
    } else if (event.type === 'connect') {
      await fleet.connect(event.device, event.place)
      model.connect(event.device, event.place)
    } else if (model.agents.some((one) => one.device === event.device && one.isConnected)) {
      await this.#agentDoes(event)
    }
    await this.check()
  }

  async #agentDoes(event: Happening & { device: string }): Promise<void> {
    const { fleet, model } = this
    if (event.type === 'disconnect') {
      await fleet.disconnect(event.device)
      model.disconnect(event.device)
    }
    if (event.type === 'complete') {
      await fleet.complete(event.device, event.answers)
      model.complete(event.device, event.answers)
    }
    if (event.type === 'ask') {
      const got = await fleet.ask(event.device, event.wanted)
      const expected = model.ask(event.device, event.wanted)
      assert.deepEqual(got.toSorted(byNumber), expected.toSorted(byNumber), 'what it gets')
      // Stolen turns come victim by victim: results are sent in the order of the block.
      model.agent(event.device).inHand.splice(-got.length, got.length, ...got)
    }
  }

  async check(): Promise<void> {
    const loads = await this.fleet.loads()
    for (const agent of this.model.agents) {
      const load = loads.get(agent.device)!
      assert.deepEqual(
        {
          balance: load.balance,
          assigned: load.assigned,
          due: load.due,
          in_hand: load.in_hand,
          success: load.success.toFixed(9),
        },
        {
          balance: agent.balance,
          assigned: agent.assigned,
          due: agent.queue.length,
          in_hand: agent.inHand.length,
          success: agent.success.toFixed(9),
        },
        `the figures of ${agent.device}`,
      )
    }
    await this.fleet.assertLoadsAddUp()
  }

  /** Everyone works until nothing is left: every host was done exactly once. */
  async finish(): Promise<void> {
    if (this.model.present.length === 0)
      await this.happen({ type: 'connect', device: 'a', place: '' })
    for (let round = 0; round < 200 && (await this.fleet.left()) > 0; round++) {
      for (const { device: name } of this.model.present) {
        await this.happen({ type: 'ask', device: name, wanted: 5 })
        const answers = this.model.agent(name).inHand.map(() => 'good' as const)
        await this.happen({ type: 'complete', device: name, answers })
      }
    }
    assert.equal(await this.fleet.left(), 0, 'nothing is lost')
    const done = this.model.done
    assert.equal(new Set(done).size, done.length, 'nothing is done twice')
    assert.equal(done.length, this.model.countryOf.size)
  }
}

async function compare(
  { engine, openFleet }: { engine: TestEngine; openFleet: () => Promise<Fleet> },
  strategies: readonly Strategy[],
  always?: (comparison: Comparison) => void,
): Promise<void> {
  const history = fc.array(happening(strategies), { minLength: 20, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(history, async (events) => {
      const fleet = await openFleet()
      await fleet.begin()
      const comparison = new Comparison(fleet)
      await comparison.happen({ type: 'switch', strategy: strategies[0]! })
      for (const name of DEVICES.slice(0, 3)) {
        const at = PLACES[DEVICES.indexOf(name)]!
        await comparison.happen({ type: 'connect', device: name, place: at })
      }
      for (const event of events) {
        await comparison.happen(event)
        always?.(comparison)
      }
      await comparison.finish()
    }),
    { numRuns: RUNS[engine.name], endOnFailure: !LONG },
  )
}

for (const on of await fleetsOnEngines()) {
  const { engine } = on
  describe(`Placement on ${engine.name}`, { skip: engine.skip }, () => {
    test('democratic: lifetime counts differ by at most one, no agent steals, and orphans move', async () => {
      await compare(on, ['democratic'], ({ model }) => {
        const counts = model.present.map(({ balance }) => balance)
        if (counts.length === 0) return
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `counts ${counts.join(', ')}`)
      })
    })

    test('less_busy + steal: the fewest unresolved weighed by success gets it, the longest line is stolen from', () =>
      compare(on, ['least-busy']))

    test('geography + steal: the nearest gets it, the nearest with a longer line is stolen from', () =>
      compare(on, ['nearest']))

    test('Run-time strategy switch: nothing is lost or done twice, whatever happens around it', () =>
      compare(on, ['least-busy', 'democratic', 'nearest']))
  })
}
