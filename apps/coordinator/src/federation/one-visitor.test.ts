// Goal: no host and no machine is ever dialled by agents of two stations, whichever station is
// suspended, cut off or back. Method: three whole stations on virtual time, agents that hold their
// blocks as long as the rules allow, a seeded random generator that stops stations and wakes them,
// and an observer of all of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SILENCE_MS, type LeaseResponse, type HeartbeatResponse, type Block } from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import type { TestStation } from '../../test/station-fixture.ts'
import { linkedWeb, TestFederation } from '../../test/federation/federation-fixture.ts'

const STEP_MS = 500
const PASSING_MS = process.env['MINGA_LONG'] === '1' ? 600_000 : 110_000
const SITES = 10
const web = linkedWeb(SITES, 6)

/** Two sites share a machine each. */
const addressesOf = (name: string): string[] => {
  const number = Number(/\d+/.exec(name)?.[0] ?? 0)
  return [`93.184.200.${number >> 1}`]
}

/** An agent as its rules make it: it dials while its block holds and its last answered beat is young. */
class Watched {
  readonly station: TestStation
  block: Block | null = null
  #heardAt = -Infinity

  constructor(station: TestStation) {
    this.station = station
  }

  /** The machines it may dial at this moment. */
  mayDial(now: number): string[] {
    if (this.block === null || now - this.#heardAt >= SILENCE_MS) return []
    return this.block.hosts.map(({ address }) => address)
  }

  async beat(now: number): Promise<void> {
    const fences = this.block === null ? [] : [this.block.fence]
    const { status, body } = await this.station.agent('beat', { progress: now, fences })
    if (status !== 200) return this.#start(now)
    this.#heardAt = now
    if ((body as HeartbeatResponse).ended.length > 0) this.block = null
  }

  async #start(now: number): Promise<void> {
    this.block = null
    await this.station.hello()
    this.#heardAt = now
  }

  /** Asks when it has nothing, and without waiting. */
  async ask(): Promise<void> {
    if (this.block !== null) return
    const asked = this.station.agent('ask', { requestsMax: 4, hostsMax: 3 })
    const isOver = asked.then(() => true)
    const soon = new Promise<false>((resolve) => setTimeout(() => resolve(false), 20))
    if (!(await Promise.race([isOver, soon]))) {
      // This clock is not advanced in the meantime: the request ends when the station's time
      // continues.
      void asked.then((said) => this.#take(said.body as LeaseResponse))
      return
    }
    this.#take((await asked).body as LeaseResponse)
  }

  #take({ block }: LeaseResponse): void {
    if (block) this.block ??= block
  }

  async send(): Promise<number> {
    const { block } = this
    if (block === null) return 0
    this.block = null
    const parcels = this.station.fetch(block, web)
    await this.station.send(parcels)
    return parcels.length
  }
}

test('whichever station is suspended, cut off or back, no machine is visited for two stations', async () => {
  const random = seededRandom(5)
  const federation = new TestFederation()
  const names = ['Lima', 'Quito', 'Cusco']
  const stations = await federation.found(names, { addressesOf })
  const agents = stations.map((station) => new Watched(station))
  const seeds = Object.keys(web).filter((url) => url.endsWith('/0'))
  await stations[1]!.collect({ seeds, scope: 'any', delayMs: 0 })
  const wakeAt = new Map<TestStation, number>()
  let sent = 0
  let stops = 0
  let now = 0
  for (; now < PASSING_MS; now += STEP_MS) {
    if (random.chance(0.03)) stations[0]!.federation.context.mapPlan.wish()
    await federation.pass(STEP_MS)
    for (const [station, at] of wakeAt) {
      if (now < at || federation.asleep.size === stations.length) continue
      wakeAt.delete(station)
      await federation.wake(station)
    }
    const sleeper = random.pick(stations)
    if (random.chance(0.02) && federation.asleep.size < 2 && !federation.asleep.has(sleeper)) {
      stops++
      wakeAt.set(sleeper, now + 2_000 + random.integer(58_000))
      await federation.kill(sleeper)
    }
    for (const agent of agents) {
      // Agents of a station that stands still go on by themselves, but hear nothing.
      if (federation.asleep.has(agent.station)) continue
      await agent.beat(now)
      if (random.chance(0.3)) sent += await agent.send()
      await agent.ask()
    }
    const visitors = Map.groupBy(
      agents.flatMap((agent, i) =>
        agent.mayDial(now).map((address) => ({ address, name: names[i]! })),
      ),
      ({ address }) => address,
    )
    for (const [address, visits] of visitors) {
      const by = new Set(visits.map(({ name }) => name))
      assert.ok(by.size <= 1, `${address} is visited for ${[...by].join(' and ')} at ${now}`)
    }
  }
  assert.ok(stops >= 4 && sent > 40, `${stops} stops, ${sent} results`)
})
