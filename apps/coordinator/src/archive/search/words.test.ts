// Goal: a text gives the same words however it is written, and no word that a database would read otherwise.
// Method: small texts in several scripts, and the signs that folding could turn into something else.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { foldedText, wordsOf } from './words.ts'

describe('Words of a text', () => {
  test('case, accents and ligatures do not count', () => {
    assert.equal(
      foldedText('El AÑO próximo: São Paulo, eﬃcient Straße İzmir'),
      'el ano proximo sao paulo efficient straße izmir',
    )
  })

  test('accents that follow their letter are the same as those inside it', () => {
    assert.equal(foldedText('an\u0303o'), foldedText('año'))
  })

  test('scripts without spaces give one word a letter, and others next to them stay whole', () => {
    assert.equal(foldedText('Minga採集Web網站'), 'minga 採 集 web 網 站')
  })

  test('signs that fold to brackets, spaces or strokes leave letters and digits only', () => {
    for (const word of foldedText('⑴ ½ ﷺ ㎏ ŉ x²').split(' '))
      assert.match(word, /^[\p{L}\p{N}]+$/u)
  })

  test('every word knows where it stands', () => {
    const text = '¡Qué día!'
    assert.deepEqual(
      [...wordsOf(text)].map(({ folded, from, to }) => [folded, text.slice(from, to)]),
      [
        ['que', 'Qué'],
        ['dia', 'día'],
      ],
    )
  })

  test('a text without end and a word without end are cut', () => {
    assert.equal([...wordsOf('a '.repeat(100_000))].length, 16_000)
    assert.equal([...wordsOf('x'.repeat(10_000))][0]!.folded.length, 64)
    const letters = [...wordsOf(`${'ñ'.repeat(100)} `.repeat(10_000))]
    assert.ok(letters.length < 5_000, `${letters.length} words`)
  })

  test('half a letter at the end of a cut word does not stay half', () => {
    const [word] = [...wordsOf(`${'a'.repeat(63)}𐐷𐐷`)]
    assert.equal(word!.folded.isWellFormed(), true)
  })
})
