// Goal: the simulator gives the thesis's published counts, keeps its own contract, and its policies keep theirs.
// Method: series of 241 days as in the thesis, hand-made traces, and small made-up webs.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { policyNamed } from '@minga/forecast'
import { policyOf, revisitSimulation } from './revisit-main.ts'
import { oraclePolicy } from './oracle.ts'
import { randomStream } from './random.ts'
import { regimeTraces, REGIMES } from './regimes.ts'
import { compare } from './simulate-revisit.ts'
import { inObservation, type Trace } from './trace.ts'
import type { PolicyRow } from './report.ts'

const IS_LONG = process.env['MINGA_LONG'] === '1'
const DAY = 86_400_000
/** Visits per URL and day. */
const BUDGETS = [0.1, 0.5, 2]
/** The thesis's observation: days 0 to 240. */
const DAYS = 241

function daily(bits: (day: number) => boolean, days = DAYS, weight = 1): Trace {
  const changes = Array.from({ length: days }, (_, day) => day)
    .filter(bits)
    .map((day) => day * DAY)
  return inObservation({ url: 'site', weight, start: 0, end: days * DAY, changes })
}

function rowsFor(traces: readonly Trace[], names: string[], budget = 1): PolicyRow[] {
  const policies = names.map((name) => policyNamed(name))
  return compare({ traces, policies, budget, seed: 1 }).rows
}

const rowFor = (trace: Trace, name: string): PolicyRow => rowsFor([trace], [name])[0]!

test('Simple predictor: 21 crawls of a site that never changes and 241 of one that always does', () => {
  const never = rowFor(
    daily(() => false),
    'simple',
  )
  assert.deepEqual([never.crawls, never.lost, never.versions, never.redundant], [21, 0, 1, 20])
  const always = rowFor(
    daily(() => true),
    'simple',
  )
  assert.deepEqual([always.crawls, always.lost, always.caught], [241, 0, 241])
})

test('Simple predictor: a burst costs at most one change for each day of the gap but one', () => {
  for (const quiet of [1, 10, 60, 120, 200]) {
    const trace = daily((day) => day >= quiet && day < quiet + 40)
    const { crawls } = rowFor(
      daily((day) => day >= quiet, quiet + 1),
      'simple',
    )
    const { lost } = rowFor(trace, 'simple')
    // After so many visits without change the gap is as many days and one.
    const gapDays = Math.min(30, crawls + 1)
    assert.ok(lost <= gapDays - 1, `${quiet} quiet days: ${lost} lost at a gap of ${gapDays}`)
  }
  const { lost } = rowFor(
    daily((day) => day >= 435, 600),
    'simple',
  )
  assert.ok(lost <= 29, 'at the cap it is 29')
})

test('Fixed comparator: periods of 1, 15 and 30 days give 240, 16 and 8 crawls', () => {
  const trace = daily(() => true)
  const rows = rowsFor([trace], ['fixed:24', 'fixed:360', 'fixed:720'])
  assert.deepEqual(
    rows.map(({ crawls }) => crawls),
    [240, 16, 8],
  )
  assert.deepEqual(
    rows.map(({ lost }) => lost),
    [1, 225, 233],
  )
})

test('Notification variant: on sparse series it loses fewer changes than the simple algorithm', () => {
  const random = randomStream(9)
  const traces = Array.from({ length: 60 }, () => {
    const share = 0.004 + 0.03 * random()
    return daily(() => random() < share)
  })
  const [simple, notified] = rowsFor(traces, ['simple', 'notification'])
  assert.ok(notified!.lost < simple!.lost, `${notified!.lost} against ${simple!.lost} lost`)
  assert.ok(notified!.crawls < 1.5 * simple!.crawls, 'for a modest number of crawls more')
})

test('the groups of the thesis that never and always change cost 210 and 2,410 crawls of ten sites each', () => {
  const ten = (bit: boolean): Trace[] => Array.from({ length: 10 }, () => daily(() => bit))
  assert.equal(rowsFor(ten(false), ['simple'])[0]!.crawls, 210)
  assert.equal(rowsFor(ten(true), ['simple'])[0]!.crawls, 2_410)
})

