// Goal: the legend accounts for every word that is there. Method: a list of authors longer than the legend.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTHORS_SHOWN, legendOf, lookOf } from './author-looks.ts'

const authors = Array.from({ length: 12 }, (_, i) => {
  const present = i === 11 ? 0 : 11 - i
  return { user: `Editor ${i}`, added: 20, present, share: present / 66 }
})

test('the first authors have looks of their own, the others share one', () => {
  const legend = legendOf(authors)
  assert.equal(legend.length, AUTHORS_SHOWN + 1)
  assert.equal(new Set(legend.map(({ look }) => look)).size, legend.length)
  const rest = legend.at(-1)!
  assert.deepEqual([rest.look, rest.authors, rest.present], ['author-rest', 3, 6])
  const shares = legend.reduce((sum, { share }) => sum + share, 0)
  assert.ok(Math.abs(shares - 1) < 1e-9)
})

test('words look as their author does in the legend', () => {
  assert.deepEqual(
    [0, 7, 8, 11].map((place) => lookOf(place, authors)),
    ['author-0', 'author-7', 'author-rest', 'author-rest'],
  )
})

test('an author of whom nothing is left is not in the legend', () => {
  assert.deepEqual(legendOf([{ user: 'Gone', added: 3, present: 0, share: 0 }]), [])
})
