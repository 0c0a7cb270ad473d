// Goal: an excerpt shows what was asked for, and its marks stand exactly on it. Method: texts with known places.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MarkedText } from '@minga/protocol'
import { markedIn, snippetOf } from './snippet.ts'
import { textQuery } from './text-query.ts'

const shown = (text: string, asked: string): MarkedText => snippetOf(text, textQuery(asked)!)
const marked = ({ text, marks }: MarkedText): string[] =>
  marks.map(([from, to]) => text.slice(from, to))

describe('Excerpts', () => {
  const filler = (word: string, times: number): string => `${word} `.repeat(times)

  test('marks stand on the words as the page writes them', () => {
    const snippet = shown('El Año de la “Minga” empezó en Año Nuevo.', 'ano minga')
    assert.deepEqual(marked(snippet), ['Año', 'Minga', 'Año'])
    assert.equal(snippet.text, 'El Año de la “Minga” empezó en Año Nuevo.')
  })

  test('of a long text the passage with the most of the words is shown, with a sign where it is cut', () => {
    const text = `${filler('nada', 100)}sol ${filler('nada', 100)}luna y sol ${filler('nada', 100)}`
    const snippet = shown(text, 'sol luna')
    assert.deepEqual(marked(snippet), ['luna', 'sol'])
    assert.match(snippet.text, /^… nada .* luna y sol .* …$/)
    assert.ok(snippet.text.length < 420)
  })

  test('a phrase is one mark and its words alone are none', () => {
    assert.deepEqual(marked(shown('mar azul, azul mar', '"azul mar"')), ['azul mar'])
  })

  test('a prefix marks the whole word', () => {
    assert.deepEqual(marked(shown('Caminos y caminantes', 'camin*')), ['Caminos', 'caminantes'])
  })

  test('marks that overlap are one', () => {
    assert.deepEqual(marked(shown('uno dos tres', '"uno dos" "dos tres"')), ['uno dos tres'])
  })

  test('without a match, as when only the title has the words, the beginning is shown', () => {
    const snippet = shown('Una página sin más.', 'otra')
    assert.deepEqual(snippet, { text: 'Una página sin más.', marks: [] })
  })

  test('titles are marked whole', () => {
    assert.deepEqual(markedIn('La Minga de Año', textQuery('ano')!), {
      text: 'La Minga de Año',
      marks: [[12, 15]],
    })
  })

  test('an empty text has an empty excerpt', () => {
    assert.deepEqual(shown('', 'sol'), { text: '', marks: [] })
  })
})
