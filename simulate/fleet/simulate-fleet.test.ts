// Goal: the simulated fleet is the real frontier under virtual time, repeatable, polite, and its findings
// come out of the model. Method: reduced experiments on a real store; every claim is a comparison of runs
// under the same weather (MINGA_LONG=1: more addresses and seeds).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STRATEGIES } from '@minga/frontier'
import { mixedFleet, thesisFleet } from './experiments.ts'
import { fleetSimulation } from './fleet-main.ts'
import { meanTime, meanTimeOfMost, repeated, simulated } from './simulator-fixture.ts'

const IS_LONG = process.env['MINGA_LONG'] === '1'
const SEEDS = IS_LONG ? 10 : 2
/** For what must hold in every run, not on average. */
const SEEDS_OF_RULES = IS_LONG ? 10 : 1
const URLS = IS_LONG ? 1_000 : 150

const DIRECT = { isDirect: true, machines: thesisFleet(1) }

test('Experiments: the same seed gives the same simulation byte for byte, and another seed another', async () => {
  const scenario = JSON.stringify({
    seeds: 2,
    urls: { D1: 5, D2: 20, D3: 20 },
    threads: [4],
    blocks: [1, 8],
    agents: [0, 3],
    strategies: ['nearest', 'fastest'],
  })
  const options = { seed: 3, scale: null, perAgentDelay: true }
  const first = await fleetSimulation(scenario, options)
  assert.deepEqual(await fleetSimulation(scenario, options), first)
  const [one, other] = [await simulated({ seed: 1 }), await simulated({ seed: 2 })]
  assert.notDeepEqual(one, other)
  assert.deepEqual(
    first.files.map(({ name }) => name),
    [
      'fleet.csv',
      'threads.svg',
      'blocks.svg',
      'blocks-reply.svg',
      'agents-d1.svg',
      'agents-d1-most.svg',
      'agents-d2.svg',
      'agents-d2-most.svg',
      'agents-d3.svg',
      'agents-d3-most.svg',
      'strategies-d1.svg',
      'strategies-d1-most.svg',
      'strategies-d2.svg',
      'strategies-d2-most.svg',
      'strategies-d3.svg',
      'strategies-d3-most.svg',
      'countries.svg',
    ],
  )
})

test('every row of the report has an interval over its seeds', async () => {
  const scenario = JSON.stringify({
    experiments: ['agents'],
    dataSets: ['D2'],
    agents: [0, 2],
    urls: { D2: 80 },
  })
  const { json, text, files } = await fleetSimulation(scenario, {
    seed: 1,
    scale: null,
    perAgentDelay: false,
  })
  const { rows } = JSON.parse(json) as { rows: { makespanS: { halfWidth: number; n: number } }[] }
  assert.equal(rows.length, 2)
  assert.ok(rows.every(({ makespanS }) => makespanS.n === 5 && makespanS.halfWidth > 0))
  assert.match(text, /2 agents beat the direct machine/)
  assert.equal(files[0]!.content.trimEnd().split('\n').length, 3)
})

test('on D2 two agents beat the machine that fetches directly, which the thesis never did', async () => {
  const direct = await repeated({ ...DIRECT, urls: URLS }, SEEDS)
  const fleet = await repeated({ machines: thesisFleet(2), urls: URLS }, SEEDS)
  for (const [i, result] of fleet.entries()) {
    assert.ok(result.makespanS < direct[i]!.makespanS, `seed ${i + 1}`)
  }
})

test('one agent alone costs little more time than fetching directly: the station is not the limit', async () => {
  const direct = meanTime(await repeated({ ...DIRECT, urls: URLS }, SEEDS))
  const alone = await repeated({ machines: thesisFleet(1), urls: URLS }, SEEDS)
  assert.ok(meanTime(alone) < 1.25 * direct)
  assert.ok(
    alone.every(({ stationBusyS, makespanS }) => stationBusyS > 0 && stationBusyS < makespanS / 20),
  )
})

test('on D1 no number of agents beats the direct machine while the delay is kept by the whole fleet', async () => {
  const d1 = { dataSet: 'D1' as const, urls: 30 }
  const direct = meanTime(await repeated({ ...d1, ...DIRECT }, SEEDS))
  for (const count of [2, 7]) {
    const fleet = await repeated({ ...d1, machines: thesisFleet(count) }, SEEDS)
    assert.ok(meanTime(fleet) > 0.95 * direct, `${count} agents`)
    assert.ok(
      fleet.every(({ leastGapMs, peakPerHost }) => leastGapMs >= 1_000 && peakPerHost === 1),
    )
  }
})

