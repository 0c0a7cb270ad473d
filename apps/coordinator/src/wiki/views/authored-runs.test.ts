// Goal: coloured text is the text, and each part of it has one author. Method: small hand-made
// texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authoredRuns } from './authored-runs.ts'

const token = (text: string, revId: number, user: string | null) => ({ text, revId, user })
const placeOf = (user: string | null): number => ['Ada', 'Bo', null].indexOf(user)

test('words of one revision are one run with the white space between them', () => {
  const tokens = [token('a', 1, 'Ada'), token('b', 1, 'Ada'), token('c', 2, 'Bo')]
  assert.deepEqual(authoredRuns('  a \n b c \n', tokens, placeOf), [
    { text: '  a \n b ', author: 0, revId: 1 },
    { text: 'c \n', author: 1, revId: 2 },
  ])
})

test('two revisions of one editor are two runs, and a hidden editor has one too', () => {
  const tokens = [token('a', 1, 'Ada'), token('a', 3, 'Ada'), token('b', 4, null)]
  const runs = authoredRuns('a a b', tokens, placeOf)
  assert.deepEqual(
    runs.map(({ revId, author }) => [revId, author]),
    [
      [1, 0],
      [3, 0],
      [4, 2],
    ],
  )
  assert.equal(runs.map(({ text }) => text).join(''), 'a a b')
})

test('a text without a word has no run', () => {
  assert.deepEqual(authoredRuns(' \n', [], placeOf), [])
})
