// Goal: the list of watches asks the station for what its reader chose, and its figures are what they say.
// Method: questions and watches with known answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshnessOf, listAsked, surenessOf } from './watch-list-asked.ts'

const NOTHING = { text: '', filters: {}, spans: {}, sort: '', cursor: null, limit: 100 }
const DAY_MS = 86_400_000

test('without a wish the newest watches come first', () => {
  const asked = listAsked(NOTHING)
  assert.deepEqual([asked.sort, asked.descending, asked.search], ['newest', true, undefined])
})

test('columns and filters are asked for in the words of the station', () => {
  const filters = { news: 'unread', category: 'none', group: 'high' }
  const asked = listAsked({
    ...NOTHING,
    text: 'press',
    filters,
    sort: 'nextVisit',
    cursor: '[1,2]',
  })
  assert.deepEqual(
    [asked.sort, asked.descending, asked.trouble, asked.category, asked.group, asked.after],
    ['nextVisit', false, 'unread', 'none', 'high', '[1,2]'],
  )
  assert.equal(listAsked({ ...NOTHING, sort: '-nobody' }).sort, 'newest')
})

test('a copy is as fresh as changes since its visit are unlikely', () => {
  const watch = { ratePerDay: 2, urls: 2, lastVisitAt: 0 }
  assert.ok(Math.abs(freshnessOf(watch, DAY_MS)! - Math.exp(-1)) < 1e-9)
  assert.equal(freshnessOf(watch, 0), 1)
  assert.equal(freshnessOf({ ...watch, ratePerDay: null }, DAY_MS), null)
  assert.equal(freshnessOf({ ...watch, lastVisitAt: null }, DAY_MS), null)
})

test('a narrow interval is surer than a wide one, and none is no knowledge', () => {
  assert.ok(surenessOf(0.9, 1.1)! > surenessOf(0.01, 10)!)
  assert.equal(surenessOf(null, 1), null)
  assert.equal(surenessOf(0, 1), null)
  assert.equal(surenessOf(1e-9, 1e9), 0)
})
