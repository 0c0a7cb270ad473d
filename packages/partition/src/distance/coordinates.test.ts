// Goal: distances of unmeasured pairs are estimated, with their uncertainty. Method: a synthetic
// world of agents and hosts with detours and access lines, most pairs held back and compared with
// the truth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Coordinates, type Measurement } from './coordinates.ts'
import { BadDistanceInput } from './errors.ts'
import {
  blendRtt,
  learnDistancePrior,
  rttOfDistance,
  USUAL_PRIOR,
  type RttEstimate,
} from './estimate-rtt.ts'
import { greatCircleKm } from './great-circle.ts'
import { leastRttMs, lightCheck, type Witness } from './light-check.ts'
import { medianOf, quantileOf } from './median.ts'
import { World, type Node } from '../../test/distance/world-fixture.ts'

const LISBON = { lat: 38.72, lon: -9.14 }
const TOKYO = { lat: 35.68, lon: 139.69 }
const SYDNEY = { lat: -33.87, lon: 151.21 }
const PARIS = { lat: 48.86, lon: 2.35 }

interface Split {
  measured: Measurement[]
  held: { agent: Node; host: Node; trueMs: number }[]
}

/** Half of the pairs are measured; some of those wildly wrong. */
function splitOf(world: World, wildShare = 0): Split {
  const split: Split = { measured: [], held: [] }
  for (const agent of world.agents) {
    for (const host of world.hosts) {
      const trueMs = world.trueRttMs(agent, host)
      if (world.uniform() < 0.5) split.held.push({ agent, host, trueMs })
      else {
        const rttMs = world.uniform() < wildShare ? 3_000 : trueMs * (1 + 0.1 * world.uniform())
        split.measured.push({ from: agent.name, to: host.name, rttMs })
      }
    }
  }
  return split
}

function relativeErrors(
  held: Split['held'],
  estimate: (agent: Node, host: Node) => RttEstimate,
): number[] {
  return held.map(({ agent, host, trueMs }) => {
    return Math.abs(estimate(agent, host).rttMs - trueMs) / trueMs
  })
}

test('unmeasured pairs are estimated from measured ones', () => {
  const world = new World(12, 200, 7)
  const { measured, held } = splitOf(world)
  const coordinates = new Coordinates()
  coordinates.settle(measured)
  const errors = relativeErrors(held, (a, h) => coordinates.estimate(a.name, h.name)!)
  assert.ok(medianOf(errors) < 0.15, `median error ${medianOf(errors)}`)
})

test('the agent that seems nearest is nearly the nearest, though half of the pairs are unmeasured', () => {
  const sums = { chosen: 0, best: 0, any: 0 }
  for (const seed of [12, 13, 14]) {
    const world = new World(8, 200, seed)
    const coordinates = new Coordinates()
    coordinates.settle(splitOf(world).measured)
    for (const host of world.hosts) {
      const truths = world.agents.map((agent) => world.trueRttMs(agent, host))
      const seems = world.agents.map(
        (agent) => coordinates.estimate(agent.name, host.name)?.rttMs ?? Infinity,
      )
      sums.chosen += truths[seems.indexOf(Math.min(...seems))]!
      sums.best += Math.min(...truths)
      sums.any += truths.reduce((sum, ms) => sum + ms, 0) / truths.length
    }
  }
  assert.ok(sums.chosen < 1.35 * sums.best, JSON.stringify(sums))
  assert.ok(sums.chosen < sums.any / 2, JSON.stringify(sums))
})

test('most truths lie within two of the uncertainties that are stated', () => {
  const world = new World(12, 200, 8)
  const { measured, held } = splitOf(world)
  const coordinates = new Coordinates()
  coordinates.settle(measured)
  const within = held.filter(({ agent, host, trueMs }) => {
    const { rttMs, uncertaintyMs } = coordinates.estimate(agent.name, host.name)!
    return Math.abs(rttMs - trueMs) <= 2 * uncertaintyMs
  })
  assert.ok(within.length / held.length > 0.85, `${within.length} of ${held.length}`)
})

