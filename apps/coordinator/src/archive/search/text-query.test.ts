// Goal: words, phrases, prefixes and exclusions mean the same to both databases, and nothing that people type is an
// error. Method: questions and what each database is asked.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { forPostgres, forSqlite, textQuery } from './text-query.ts'

const both = (asked: string): [string, string] | null => {
  const query = textQuery(asked)
  return query && [forSqlite(query), forPostgres(query)]
}

describe('Questions of texts', () => {
  test('all words are wanted, whatever their case', () => {
    assert.deepEqual(both('Casa verde'), ['("casa" AND "verde")', "('casa') & ('verde')"])
  })

  test('what stands in quotes follows each other', () => {
    assert.deepEqual(both('"casa verde" sol'), [
      '("casa verde" AND "sol")',
      "('casa' <-> 'verde') & ('sol')",
    ])
  })

  test('a star stands for the rest of a word, a minus for what must not be there', () => {
    assert.deepEqual(both('cas* -"mar azul" -sol'), [
      '("cas" *) NOT ("mar azul" OR "sol")',
      "('cas':*) & !('mar' <-> 'azul') & !('sol')",
    ])
  })

  test('a word with signs in it is its parts, one after another', () => {
    assert.deepEqual(both("d'água e-mail"), [
      '("d agua" AND "e mail")',
      "('d' <-> 'agua') & ('e' <-> 'mail')",
    ])
  })

  test('a run of letters without spaces is a phrase', () => {
    assert.deepEqual(both('採集'), ['("採 集")', "('採' <-> '集')"])
  })

  test('bad syntax is taken as words', () => {
    for (const asked of [
      '"casa',
      'casa"',
      'casa AND',
      '(casa',
      'NEAR(casa',
      'casa:*',
      '^casa',
      "casa'",
      'casa\\',
    ]) {
      assert.ok(
        textQuery(asked)?.wanted[0]?.words.some((word) => word === 'casa' || word === 'near'),
        asked,
      )
    }
    assert.deepEqual(both('-casa -sol'), ['("casa" AND "sol")', "('casa') & ('sol')"])
    assert.deepEqual(both('c*'), ['("c")', "('c')"])
  })

  test('without a word nothing is asked', () => {
    for (const asked of ['', '   ', '-', '""', '*', '!?']) assert.equal(textQuery(asked), null)
  })

  test('of very many words the first are asked for', () => {
    assert.equal(textQuery('uno '.repeat(200))!.wanted.length, 32)
  })
})