test('Simulator + console: the same seed gives the same bytes, another seed others', async () => {
  const options = { trace: null, regime: 'mixed', urls: 40, days: 20, budget: 0.5, policies: [] }
  const first = await revisitSimulation({ ...options, seed: 7 })
  const again = await revisitSimulation({ ...options, seed: 7 })
  assert.deepEqual(first, again)
  assert.notEqual(first.json, (await revisitSimulation({ ...options, seed: 8 })).json)
  assert.match(first.svg, /^<svg [^]*<\/svg>\n$/)
  assert.match(first.text, /\* visits as often as it likes/)
})

test('Simulator + console: a real series is replayed from its trace', async () => {
  const line = JSON.stringify({
    url: 'a',
    weight: 3,
    changes: [90_000, 100_000],
    start: 0,
    end: 864_000,
  })
  const options = { regime: 'mixed', urls: 1, days: 1, budget: 1, policies: ['uniform'], seed: 1 }
  const { json } = await revisitSimulation({ ...options, trace: line })
  const [row] = (JSON.parse(json) as { policies: PolicyRow[] }).policies
  const { crawls, changes, caught, lost, versions, weightedVersions, redundant } = row!
  assert.deepEqual(
    { crawls, changes, caught, lost, versions, weightedVersions, redundant },
    { crawls: 10, changes: 2, caught: 1, lost: 1, versions: 2, weightedVersions: 6, redundant: 8 },
  )
  // Stale from the change at 90,000 s to the visit at 172,800 s.
  assert.ok(Math.abs(row!.freshness - (1 - 82_800 / 864_000)) < 1e-12)
  assert.ok(Math.abs(row!.meanAgeHours - 82_800 ** 2 / 2 / 864_000 / 3_600) < 1e-9)
})

test('first visits are at the start, for fixed periods one later, and all are before the end', () => {
  const trace = daily(() => false, 5)
  assert.equal(rowFor(trace, 'fixed:120').crawls, 0)
  assert.equal(rowFor(trace, 'fixed:119').crawls, 1)
  assert.equal(rowFor(trace, 'fixed:24').crawls, 4)
  assert.equal(rowFor(trace, 'uniform').crawls, 5)
})

test('no policy that uses the budget makes more visits than it allows', () => {
  const names = ['random', 'uniform', 'day-type', 'proportional', 'exponential-gap', 'cho', 'azar']
  names.push('lambda-crawl', 'complete-observation', 'minga', 'minga:freshness')
  for (const [i, regime] of REGIMES.entries()) {
    const traces = regimeTraces(regime, { urls: 60, days: 30, seed: 2 })
    for (const budget of IS_LONG ? BUDGETS : [BUDGETS[i % BUDGETS.length]!]) {
      for (const { name, crawls } of rowsFor(traces, names, budget)) {
        assert.ok(crawls <= 60 * 30 * budget, `${regime} ${name}: ${crawls} at ${budget}`)
        const isIdle = crawls < 0.9 * 60 * 30 * budget && name !== 'complete-observation'
        assert.ok(!isIdle, `${regime} ${name} leaves its budget: ${crawls} at ${budget}`)
      }
    }
  }
})

test('a budget below one visit per URL still allows the first', () => {
  const traces = regimeTraces('steady', { urls: 20, days: 10, seed: 1 })
  for (const { name, crawls } of rowsFor(traces, ['uniform', 'minga', 'azar'], 0.05)) {
    assert.equal(crawls, 20, name)
  }
})

test('at the same number of visits minga catches more than random in every regime', () => {
  for (const regime of REGIMES) {
    const traces = regimeTraces(regime, { urls: IS_LONG ? 150 : 75, days: 40, seed: 3 })
    const [random, minga] = rowsFor(traces, ['random', 'minga'], 0.3)
    assert.ok(minga!.crawls <= random!.crawls)
    assert.ok(
      minga!.weightedVersions > 1.1 * random!.weightedVersions,
      `${regime}: ${minga!.weightedVersions} against ${random!.weightedVersions}`,
    )
  }
})

