// Goal: what people type about a watch becomes what they mean, and only what they changed. Method:
// forms filled in by hand, right and wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WatchView } from '@minga/protocol'
import {
  changesAsked,
  editProblemsOf,
  EMPTY_WATCH,
  newWatchProblemsOf,
  typedOf,
  watchAsked,
} from './watch-form.ts'

const HOUR_MS = 3_600_000

test('a form with nothing but an address asks for a page that Minga plans', () => {
  const typed = { ...EMPTY_WATCH, urls: ' example.org/news \n' }
  assert.deepEqual(newWatchProblemsOf(typed), {})
  assert.deepEqual(watchAsked(typed), {
    subject: 'page',
    urls: ['https://example.org/news'],
    feeds: [],
    category: null,
    observations: '',
    periodMs: null,
    policy: null,
    importance: 1,
    floorMs: null,
    threshold: 0.01,
  })
})

test('hours, per cent and decimal commas are read as people write them', () => {
  const typed = {
    ...EMPTY_WATCH,
    subject: 'list' as const,
    urls: 'https://a.test/\nhttps://b.test/',
    name: ' Two ',
    category: '306',
    periodHours: '1,5',
    floorHours: '48',
    threshold: '2,5',
    policy: ' azar ',
  }
  const { name, category, periodMs, floorMs, threshold, policy } = watchAsked(typed)
  assert.deepEqual(
    [name, category, periodMs, floorMs, threshold, policy],
    ['Two', 306, 1.5 * HOUR_MS, 48 * HOUR_MS, 0.025, 'azar'],
  )
})

test('invalid values are reported field by field', () => {
  assert.deepEqual(newWatchProblemsOf(EMPTY_WATCH), { urls: 'missing' })
  assert.deepEqual(newWatchProblemsOf({ ...EMPTY_WATCH, urls: 'a.test\nb.test' }), { urls: 'one' })
  const wrong = { importance: '0', periodHours: 'often', floorHours: '-1', threshold: '101' }
  assert.deepEqual(newWatchProblemsOf({ ...EMPTY_WATCH, urls: 'a.test', ...wrong }), {
    importance: 'number',
    periodHours: 'number',
    floorHours: 'number',
    threshold: 'number',
  })
  assert.deepEqual(editProblemsOf({ ...EMPTY_WATCH, name: ' ' }), { name: 'missing' })
})

const WATCH = {
  name: 'Press',
  category: null,
  observations: '',
  periodMs: 6 * HOUR_MS,
  policy: null,
  importance: 1,
  floorMs: null,
  threshold: 0.01,
} as WatchView

test('an untouched form changes nothing, and a touched one what was touched', () => {
  const typed = typedOf(WATCH)
  assert.equal(typed.periodHours, '6')
  assert.deepEqual(changesAsked(WATCH, typed), {})
  assert.deepEqual(changesAsked(WATCH, { ...typed, periodHours: '', importance: '2' }), {
    periodMs: null,
    importance: 2,
  })
})
