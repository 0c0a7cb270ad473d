// Goal: frequencies, groups and group figures equal the published ones where arithmetic determines
// them, with the corrected ones next to them. Method: the twenty published counts, and the simple
// rule simulated.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { dayChance, lostByDay, lostWithin, type DayTally } from './days.ts'
import { frequencyOf, groupOf } from './frequency.ts'
import { groupTable, type GroupSite } from './group-table.ts'
import { observationOf, siteMetrics, sumObservations } from './site-metrics.ts'

const DAYS = 241
/** Changed days of the twenty universities, in the order of the list. */
const CHANGED = [
  137, 123, 118, 119, 117, 124, 110, 121, 116, 120, 112, 109, 121, 108, 125, 121, 134, 123, 126,
  124,
]
const alphaOf = (changed: number): number[] =>
  Array.from({ length: DAYS }, (_, day) => (day < changed ? 1 : 0))
const near = (actual: number, expected: number, within: number): void =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected} ± ${within}`)

test('Frequency and groups: the twenty published frequencies are exact k/241 and all medium', () => {
  assert.equal(
    CHANGED.reduce((sum, count) => sum + count),
    2_408,
  )
  for (const count of CHANGED) {
    assert.equal(frequencyOf(alphaOf(count)), count / DAYS)
    assert.equal(groupOf(count / DAYS), 'medium')
  }
  near(frequencyOf(alphaOf(137)), 0.5685, 0.00005)
  assert.deepEqual(
    [0, 1, DAYS].map((count) => groupOf(frequencyOf(alphaOf(count)))),
    ['low', 'low', 'high'],
  )
})

test('Frequency and groups: the bounds 0.4 and 0.7 belong to the group above them', () => {
  const frequencies = [0.4, 0.7, 2 / 5, 7 / 10, 96 / 241, 97 / 241, 168 / 241, 169 / 241]
  assert.deepEqual(frequencies.map(groupOf), [
    'medium',
    'high',
    'medium',
    'high',
    'low',
    'medium',
    'medium',
    'high',
  ])
  assert.deepEqual([0.4 - 1e-12, 0.7 - 1e-12].map(groupOf), ['low', 'medium'])
  // Shares of whole days land on the bounds exactly, whatever the number of days.
  for (let days = 10; days <= 4_000; days += 10) {
    assert.equal(groupOf((days * 4) / 10 / days), 'medium')
    assert.equal(groupOf((days * 7) / 10 / days), 'high')
  }
  assert.equal(groupOf(frequencyOf([])), 'low')
})

/** Sums to `total`, each within its own most: what the sites of the published table had is lost. */
function shared(total: number, mosts: readonly number[]): number[] {
  const all = mosts.reduce((sum, most) => sum + most)
  const parts = mosts.map((most) => Math.floor((most * total) / all))
  let left = total - parts.reduce((sum, part) => sum + part)
  for (let i = 0; left > 0; i++, left--) parts[i]!++
  return parts
}

test('Group metrics: 902 lost, 2,981 calls and 2,408 changes give 573 unnecessary as published and 1,475 wasted', () => {
  const lost = shared(902, CHANGED)
  const visits = shared(2_981, CHANGED)
  const sites = CHANGED.map((occurred, i): GroupSite => {
    const versions = occurred - lost[i]!
    return {
      days: DAYS,
      spanDays: DAYS,
      occurred,
      lost: lost[i]!,
      visits: visits[i]!,
      versions,
      frequency: occurred / DAYS,
      behaviour: i === 0 ? 'seasonal' : null,
    }
  })
  const [high, medium, low] = groupTable(sites)
  assert.equal(high!.sites + low!.sites, 0)
  const { meanFrequency, lostShare, unnecessaryShare, lostOfChanges, wasteOfVisits, ...whole } =
    medium!
  assert.deepEqual(whole, {
    group: 'medium',
    intervalHours: 5_784,
    sites: 20,
    lost: 902,
    visits: 2_981,
    changes: 2_408,
    unnecessary: 2_981 - 2_408,
    waste: 2_981 - (2_408 - 902),
    behaviours: { steady: 0, rare: 0, seasonal: 1, 'without pattern': 0 },
  })
  assert.deepEqual([whole.unnecessary, whole.waste], [573, 1_475])
  near(meanFrequency, 0.4996, 0.00005)
  near(lostShare, 0.187, 0.0005)
  near(unnecessaryShare, 0.119, 0.0005)
  near(lostOfChanges, 0.375, 0.0005)
  near(wasteOfVisits, 0.495, 0.0005)
})

/** Come again a day later than last time when nothing changed, tomorrow when something did. */
function simpleRule(alpha: readonly number[]): GroupSite {
  let [visits, caught] = [0, 0]
  for (let [day, step] = [0, 1]; day < alpha.length; day += step) {
    visits++
    caught += alpha[day]!
    step = alpha[day] === 1 ? 1 : Math.min(step + 1, 30)
  }
  const occurred = alpha.reduce((sum, bit) => sum + bit, 0)
  const frequency = frequencyOf(alpha)
  return {
    days: DAYS,
    spanDays: DAYS,
    occurred,
    lost: occurred - caught,
    visits,
    versions: caught,
    frequency,
    behaviour: null,
  }
}

test('Group metrics: ten sites that never change cost 210 calls, ten that always do cost 2,410 and lose nothing', () => {
  const never = Array.from({ length: 10 }, () => simpleRule(alphaOf(0)))
  const always = Array.from({ length: 10 }, () => simpleRule(alphaOf(DAYS)))
  const [high, medium, low] = groupTable([...never, ...always])
  const figures = (row: typeof high) => {
    const { sites, visits, changes, lost, unnecessary, waste } = row!
    return { sites, visits, changes, lost, unnecessary, waste }
  }
  assert.deepEqual(figures(low), {
    sites: 10,
    visits: 210,
    changes: 0,
    lost: 0,
    unnecessary: 210,
    waste: 210,
  })
  near(low!.unnecessaryShare, 0.087, 0.0005)
  assert.deepEqual(figures(high), {
    sites: 10,
    visits: 2_410,
    changes: 2_410,
    lost: 0,
    unnecessary: 0,
    waste: 0,
  })
  assert.deepEqual([high!.meanFrequency, low!.meanFrequency, medium!.sites], [1, 0, 0])
})

test('Group metrics: the six figures of UNET follow from its days, visits and states kept', () => {
  const unet = { days: DAYS, seen: 88, lost: 49, visits: 157, versions: 88, storedBytes: 779e6 }
  const { generatedBytes, frequency, ...rest } = siteMetrics(unet)
  assert.deepEqual(rest, { lost: 49, occurred: 137, storedBytes: 779e6, visits: 157 })
  near(frequency, 0.5685, 0.00005)
  // Printed: 1,231.4 MB. A state of the printed total is 9.0 MB, one of the stored total 8.9.
  near(generatedBytes / 1e6, 1_231.4, 20)
})

const visit = (day: number, more: Partial<DayTally> = {}): DayTally => ({
  day,
  visits: 1,
  changes: 0,
  versions: 0,
  storedBytes: 0,
  failures: 0,
  ...more,
})

test('days between visits lose nothing before an unchanged one and share the loss before a changed one', () => {
  const found = lostByDay([visit(10), visit(13), visit(17, { changes: 1 })], 0.5)
  assert.deepEqual(
    found.map(({ day, lost }) => [day, lost > 0]),
    [
      [10, false],
      [13, false],
      [14, true],
      [15, true],
      [16, true],
      [17, false],
    ],
  )
  const lost = found.reduce((sum, day) => sum + day.lost, 0)
  near(lost, lostWithin(4, dayChance(0.5)), 1e-9)
  near(lostWithin(4, 1), 3, 1e-9)
  near(lostWithin(4, 1e-9), 0, 1e-6)
  assert.deepEqual([lostWithin(4, 0), lostWithin(1, 1), lostWithin(0, 0.5)], [0, 0, 0])
})

test('a day on which every visit failed neither clears the days before it nor ends the gap', () => {
  const failed = visit(12, { visits: 0, failures: 3 })
  const found = lostByDay([visit(10), failed, visit(14, { changes: 1 })], 1)
  assert.deepEqual(
    found.map(({ day, failures, lost }) => [day, failures, lost > 0]),
    [
      [10, 0, false],
      [11, 0, true],
      [12, 3, true],
      [13, 0, true],
      [14, 0, false],
    ],
  )
  assert.equal(observationOf(found, 5).visits, 5)
})

test('a loss is never below nothing nor above the days it may have happened on', () => {
  const cases = fc.record({
    gaps: fc.array(fc.record({ days: fc.integer({ min: 1, max: 60 }), changed: fc.boolean() })),
    rate: fc.double({ min: 0, max: 500, noNaN: true }),
  })
  fc.assert(
    fc.property(cases, ({ gaps, rate }) => {
      let day = 0
      const tallies = [
        visit(0),
        ...gaps.map((gap) => visit((day += gap.days), { changes: Number(gap.changed) })),
      ]
      const site = observationOf(lostByDay(tallies, rate), day + 1)
      const { frequency, lost, occurred } = siteMetrics(site)
      const most = gaps.reduce((sum, gap) => sum + (gap.changed ? gap.days - 1 : 0), 0)
      assert.ok(lost >= 0 && lost <= most + 1e-6, `${lost} of ${most}`)
      assert.equal(site.seen, gaps.filter(({ changed }) => changed).length)
      assert.ok(frequency >= 0 && frequency <= 1 && occurred >= site.seen)
    }),
    { seed: 4 },
  )
})

test('observations of several URLs add up, and the frequency is the mean over their days', () => {
  const one = { days: 10, seen: 5, lost: 0, visits: 10, versions: 6, storedBytes: 60 }
  const two = { days: 30, seen: 1, lost: 2, visits: 5, versions: 2, storedBytes: 40 }
  const sum = sumObservations([one, two])
  assert.deepEqual(sum, { days: 40, seen: 6, lost: 2, visits: 15, versions: 8, storedBytes: 100 })
  assert.equal(siteMetrics(sum).frequency, 0.2)
  assert.equal(siteMetrics(sum).generatedBytes, 125)
})