test('one wild time in twenty hardly worsens the estimates', () => {
  const errorsWith = (wildShare: number): number[] => {
    const { measured, held } = splitOf(new World(12, 200, 9), wildShare)
    const coordinates = new Coordinates()
    coordinates.settle(measured)
    return relativeErrors(held, (a, h) => coordinates.estimate(a.name, h.name)!)
  }
  const [calm, wild] = [errorsWith(0), errorsWith(0.05)]
  assert.ok(medianOf(wild) < 1.3 * medianOf(calm), `${medianOf(wild)} after ${medianOf(calm)}`)
  assert.ok(quantileOf(wild, 0.9) < 2 * quantileOf(calm, 0.9))
})

test('the same measurements give the same places, also across a restart', () => {
  const { measured } = splitOf(new World(6, 40, 3))
  const [first, second] = [new Coordinates(5), new Coordinates(5)]
  first.settle(measured, 10)
  second.settle(measured, 10)
  assert.deepEqual(first.snapshot(), second.snapshot())
  const resumed = Coordinates.resume(first.snapshot(), 5)
  for (const measurement of measured) {
    first.observe(measurement)
    resumed.observe(measurement)
  }
  assert.deepEqual(resumed.snapshot(), first.snapshot())
  const broken = { ...first.snapshot(), state: new Float64Array(3) }
  assert.throws(() => Coordinates.resume(broken), BadDistanceInput)
})

test('a host that one agent alone measured is placed with much doubt', () => {
  const { measured } = splitOf(new World(8, 60, 4))
  const coordinates = new Coordinates()
  const lonely: Measurement = { from: 'agent-0', to: 'lonely.example', rttMs: 40 }
  coordinates.settle([...measured, lonely])
  const doubtful = coordinates.estimate('agent-1', 'lonely.example')!
  assert.ok(doubtful.uncertaintyMs > 0.7 * doubtful.rttMs)
  const settled = coordinates.estimate('agent-1', 'host-1.example')!
  assert.ok(settled.uncertaintyMs < 0.7 * settled.rttMs)
})

test('what is no measurement is left out, and who was never measured has no estimate', () => {
  const coordinates = new Coordinates()
  for (const rttMs of [0, -1, NaN, Infinity]) {
    assert.equal(coordinates.observe({ from: 'a', to: 'b', rttMs }), false)
  }
  assert.equal(coordinates.observe({ from: 'a', to: 'a', rttMs: 1 }), false)
  assert.equal(coordinates.estimate('a', 'b'), null)
  coordinates.observe({ from: 'a', to: 'b', rttMs: 30 })
  assert.ok(coordinates.estimate('a', 'b')!.rttMs > 0)
  assert.equal(coordinates.estimate('a', 'c'), null)
})

test('the great circle has the known lengths and needs at least the time of light in glass', () => {
  assert.ok(Math.abs(greatCircleKm(LISBON, PARIS) - 1_453) < 5)
  assert.ok(Math.abs(greatCircleKm(LISBON, TOKYO) - 11_150) < 30)
  assert.equal(greatCircleKm(PARIS, PARIS), 0)
  assert.equal(leastRttMs(1_000), 10)
  assert.equal(leastRttMs(-5), 0)
})

test('a measured median is believed as it is, and nothing known gives no estimate', () => {
  const measured = { rttMs: 12, uncertaintyMs: 0.4 }
  const coordinates = { rttMs: 80, uncertaintyMs: 8 }
  assert.deepEqual(blendRtt({ measured, coordinates }), { ...measured, sources: ['measured'] })
  assert.equal(blendRtt({}), null)
  assert.equal(blendRtt({ measured: null, distance: null }), null)
})

test('the surer estimate weighs more, and estimates that contradict each other are unsure', () => {
  const coordinates = { rttMs: 50, uncertaintyMs: 5 }
  const agreed = blendRtt({ coordinates, route: { rttMs: 52, uncertaintyMs: 10 } })!
  assert.ok(agreed.rttMs > 50 && agreed.rttMs < 51)
  assert.ok(agreed.uncertaintyMs < 5)
  const torn = blendRtt({ coordinates, route: { rttMs: 250, uncertaintyMs: 5 } })!
  assert.ok(torn.uncertaintyMs > 50)
  const doubted = { km: 1_000, errorKm: 20, confidence: 0.1 }
  const believed = { ...doubted, confidence: 0.95 }
  const pull = (distance: typeof doubted): number =>
    Math.abs(blendRtt({ coordinates, distance })!.rttMs - 50)
  assert.ok(pull(doubted) < pull(believed))
})