test('with a delay of each agent alone k agents beat it on D1, but never the floor of n seconds over k', async () => {
  const d1 = { dataSet: 'D1' as const, urls: 60 }
  const direct = meanTime(await repeated({ ...d1, ...DIRECT }, SEEDS))
  for (const count of [2, 4]) {
    const bent = { ...d1, machines: thesisFleet(count), perAgentDelay: true }
    const time = meanTime(await repeated(bent, SEEDS))
    assert.ok(time < direct, `${count} agents take ${time} s, the direct machine ${direct} s`)
    assert.ok(time > d1.urls / count)
  }
})

test('fastest beats least-busy on agents of different strength, because it learns who is slow', async () => {
  for (const [dataSet, urls] of [
    ['D1', 30],
    ['D2', 2 * URLS],
    ['D3', 2 * URLS],
  ] as const) {
    const run = { dataSet, urls, machines: mixedFleet() }
    // Without the last addresses of D2 and D3: those wait for the timeouts of a few requests.
    const timeOf = dataSet === 'D1' ? meanTime : meanTimeOfMost
    const fastest = timeOf(await repeated({ ...run, strategy: 'fastest' }, SEEDS))
    const leastBusy = timeOf(await repeated({ ...run, strategy: 'least-busy' }, SEEDS))
    assert.ok(fastest < leastBusy, `${dataSet}: fastest ${fastest} s, least-busy ${leastBusy} s`)
  }
})

test('on agents of different strength democratic is last: it waits for its slowest member', async () => {
  const run = { urls: URLS, machines: mixedFleet() }
  const democratic = await repeated({ ...run, strategy: 'democratic' }, SEEDS)
  for (const strategy of ['least-busy', 'nearest'] as const) {
    const time = meanTime(await repeated({ ...run, strategy }, SEEDS))
    assert.ok(time < meanTime(democratic), `${strategy} takes ${time} s`)
  }
  const shares = Object.values(democratic[0]!.fetched)
  assert.ok(Math.max(...shares) < 1.5 * Math.min(...shares), 'and all do about the same')
})

test('an agent that fetches, asks and sends side by side needs less time than one that does it in turn', async () => {
  for (const block of [8, 16, 32]) {
    const machines = thesisFleet(1).map((spec) => ({ ...spec, inHand: block }))
    const one = { machines, urls: URLS }
    const inTurn = await simulated({ ...one, mode: 'sequential' })
    const sideBySide = await simulated({ ...one, mode: 'concurrent' })
    assert.ok(sideBySide.makespanS < inTurn.makespanS, `block ${block}`)
  }
})

test('more threads help until the processor is full', async () => {
  const timeOf = async (threads: number): Promise<number> => {
    const machines = thesisFleet(1).map((spec) => ({ ...spec, threads, fetchCpuMs: 90 }))
    return meanTime(await repeated({ isDirect: true, machines, urls: 4 * URLS }, 2))
  }
  const [one, sixteen, more, most] = [
    await timeOf(1),
    await timeOf(16),
    await timeOf(64),
    await timeOf(128),
  ]
  assert.ok(sixteen < one / 10)
  assert.ok(Math.abs(more - most) < 0.05 * more)
  assert.ok(more > 0.6 * sixteen)
})

test('every address ends exactly once, hosts are left in peace, and hardly any work is taken from agents that are alike', async () => {
  for (const strategy of ['democratic', 'least-busy', 'fastest'] as const) {
    const result = await simulated({
      dataSet: 'D2',
      urls: URLS,
      machines: thesisFleet(3),
      strategy,
    })
    assert.equal(result.peakPerHost, 1)
    assert.ok(result.leastGapMs >= 1_000)
    assert.ok(result.stale <= URLS / 200, `${result.stale} came after their lease`)
    const fetched = Object.values(result.fetched).reduce((sum, n) => sum + n, 0)
    assert.ok(fetched >= 2 * URLS && fetched < 2.2 * URLS, 'a robots.txt and a page, few again')
  }
})

test('no host sees two requests at once, also where the hosts of stragglers are given to others', async () => {
  const machines = mixedFleet().map((spec) =>
    // So slow that its leases are ended while a response is under way, often for 40 s.
    spec.slowness === 4 ? { ...spec, slowness: 16 } : spec,
  )
  for (const strategy of STRATEGIES) {
    const results = await repeated(
      { dataSet: 'D3', urls: URLS, machines, strategy },
      SEEDS_OF_RULES,
    )
    const lost = results.reduce((sum, { stale }) => sum + stale, 0)
    assert.ok(lost > 0, `${strategy}: leases were lost`)
    for (const { peakPerHost, leastGapMs } of results) {
      assert.equal(peakPerHost, 1, strategy)
      assert.ok(leastGapMs >= 1_000, `${strategy}: a host was left ${leastGapMs} ms`)
    }
  }
})