test('pages that change on every fetch get little of the budget', () => {
  const traces = regimeTraces('every-fetch', { urls: 200, days: 40, seed: 5 })
  const { results } = compare({ traces, policies: [policyNamed('minga')], budget: 0.3, seed: 1 })
  const { tallies } = results[0]!
  const sum = (of: (i: number) => number): number => traces.reduce((all, _, i) => all + of(i), 0)
  const noisy = sum((i) => (i % 50 === 0 ? tallies[i]!.crawls : 0)) / sum((i) => tallies[i]!.crawls)
  assert.ok(noisy < 0.08, `${(100 * noisy).toFixed(1)} % of the visits`)
})

test("minga's forecasts come true about as often as they say", () => {
  const traces = regimeTraces('steady', { urls: 300, days: 60, seed: 6 })
  const [row] = rowsFor(traces, ['minga'], 0.5)
  const { brier, baseBrier, rows } = row!.calibration!
  assert.ok(brier < baseBrier, 'better than the base rate')
  for (const { meanChance, changed, forecasts } of rows.filter((bin) => bin.forecasts > 200)) {
    const gap = Math.abs(meanChance - changed)
    assert.ok(gap < 0.1, `said ${meanChance}, came ${changed} in ${forecasts}`)
  }
})

test('Type × volume composition: a policy from a file is a plug-in like any other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-policy-'))
  try {
    const mine = join(folder, 'mine.ts')
    await writeFile(
      mine,
      `export default {
        name: 'every-second-day', usesBudget: false,
        next: (known: unknown, seen: { at: number }) => ({ at: seen.at + 172_800_000, state: null,
          why: { policy: 'mine', rule: 'by taste', chance: null, perDay: null, low: null, high: null, price: null } }),
      }`,
    )
    const policies = [await policyOf(mine)]
    const { rows } = compare({ traces: [daily(() => true, 10)], policies, budget: 1, seed: 1 })
    assert.deepEqual([rows[0]!.name, rows[0]!.crawls], ['every-second-day', 5])
    const empty = join(folder, 'empty.ts')
    await writeFile(empty, 'export const nothing = 1')
    await assert.rejects(policyOf(empty), { code: 'MINGA_BAD_POLICY', message: /by default/ })
    await assert.rejects(policyOf(join(folder, 'none.ts')), { code: 'MINGA_BAD_POLICY' })
    await assert.rejects(policyOf('nonsense'), { code: 'MINGA_UNKNOWN_POLICY', message: /oracle/ })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('notices of a trace are heard by those who can hear, and the others learn from their visits', () => {
  const traces = regimeTraces('steady', { urls: 100, days: 40, seed: 4 })
  const told = traces.map((trace) => ({ ...trace, notices: trace.changes }))
  const [deaf, minga] = rowsFor(told, ['lambda-crawl', 'minga'], 0.3)
  const [alone, polling] = rowsFor(traces, ['lambda-crawl', 'minga'], 0.3)
  assert.equal(deaf!.weightedVersions, alone!.weightedVersions)
  assert.ok(minga!.weightedVersions > 1.1 * polling!.weightedVersions)
  assert.ok(minga!.redundant < 0.1 * polling!.redundant)
})

test('URLs may come and go at times of their own', () => {
  const early = daily(() => true, 10)
  const changes = [25, 26].map((day) => day * DAY)
  const late = inObservation({ url: 'late', weight: 1, start: 20 * DAY, end: 30 * DAY, changes })
  for (const name of ['uniform', 'minga', 'oracle']) {
    const policies = [name === 'oracle' ? oraclePolicy : policyNamed(name)]
    const { results } = compare({ traces: [early, late], policies, budget: 1, seed: 1 })
    const [first, second] = results[0]!.tallies
    assert.ok(
      first!.crawls >= 5 && second!.crawls >= 5,
      `${name}: ${first!.crawls}, ${second!.crawls}`,
    )
    assert.ok(first!.crawls + second!.crawls <= 20)
  }
})

test('the volume of a composed policy hides changes that a trace calls small', () => {
  const changes = Array.from({ length: 10 }, (_, day) => day * DAY)
  const small = {
    url: 'a',
    weight: 1,
    start: 0,
    end: 10 * DAY,
    changes,
    magnitudes: changes.map(() => 0.1),
  }
  const trace = inObservation(small)
  assert.equal(rowFor(trace, 'simple').crawls, 10)
  assert.equal(rowFor(trace, 'simple+volume:0.2').crawls, 4)
})
