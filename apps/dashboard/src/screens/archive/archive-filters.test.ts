// Goal: a search of the archive survives in the address and asks for what it says. Method: searches with known
// words, there and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedSearch, NOTHING, searchOf, typedIn } from './archive-filters.ts'

test('what is asked for comes back from the address, and the rest is not in it', () => {
  const typed = { ...NOTHING, q: 'news', by: 'title' as const, status: '4', from: '2026-01-31' }
  const search = searchOf(typed)
  assert.deepEqual(search, { q: 'news', by: 'title', status: '4', from: '2026-01-31' })
  assert.deepEqual(typedIn(search), typed)
})

test('invalid values are ignored', () => {
  const typed = typedIn({ by: 'nonsense', collection: 'x', status: '9', from: 'soon', q: 7 })
  assert.deepEqual(typed, { ...NOTHING, q: '7' })
})

test('a span of days holds its last day whole', () => {
  const asked = askedSearch({ ...NOTHING, from: '2026-01-01', to: '2026-01-01', collection: '3' })
  assert.equal(asked.to! - asked.from!, 86_399_999)
  assert.equal(asked.collectionId, 3)
  assert.equal(asked.type, undefined)
})
