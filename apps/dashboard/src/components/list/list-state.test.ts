// Goal: what is asked of a list survives the address, whatever stands in it. Method: addresses as plain values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchIn, searchText } from '../../routes/search.ts'
import type { FilledColumn } from './list-column.ts'
import {
  cleared,
  isFiltered,
  nextSort,
  searchWith,
  shownOf,
  sortOf,
  stateIn,
} from './list-state.ts'

const COLUMNS: Pick<FilledColumn<never>, 'id' | 'filter' | 'isHidden'>[] = [
  { id: 'name' },
  { id: 'state', filter: { kind: 'choice', choices: [] } },
  { id: 'at', filter: { kind: 'time' } },
  { id: 'note', isHidden: true },
]

test('a state written to the address and read again is the same', () => {
  const state = {
    text: '5 años',
    sort: '-at',
    filters: { state: 'failed', at: '2026-01-01..' },
    shown: ['name', 'note'],
  }
  const address = searchText(searchWith({ page: 'kept' }, '', state))
  assert.match(address, /sort=-at/)
  assert.match(address, /page=kept/)
  assert.deepEqual(stateIn(searchIn(address), '', COLUMNS), state)
})

test('two lists on a screen do not disturb each other', () => {
  const both = searchWith(searchWith({}, '', { text: 'one' }), 'hosts', { text: 'two' })
  assert.equal(stateIn(both, '', COLUMNS).text, 'one')
  assert.equal(stateIn(both, 'hosts', COLUMNS).text, 'two')
  assert.deepEqual(both, { q: 'one', 'hosts.q': 'two' })
})

test('what an address says of columns that are not there is passed over', () => {
  const state = stateIn({ sort: '-gone', name: 'x', cols: 'gone', state: 3 }, '', COLUMNS)
  assert.deepEqual(state, { text: '', sort: '', filters: { state: '3' }, shown: null })
})

test('clearing takes filters and text away and leaves order and columns', () => {
  const state = stateIn({ q: 'x', state: 'failed', sort: 'name', cols: 'name' }, '', COLUMNS)
  assert.ok(isFiltered(state))
  const after = stateIn(searchWith(searchWith({}, '', state), '', cleared(state)), '', COLUMNS)
  assert.ok(!isFiltered(after))
  assert.equal(after.sort, 'name')
  assert.deepEqual(after.shown, ['name'])
})

test('a heading sorts one way, the other way, and not at all; figures begin with the largest', () => {
  const steps = ['name', '-name', '']
  let sort = ''
  for (const step of steps) assert.equal((sort = nextSort(sort, { id: 'name' })), step)
  assert.equal(nextSort('name', { id: 'bytes', isNumber: true }), '-bytes')
  assert.equal(nextSort('-bytes', { id: 'bytes', isNumber: true }), 'bytes')
  assert.deepEqual(sortOf('-bytes'), { id: 'bytes', isDescending: true })
  assert.equal(sortOf(''), null)
})

test('hidden columns are shown only when they are asked for, in their own order', () => {
  const ids = (shown: string[] | null): string[] => shownOf(COLUMNS, shown).map(({ id }) => id)
  assert.deepEqual(ids(null), ['name', 'state', 'at'])
  assert.deepEqual(ids(['note', 'name']), ['name', 'note'])
})