test('no estimate is faster than light over a distance that is believed', () => {
  const distance = { km: 9_000, errorKm: 100, confidence: 1 }
  const blended = blendRtt({ coordinates: { rttMs: 10, uncertaintyMs: 0.5 }, distance })!
  assert.ok(blended.rttMs >= leastRttMs(8_900))
  assert.deepEqual(blended.sources, ['coordinates', 'distance'])
})

test('the detour of the network is learnt from pairs whose places are known', () => {
  const world = new World(12, 200, 10)
  const pairs = world.agents.flatMap((agent) =>
    world.hosts.map((host) => ({
      km: greatCircleKm(agent, host),
      rttMs: world.trueRttMs(agent, host),
    })),
  )
  const prior = learnDistancePrior(pairs)
  assert.ok(prior.stretch > 1.6 && prior.stretch < 1.9, `${prior.stretch}`)
  assert.ok(prior.spread < USUAL_PRIOR.spread)
  const errorOf = (given: typeof prior): number =>
    medianOf(
      pairs.map(({ km, rttMs }) => {
        const facts = { km, errorKm: 0, confidence: 1 }
        return Math.abs(rttOfDistance(facts, given).rttMs - rttMs) / rttMs
      }),
    )
  assert.ok(errorOf(prior) < errorOf(USUAL_PRIOR))
  assert.deepEqual(learnDistancePrior(pairs.slice(0, 5)), USUAL_PRIOR)
})

test('coordinates blended with distances are better than either, though some places are false', () => {
  const errors = { coordinates: [] as number[], distance: [] as number[], blended: [] as number[] }
  for (const seed of [12, 13, 14]) {
    const world = new World(8, 200, seed)
    const isFalse = world.hosts.map(() => world.uniform() < 0.15)
    const said = new Map(
      world.hosts.map((host, n) => [host, isFalse[n]! ? world.hosts[world.below(200)]! : host]),
    )
    const { measured, held } = splitOf(world)
    const places = new Coordinates()
    places.settle(measured)
    for (const { agent, host, trueMs } of held) {
      const coordinates = places.estimate(agent.name, host.name)
      if (coordinates === null) continue
      const distance = { km: greatCircleKm(agent, said.get(host)!), errorKm: 20, confidence: 0.85 }
      const note = (by: keyof typeof errors, { rttMs }: RttEstimate): number =>
        errors[by].push(Math.abs(rttMs - trueMs) / trueMs)
      note('coordinates', coordinates)
      note('distance', rttOfDistance(distance))
      note('blended', blendRtt({ coordinates, distance })!)
    }
  }
  const [blended, ...others] = [errors.blended, errors.coordinates, errors.distance].map(medianOf)
  assert.ok(
    others.every((other) => blended! < 0.97 * other),
    `${blended}, not ${others.join(' and ')}`,
  )
})

test('an answer that is faster than light refutes the place, or shows that there are several', () => {
  const seen = (agent: string, at: typeof LISBON, rttMs: number): Witness => ({
    agent,
    at,
    rttMs,
    errorKm: 10,
  })
  const inParis = { ...PARIS, errorKm: 50 }
  const honest = [seen('lisbon', LISBON, 35), seen('tokyo', TOKYO, 230)]
  assert.deepEqual(lightCheck(inParis, honest), { kind: 'consistent', witnesses: [] })
  const near = [seen('lisbon', LISBON, 3), seen('tokyo', TOKYO, 230)]
  assert.deepEqual(lightCheck(inParis, near), { kind: 'false-location', witnesses: ['lisbon'] })
  const everywhere = [
    seen('lisbon', LISBON, 3),
    seen('tokyo', TOKYO, 4),
    seen('sydney', SYDNEY, 300),
  ]
  assert.deepEqual(lightCheck(inParis, everywhere), {
    kind: 'anycast',
    witnesses: ['lisbon', 'tokyo'],
  })
  assert.equal(lightCheck(null, near).kind, 'consistent')
})

test('in a world without forged times no node is accused, however the times scatter', () => {
  const world = new World(10, 100, 13)
  for (const host of world.hosts) {
    const witnesses = world.agents.map((agent) => ({
      agent: agent.name,
      at: agent,
      errorKm: 0,
      rttMs: world.probeMs(world.trueRttMs(agent, host)),
    }))
    assert.equal(lightCheck({ ...host, errorKm: 0 }, witnesses).kind, 'consistent')
  }
})
