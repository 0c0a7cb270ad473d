// Goal: titles compare as MediaWiki compares them. Method: its documented rules, one example each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SITE } from '../../test/api/answer-fixture.ts'
import { normaliseTitle } from './wiki-title.ts'

function title(text: string): string {
  const found = normaliseTitle(text, SITE)
  return typeof found === 'string' ? `!${found}` : found.title
}

test('underscores, spaces, first letters and Unicode forms make no difference', () => {
  assert.equal(title('black_cat'), 'Black cat')
  assert.equal(title('  Black   cat_'), 'Black cat')
  assert.equal(title('Black\u00a0cat\u200e'), 'Black cat')
  assert.equal(title('Cafe\u0301'), 'Café')
  assert.equal(title('éclair'), 'Éclair')
  assert.equal(title('ßtest'), 'ßtest')
  assert.equal(title('აბგ'), 'აბგ')
  assert.equal(title('𐐨x'), '𐐀x')
  assert.equal(title(':Cat#Tail'), 'Cat')
})

test('namespaces are known by all their names and keep their own rule of letters', () => {
  assert.equal(title('talk: cat'), 'Talk:Cat')
  assert.equal(title('PROJECT:About'), 'Example:About')
  assert.equal(title('ex:about'), 'Example:About')
  assert.equal(title('template:infobox'), 'Template:infobox')
  assert.equal(title('Other: thing'), 'Other: thing')
  const found = normaliseTitle('Talk:Cat', SITE)
  assert.deepEqual(found, { ns: 1, title: 'Talk:Cat', name: 'Cat' })
  const sensitive = { ...SITE, case: 'case-sensitive', namespaces: [] }
  assert.deepEqual(normaliseTitle('cat', sensitive), { ns: 0, title: 'cat', name: 'cat' })
})

test('what can be no title is refused by its reason', () => {
  assert.equal(title(''), '!empty')
  assert.equal(title('Talk:'), '!empty')
  assert.equal(title('A[b'), '!forbidden-character')
  assert.equal(title('A\u0007b'), '!forbidden-character')
  assert.equal(title('../etc'), '!relative-path')
  assert.equal(title('a/./b'), '!relative-path')
  assert.equal(title('A%20b'), '!percent-escape')
  assert.equal(title('A&amp;b'), '!percent-escape')
  assert.equal(title('~~~~'), '!signature')
  assert.equal(title('é'.repeat(128)), '!too-long')
  assert.equal(title('é'.repeat(127)), `É${'é'.repeat(126)}`)
})

test('a title that was normalised stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const once = title(text)
      if (!once.startsWith('!')) assert.equal(title(once), once)
    }),
    { seed: 6, numRuns: 2_000 },
  )
})
