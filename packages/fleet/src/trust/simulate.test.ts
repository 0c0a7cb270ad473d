// Goal: liars do not get forgeries served as verified, and honest devices are left in peace.
// Method: 20 simulated devices, 30 % of them liars, on the real rules of trust, several seeds.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AUDIT_FLOOR } from './reputation.ts'
import { FARMING_WAYS } from '../../test/trust/simulate-farming-fixture.ts'
import { simulateFleet, type Character, type Report } from '../../test/trust/simulate-fixture.ts'

const IS_LONG = process.env['MINGA_LONG'] === '1'
const SEEDS = Array.from({ length: IS_LONG ? 15 : 3 }, (_, i) => i + 1)
const ROUNDS = IS_LONG ? 400 : 220
const DYNAMIC_SHARE = 0.02

const honest = Array.from({ length: 14 }, (): Character => ({ lieRate: 0 }))
const liars: Character[] = [
  { lieRate: 0.05 },
  { lieRate: 0.05 },
  { lieRate: 0.3 },
  { lieRate: 1 },
  { lieRate: 0.3, ring: 'friends' },
  { lieRate: 0.3, ring: 'friends' },
]
/** 30 % of the fleet: three pairs of friends that tell each other's lies and come back with new keys; the last pair
 * lies only when it is long proven. */
const pairs = Array.from({ length: 6 }, (_, i): Character => ({
  lieRate: i < 2 ? 0.05 : 0.3,
  ...(i < 4 ? {} : { wakesAt: 0.6 }),
  ring: `pair ${i >> 1}`,
  enrolsAgain: true,
  isFarmed: true,
}))
const sleepers = Array.from({ length: 6 }, (_, i): Character => ({
  lieRate: 0.3,
  wakesAt: 0.6,
  ...(i < 2 ? { ring: 'friends' } : {}),
}))

function run(
  characters: readonly Character[],
  { floor = AUDIT_FLOOR, hasAuditors = true } = {},
): Report[] {
  const usual = { characters, rounds: ROUNDS, dynamicShare: DYNAMIC_SHARE, floor, hasAuditors }
  return SEEDS.map((seed) => simulateFleet({ seed, ...usual }))
}

let pairsRun: Report[] | undefined

/** Two tests judge the same fleet. */
function pairsAndHonest(): Report[] {
  pairsRun ??= run([...honest, ...pairs])
  return pairsRun
}

/** The mean over the seeds and the half-width of its 95 % interval. */
function interval(values: readonly number[]): { mean: number; half: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, half: 1.96 * Math.sqrt(spread / values.length) }
}

function tell(t: TestContext, what: string, values: readonly number[]): void {
  const { mean, half } = interval(values)
  t.diagnostic(`${what}: ${(100 * mean).toFixed(3)} % ± ${(100 * half).toFixed(3)}`)
}

const forgedShare = ({ verified, forged }: { verified: number; forged: number }): number =>
  forged / Math.max(1, verified)

test('Distrust probes: liars at 5, 30 and 100 % and colluding pairs are caught, and the rate decays for honest devices', (t) => {
  const reports = run([...honest, ...liars])
  tell(
    t,
    'forgeries among verified, from the start',
    reports.map((r) => forgedShare(r.all)),
  )
  tell(
    t,
    'forgeries among verified, settled',
    reports.map((r) => forgedShare(r.settled)),
  )
  tell(
    t,
    'verified of all results',
    reports.map((r) => r.all.verified / r.results),
  )
  tell(
    t,
    'extra fetches',
    reports.map((r) => r.fetches / r.results - 1),
  )
  tell(
    t,
    'liars stopped',
    reports.map((r) => r.liarsStopped / r.liars),
  )
  tell(
    t,
    'audit rate of honest devices at the end',
    reports.map((r) => r.honestAuditRate),
  )
  for (const report of reports) {
    assert.ok(forgedShare(report.settled) < 0.001)
    assert.equal(report.honestStopped, 0, 'an honest device was stopped')
    assert.ok(report.honestAuditRate < 1.3 * AUDIT_FLOOR)
    assert.ok(report.honestAuditRate > 0.7 * AUDIT_FLOOR)
  }
  assert.ok(interval(reports.map((r) => r.liarsStopped / r.liars)).mean > 0.95)
})

test('Distrust probes: pairs of friends who vouch for each other, complain and come back with new keys gain nothing', (t) => {
  const reports = pairsAndHonest()
  const accepted = reports.map((r) => r.all.forged / r.results)
  tell(t, 'accepted forgeries of all results', accepted)
  assert.ok(interval(accepted).mean < 0.001)
  for (const report of reports) {
    assert.equal(report.honestStopped, 0, 'an honest device was stopped')
    assert.ok(report.enrolmentsMax <= 2, `${report.enrolmentsMax} devices of one owner`)
  }
  assert.ok(interval(reports.map((r) => r.liarsStopped / r.liars)).mean > 0.95)
})

/** They do honest work, are proven, and earn what can be earned by a client who is their friend. */
const farmers = Array.from({ length: 6 }, (): Character => ({
  lieRate: 0,
  ring: 'farm',
  isFarmed: true,
}))

for (const [what, friends] of [
  ['pairs of liars', pairs],
  ['a ring of honest devices', farmers],
] as const) {
  test(`Distrust probes: ${what} and a client who is their friend earn nothing from the platform, whatever its sites answer`, (t) => {
    const reports = friends === pairs ? pairsAndHonest() : run([...honest, ...friends])
    for (const way of FARMING_WAYS) {
      const { mean, half } = interval(reports.map(({ farmedMicros }) => farmedMicros[way]))
      t.diagnostic(`profit by ${way}: ${mean.toFixed(0)} ± ${half.toFixed(0)} micros`)
      assert.ok(mean + half <= 0, `${mean} ± ${half} by ${way}`)
    }
  })
}

test('Distrust probes: without any auditors, canaries alone find forgers and spare the honest', (t) => {
  const reports = run([...honest, ...liars], { hasAuditors: false })
  tell(
    t,
    'forgeries among verified, settled',
    reports.map((r) => forgedShare(r.settled)),
  )
  tell(
    t,
    'extra fetches',
    reports.map((r) => r.fetches / r.results - 1),
  )
  tell(
    t,
    'liars stopped',
    reports.map((r) => r.liarsStopped / r.liars),
  )
  for (const report of reports) {
    assert.ok(forgedShare(report.settled) < 0.001)
    assert.equal(report.honestStopped, 0, 'an honest device was stopped')
  }
  assert.ok(interval(reports.map((r) => r.liarsStopped / r.liars)).mean > 0.95)
})

test('a device that lies only when it is long proven is stopped after about one forgery per audit share', (t) => {
  for (const floor of IS_LONG ? [0.02, AUDIT_FLOOR, 0.1] : [AUDIT_FLOOR]) {
    const reports = run([...honest, ...sleepers], { floor })
    const forgeries = interval(reports.map((r) => r.all.forged / r.liars))
    const extra = interval(reports.map((r) => r.fetches / r.results - 1))
    t.diagnostic(
      `floor ${floor}: ${forgeries.mean.toFixed(1)} ± ${forgeries.half.toFixed(1)} forgeries verified per sleeper, ${(100 * extra.mean).toFixed(1)} % extra fetches`,
    )
    assert.ok(forgeries.mean < 2 / floor)
    for (const report of reports) {
      assert.equal(report.honestStopped, 0)
      if (floor >= AUDIT_FLOOR) assert.equal(report.liarsStopped, report.liars)
    }
  }
})
