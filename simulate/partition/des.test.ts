// Goal: a simulated crawl fetches everything once, politely and repeatably, whatever befalls it. Method: a web of
// 25,000 pages, and half of it with every allocator, pause and weather; what servers saw is counted apart from the crawl.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { densityDelayMs } from '@minga/frontier'
import { ALLOCATORS } from './allocators.ts'
import { DISTURBANCES, type Cell } from './cells.ts'
import type { CrawlResult } from './crawl-rules.ts'
import { SeedExperiments } from './seed-experiments.ts'
import { POLITENESS } from './pause.ts'
import { thesisRules } from './workload.ts'

const RULES = thesisRules(0.02)
const experiments = new SeedExperiments(RULES, 1)
/** Where all combinations are tried and none is compared with another. */
const SMALL_RULES = thesisRules(0.01)
const small = new SeedExperiments(SMALL_RULES, 1)
const PLAIN: Cell = {
  allocator: 'minga',
  politeness: 'adjusted',
  source: 'rtt',
  k: 6,
  unit: 'address',
  weather: 'calm',
}

function assertWhole(result: CrawlResult, what: string): void {
  assert.equal(result.fetched + result.failed, SMALL_RULES.pages, what)
  assert.equal(result.hostViolations + result.addressViolations, 0, what)
}

test('DES simulator: the same seed gives the same crawl, another seed another', () => {
  for (const weather of DISTURBANCES) {
    const cell = { ...PLAIN, weather }
    const again = new SeedExperiments(SMALL_RULES, 1)
    assert.deepEqual(again.crawl(cell), small.crawl(cell), weather)
  }
  assert.notDeepEqual(new SeedExperiments(SMALL_RULES, 2).crawl(PLAIN), small.crawl(PLAIN))
})

test('DES simulator: every allocator fetches every page once, whichever robot leaves, is lost or was unknown', () => {
  for (const allocator of ALLOCATORS) {
    for (const weather of DISTURBANCES) {
      const result = small.crawl({ ...PLAIN, allocator, weather })
      assertWhole(result, `${allocator}, ${weather}`)
      if (weather !== 'lossy') assert.equal(result.failed, 0, `${allocator}, ${weather}`)
    }
  }
})

test('Politeness 3 modes: no server is asked early or by two robots at once, in any mode, unit or weather', () => {
  for (const politeness of POLITENESS) {
    for (const unit of ['host', 'address'] as const) {
      for (const weather of ['calm', 'churn', 'lossy'] as const) {
        for (const allocator of ['hash-url', 'minga'] as const) {
          const cell = { ...PLAIN, allocator, politeness, unit, weather }
          const { hostViolations, addressViolations } = small.crawl(cell)
          assert.equal(hostViolations, 0, JSON.stringify(cell))
          if (unit === 'address') assert.equal(addressViolations, 0, JSON.stringify(cell))
        }
      }
    }
  }
})

test('Politeness 3 modes: who is polite to hosts alone hits addresses early, so the watch does see violations', () => {
  const { addressViolations } = experiments.crawl({ ...PLAIN, unit: 'host' })
  assert.ok(addressViolations > 0)
})

test('Politeness 3 modes: the pause is 15 s for one page and 1 s for the densest host', () => {
  const bounds = { pagesMax: 78_523, maxMs: 15_000, minMs: 1_000 }
  assert.equal(densityDelayMs({ ...bounds, pages: 1 }), 15_000)
  assert.equal(densityDelayMs({ ...bounds, pages: 78_523 }), 1_000)
})

test('DES simulator: no crawl is faster than its densest server allows', () => {
  const floorS = experiments.workload.pageCounts[0]! * 15
  const { makespanS } = experiments.crawl({ ...PLAIN, politeness: 'constant-15', unit: 'host' })
  assert.ok(makespanS >= floorS - 15, `${makespanS} is less than ${floorS}`)
})

test('DES simulator: what is exchanged is what the placement cuts', () => {
  for (const allocator of ['hash-host', 'minga'] as const) {
    const { exchangeShare } = experiments.crawl({ ...PLAIN, allocator, unit: 'host' })
    const placement = experiments.placement({ allocator, k: PLAIN.k })
    assert.ok(Math.abs(exchangeShare - placement.exchangeShare) < 1e-12)
  }
})

test('DES simulator: hashing URLs balances best and exchanges most, hashing addresses balances worst', () => {
  const of = (allocator: Cell['allocator']): CrawlResult =>
    experiments.crawl({ ...PLAIN, allocator, unit: 'host' })
  const [url, host, address] = [of('hash-url'), of('hash-host'), of('hash-address')]
  assert.ok(url.imbalance < host.imbalance && url.imbalance < address.imbalance)
  assert.ok(url.exchangeShare > host.exchangeShare && url.exchangeShare > address.exchangeShare)
})

test('DES simulator: foreign URLs travel in batches, each once per robot that found it', () => {
  const { urlsSent, messages } = experiments.crawl({ ...PLAIN, allocator: 'hash-url' })
  assert.ok(messages * 10 < urlsSent, `${messages} messages for ${urlsSent} URLs`)
  assert.ok(urlsSent <= PLAIN.k * RULES.pages)
})

test('DES simulator: a lost request is asked again and costs time', () => {
  const [calm, lossy] = [
    experiments.crawl(PLAIN),
    experiments.crawl({ ...PLAIN, weather: 'lossy' }),
  ]
  assert.ok(lossy.makespanS > calm.makespanS)
  assert.ok(lossy.failed <= RULES.pages * 1e-4)
})

test('DES simulator: when robots come and go, planning and rendezvous move far less than hashing again', () => {
  const moved = (allocator: Cell['allocator']): number =>
    experiments.crawl({ ...PLAIN, allocator, weather: 'churn' }).movedShare
  const [hash, rendezvous, minga] = [moved('hash-host'), moved('rendezvous'), moved('minga')]
  assert.ok(rendezvous < hash / 2 && minga < hash / 2, `${hash}, ${rendezvous}, ${minga}`)
})

test('DES simulator: an allocator that knows nothing at first and replans on the way exchanges less than hashing', () => {
  const exchanged = (allocator: Cell['allocator']): number =>
    experiments.crawl({ ...PLAIN, allocator, weather: 'unknown' }).exchangeShare
  assert.ok(exchanged('minga') < 0.8 * exchanged('rendezvous'))
})
