// Goal: filters and order are what a reader expects. Method: values as plain data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareValues, matchesFilter, matchesText, spanIn } from './list-match.ts'

const DAY_MS = 86_400_000

test('every word counts, in any column and order; capitals and accents do not', () => {
  assert.ok(matchesText(['Peru', 'Perú – Educación'], 'educacion PERU'))
  assert.ok(!matchesText(['Peru'], 'peru chile'))
  assert.ok(matchesText([null, 7], ' 7 '))
  assert.ok(matchesText([], ''))
})

test('a span of days holds both days, and a missing end is open', () => {
  const { fromMs, toMs } = spanIn('2026-01-01..2026-01-31', true)
  assert.equal(fromMs, Date.UTC(2026, 0, 1))
  assert.equal(toMs, Date.UTC(2026, 1, 1))
  assert.deepEqual(spanIn('..2026-01-01', true), { fromMs: null, toMs: Date.UTC(2026, 0, 2) })
  assert.deepEqual(spanIn('yesterday..soon', true), { fromMs: null, toMs: null })
  const local = spanIn('2026-06-01..', false).fromMs!
  assert.equal(new Date(local).getHours(), 0)
})

test('a filter of time takes moments within its days and nothing without a time', () => {
  const asked = { filter: { kind: 'time' }, asked: '2026-01-02..2026-01-02', isUtc: true } as const
  const noon = Date.UTC(2026, 0, 2, 12)
  assert.ok(matchesFilter(noon, asked))
  assert.ok(!matchesFilter(noon + DAY_MS, asked))
  assert.ok(!matchesFilter(null, asked))
  assert.ok(matchesFilter(null, { ...asked, asked: 'nonsense' }))
})

test('a choice is the whole value, a text a part of it', () => {
  const choice = { filter: { kind: 'choice', choices: [] }, isUtc: true } as const
  assert.ok(matchesFilter('failed', { ...choice, asked: 'failed' }))
  assert.ok(!matchesFilter('failed twice', { ...choice, asked: 'failed' }))
  assert.ok(matchesFilter(true, { ...choice, asked: 'true' }))
  assert.ok(matchesFilter('failed twice', { filter: { kind: 'text' }, asked: 'FAIL', isUtc: true }))
})

test('names are ordered as people do, figures by size, and nothing comes last', () => {
  const sorted = ['page 10', 'Page 2', null, 'página 1', 'page 1'].toSorted(compareValues)
  assert.deepEqual(sorted, ['page 1', 'Page 2', 'page 10', 'página 1', null])
  assert.deepEqual([10, 9, null, 100].toSorted(compareValues), [9, 10, 100, null])
  assert.deepEqual([false, true].toSorted(compareValues), [true, false])
})
