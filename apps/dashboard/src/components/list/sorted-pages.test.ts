// Goal: what a reader asked of a list reaches the station, and nothing that was not asked. Method: questions by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortedPages, sortedQuery, type SortedQuery } from './sorted-pages.ts'

const NOTHING = { text: '', sort: '', filters: {}, spans: {}, cursor: null, limit: 100 }

test('what was not asked for is left out', () => {
  assert.deepEqual(sortedQuery(NOTHING), {
    text: null,
    sort: null,
    cursor: null,
    limit: 100,
  })
})

test('filters keep their names, and a span of days becomes from and to', () => {
  const spans = { at: { fromMs: 5, toMs: null } }
  const asked = { ...NOTHING, text: 'a', sort: '-at', filters: { kind: 'refund' }, spans }
  const query = sortedQuery({ ...asked, cursor: 'c' }, 'at')
  assert.deepEqual(query, {
    kind: 'refund',
    text: 'a',
    sort: '-at',
    from: 5,
    to: null,
    cursor: 'c',
    limit: 100,
  })
})

test('where from and to are filters of their own, no span takes their place', () => {
  const query = sortedQuery({ ...NOTHING, filters: { from: 'dev_1', to: 'dev_2' } })
  assert.deepEqual([query['from'], query['to']], ['dev_1', 'dev_2'])
})

test('the total of the first page is kept, and later pages have none', async () => {
  const read = async ({ cursor }: SortedQuery) => ({
    rows: [1],
    next: cursor === null ? 'c' : null,
    total: cursor === null ? 2 : null,
  })
  const pages = sortedPages(read)
  assert.deepEqual(await pages(NOTHING), { rows: [1], cursor: 'c', total: 2 })
  assert.deepEqual(await pages({ ...NOTHING, cursor: 'c' }), { rows: [1], cursor: null })
})
