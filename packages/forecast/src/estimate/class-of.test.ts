// Goal: pages made to be steady, rare, seasonal or without pattern are called so, with a reason a
// person can check. Method: many seeded pages of each kind, visited as a watcher would.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classOf, kindOf, type PageClass } from './class-of.ts'
import { DAY_MS } from './grid.ts'
import {
  beliefFrom,
  MONDAY,
  randomOf,
  watch,
  workingWeek,
  type WatchedPage,
} from '../../test/estimate/pages-fixture.ts'

type Kind = PageClass['kind']
const PAGES = 40

function classesOf(seed: number, page: Partial<WatchedPage> & { perDay?: number }): PageClass[] {
  const random = randomOf(seed)
  return Array.from({ length: PAGES }, () => classOf(watch(random, page)))
}

function mostly(classes: readonly PageClass[], kind: Kind, reason: RegExp): void {
  const right = classes.filter((found) => found.kind === kind && reason.test(found.reason))
  const others = classes.filter((found) => !right.includes(found)).map((found) => found.reason)
  assert.ok(right.length >= 0.9 * PAGES, `${right.length} of ${PAGES}; ${others.join(' ')}`)
}

const dayOf = (at: number): number => (at - MONDAY) / DAY_MS

test('pages that change at one rate are steady, and the reason names it', () => {
  const daily = { visits: 180, spacing: 'fixed' } as const
  mostly(
    classesOf(51, { ...daily, perDay: 0.8 }),
    'steady',
    /^About one change in .* days?, evenly/,
  )
  mostly(classesOf(52, { ...daily, perDay: 2.5 }), 'steady', /changes a day/)
  mostly(classesOf(53, { perDay: 0.3, everyDays: 3, visits: 60 }), 'steady', /found a change/)
})

test('a page that is new at every visit is steady', () => {
  const classes = classesOf(54, { perDay: 400, visits: 60, spacing: 'fixed' })
  mostly(classes, 'steady', /^Every visit found a change \(60 visits in 60 days\)\.$/)
})

test('pages that change less than twice a month are rare', () => {
  mostly(classesOf(55, { perDay: 0.02, visits: 180 }), 'rare', /days/)
  mostly(
    classesOf(56, { perDay: 0, visits: 60, spacing: 'fixed' }),
    'rare',
    /^No change in 60 days/,
  )
})

test('a working week is seasonal, and the reason names busy and quiet days', () => {
  const classes = classesOf(57, {
    rateAt: workingWeek(2),
    everyDays: 0.5,
    spacing: 'fixed',
    visits: 300,
  })
  mostly(classes, 'seasonal', /times as often on (Mon|Tues|Wednes|Thurs|Fri)days as on S/)
})

test('terms and vacations are seasonal', () => {
  const isTerm = (at: number): boolean => Math.floor(dayOf(at) / 60) % 2 === 0
  const rateAt = (at: number): number => (isTerm(at) ? 1.2 : 0.05)
  const classes = classesOf(58, { rateAt, visits: 365, spacing: 'fixed' })
  mostly(classes, 'seasonal', /^Busy and quiet spells of weeks took turns \d+ times\.$/)
})

test('bursts of a few days at irregular times follow no pattern', () => {
  const random = randomOf(59)
  const classes = Array.from({ length: PAGES }, () => {
    const bursts = Array.from({ length: 12 }, () => random() * 240)
    const rateAt = (at: number): number => {
      return bursts.some((start) => dayOf(at) >= start && dayOf(at) < start + 4) ? 5 : 0.05
    }
    return classOf(watch(random, { rateAt, visits: 240, spacing: 'fixed' }))
  })
  const right = classes.filter(({ kind }) => kind === 'without pattern')
  assert.ok(right.length >= 0.75 * PAGES, `${right.length} of ${PAGES}`)
})

test('a page that turned faster once has no pattern, and while it is new a burst is flagged', () => {
  const rateAt = (at: number): number => (dayOf(at) < 120 ? 0.1 : 2)
  const longAgo = classesOf(60, { rateAt, visits: 200, spacing: 'fixed' })
  mostly(longAgo, 'without pattern', /^It became faster/)
  const lately = classesOf(61, { rateAt, visits: 135, spacing: 'fixed' })
  assert.ok(lately.filter(({ burst }) => burst).length >= 0.9 * PAGES)
  const never = classesOf(62, { perDay: 0.5, visits: 135, spacing: 'fixed' })
  assert.ok(never.filter(({ burst }) => burst).length <= 1)
})

test('too few visits or days, and none at all, are said to be too few', () => {
  for (const visits of [
    [],
    watch(randomOf(63), { visits: 5 }),
    watch(randomOf(64), { visits: 100, everyDays: 0.01 }),
  ]) {
    const { kind, reason, burst } = classOf(visits)
    assert.equal(kind, 'without pattern')
    assert.match(reason, /^Only \d+ visits in \d+ days?: too few to tell\.$|^Only .*too few/)
    assert.equal(burst, false)
  }
})

test('a belief alone gives the same word for steady, rare and weekly pages', () => {
  const daily = { visits: 180, spacing: 'fixed' } as const
  const pages: [Kind, Partial<WatchedPage> & { perDay?: number }][] = [
    ['steady', { ...daily, perDay: 0.8 }],
    ['rare', { visits: 180, perDay: 0.02 }],
    ['seasonal', { visits: 400, everyDays: 0.5, rateAt: workingWeek(1.5) }],
  ]
  for (const [kind, page] of pages) {
    const random = randomOf(61)
    const kinds = Array.from({ length: PAGES }, () => kindOf(beliefFrom(watch(random, page))))
    const right = kinds.filter((found) => found === kind).length
    assert.ok(right >= 0.85 * PAGES, `${right} of ${PAGES} are ${kind}`)
  }
  assert.equal(kindOf(beliefFrom(watch(randomOf(62), { visits: 5 }))), 'without pattern')
})
