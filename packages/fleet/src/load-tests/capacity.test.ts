// Goal: the estimated number of visitors is near the true one, and the interval says honestly how
// sure that is. Method: queues whose percentiles are known exactly, several seeds; edges by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LatencyHistogram } from '@minga/protocol'
import { capacityOf, capacitySentence } from './capacity.ts'
import { nextVisitors, type StepVerdict } from './plan.ts'
import { exactP95Ms, visited, type QueueSite } from '../../test/load-tests/queue-fixture.ts'
import { doesBear, type StepFigures } from './step-figures.ts'

const CRITERION = { p95Ms: 500, errorRate: 0.01 }

function kneeOf(site: QueueSite): number {
  let [borne, unborne] = [0, 400]
  while (unborne - borne > 1) {
    const middle = Math.round((borne + unborne) / 2)
    if (exactP95Ms(site, middle) <= CRITERION.p95Ms) borne = middle
    else unborne = middle
  }
  return borne
}

function tested(site: QueueSite, visitorsMax: number, seed: number): StepFigures[] {
  const steps: StepFigures[] = []
  const verdicts: StepVerdict[] = []
  for (;;) {
    const visitors = nextVisitors({ visitorsMax }, verdicts)
    if (visitors === null) return steps
    const step = visited({ site, visitors, durationMs: 30_000, seed: seed * 1_000 + visitors })
    steps.push(step)
    verdicts.push({ visitors, doesBear: doesBear(step, CRITERION), isHeldBack: false })
  }
}

const SITES: Record<string, QueueSite> = {
  'one slow server': { servers: 1, serviceMs: 60, thinkMs: 500 },
  'eight servers': { servers: 8, serviceMs: 100, thinkMs: 1_000 },
  'forty servers and no time to think': { servers: 40, serviceMs: 100, thinkMs: 10 },
}

for (const [name, site] of Object.entries(SITES)) {
  test(`the estimate for ${name} is within 20 % of the queue's exact knee`, () => {
    const knee = kneeOf(site)
    for (let seed = 1; seed <= 5; seed++) {
      const capacity = capacityOf(tested(site, 1_000, seed), CRITERION)!
      const error = Math.abs(capacity.visitors - knee) / knee
      assert.ok(error <= 0.2, `seed ${seed}: ${capacity.visitors} instead of ${knee}`)
      assert.ok(capacity.low <= capacity.visitors && !capacity.isAtLeast)
      assert.ok(capacity.high === null || capacity.high > capacity.visitors)
    }
  })
}

test('a site that bore all that came is said to bear at least so many', () => {
  const site = { servers: 100, serviceMs: 20, thinkMs: 1_000 }
  const capacity = capacityOf(tested(site, 16, 1), CRITERION)!
  assert.deepEqual([capacity.visitors, capacity.isAtLeast, capacity.high], [16, true, null])
  assert.match(capacitySentence(capacity, CRITERION), /at least 16 simultaneous visitors/)
})

function stepOf(visitors: number, change: Partial<StepFigures> = {}): StepFigures {
  const latencies = new LatencyHistogram()
  for (let i = 0; i < 1_000; i++) latencies.add(100)
  return {
    visitors,
    countedMs: 10_000,
    requests: 1_000,
    perSecond: 100,
    bytes: 0,
    errors: {},
    latencies: latencies.buckets(),
    isHeldBack: false,
    ...change,
  }
}

test('errors alone find the edge, however fast they come', () => {
  const capacity = capacityOf([stepOf(8), stepOf(16, { errors: { '5xx': 200 } })], CRITERION)!
  assert.ok(capacity.visitors >= 8 && capacity.visitors < 10)
  assert.equal(capacity.high, 16)
})

test('visitors whom a ceiling kept waiting count for nothing', () => {
  const capacity = capacityOf([stepOf(8), stepOf(16, { isHeldBack: true })], CRITERION)!
  assert.deepEqual([capacity.visitors, capacity.isAtLeast], [8, true])
})

test('a site that fails its first visitor bears none, and nothing measured is nothing said', () => {
  assert.equal(
    capacityOf([stepOf(1, { errors: { '5xx': 1_000 }, latencies: [] })], CRITERION)!.visitors,
    0,
  )
  assert.equal(capacityOf([], CRITERION), null)
  assert.match(capacitySentence(null, CRITERION), /^Nothing was measured/)
})
