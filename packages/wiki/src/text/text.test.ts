// Goal: texts are cut, compared and attributed as their definitions say. Method: properties (nothing lost, longest
// common subsequence by dynamic programming, every token's revision contains it) and cases made by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { commonSubsequence } from './common-subsequence.ts'
import { diffTexts } from './text-diff.ts'
import { sentencesOf, tokenise, tokensAndSpaces } from './tokenise.ts'

test('tokens are words, numbers, marks and signs of markup, in every script', () => {
  const cases: [string, string[]][] = [
    ["It's 3.14, isn’t it?", ["It's", '3.14', ',', 'isn’t', 'it', '?']],
    [
      "'''Bold''' [[Link|text]] {{Infobox}}",
      ["'''", 'Bold', "'''", '[[', 'Link', '|', 'text', ']]', '{{', 'Infobox', '}}'],
    ],
    ['== Heading ==', ['==', 'Heading', '==']],
    ['<ref name="a">x</ref>', ['<ref', 'name', '=', '"', 'a', '"', '>', 'x', '</ref', '>']],
    ['{|\n|-\n|}', ['{|', '|-', '|}']],
    ['see https://example.org/a?b=c.', ['see', 'https://example.org/a?b=c.']],
    ['漢字かな', ['漢', '字', 'か', 'な']],
    ['ภาษาไทย', ['ภ', 'า', 'ษ', 'า', 'ไ', 'ท', 'ย']],
    ['Ελληνικά Кириллица', ['Ελληνικά', 'Кириллица']],
    ['हिन्दी می‌خواهم', ['हिन्दी', 'می‌خواهم']],
    ['١٢٣ naïve &nbsp; ~~~~', ['١٢٣', 'naïve', '&nbsp;', '~~~~']],
    ['', []],
  ]
  for (const [text, tokens] of cases) assert.deepEqual(tokenise(text), tokens)
})

const anyText = fc.string({
  unit: fc.constantFrom(
    'a',
    'Ñ',
    '7',
    '.',
    ' ',
    '\n',
    '漢',
    '。',
    'ก',
    '\u0301',
    '🏰',
    '\uD83C',
    "'",
    '[',
    '=',
    '<',
    '\u200d',
  ),
  maxLength: 40,
})

test('tokens with the space between them, and sentences, joined together are the text again', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(tokensAndSpaces(text).join(''), text)
      assert.equal(sentencesOf(text).join(''), text)
    }),
    { numRuns: 500, seed: 6 },
  )
  assert.deepEqual(sentencesOf('One. Two! 三。四'), ['One. ', 'Two! ', '三。', '四'])
})

function longestByTable(a: readonly number[], b: readonly number[]): number {
  const row = Array.from({ length: b.length + 1 }, () => 0)
  for (const value of a) {
    let diagonal = 0
    b.forEach((other, j) => {
      const above = row[j + 1]!
      row[j + 1] = value === other ? diagonal + 1 : Math.max(above, row[j]!)
      diagonal = above
    })
  }
  return row.at(-1)!
}

test('a common subsequence is common, rises on both sides, and none is longer', () => {
  const lists = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 30 })
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      const pairs = commonSubsequence(Int32Array.from(a), Int32Array.from(b))
      for (const [i, j] of pairs) assert.equal(a[i], b[j])
      for (const [n, [i, j]] of pairs.slice(1).entries()) {
        assert.ok(i > pairs[n]![0] && j > pairs[n]![1])
      }
      assert.equal(pairs.length, longestByTable(a, b))
    }),
    { numRuns: 500, seed: 6 },
  )
})

test('a short list is found again in a long one that shares little with it', () => {
  const random = seededRandom(7)
  const long = Array.from({ length: 3000 }, () => random.integer(40))
  const short = [...long.slice(100, 110), ...long.slice(2500, 2520)]
  const pairs = commonSubsequence(Int32Array.from(long), Int32Array.from(short))
  assert.equal(pairs.length, short.length)
})

test('lists that differ in thousands of places are compared by what is unique, in bounded time', () => {
  const kept = Array.from({ length: 300 }, (_, i) => 1_000_000 + i)
  const random = seededRandom(6)
  const noise = () => Array.from({ length: 60 }, () => random.integer(500))
  const woven = () => Int32Array.from(kept.flatMap((value) => [...noise(), value]))
  const [a, b] = [woven(), woven()]
  const started = threadMs()
  const pairs = commonSubsequence(a, b)
  assert.ok(threadMs() - started < 5000)
  assert.ok(pairs.filter(([i]) => a[i]! >= 1_000_000).length === 300)
  for (const [n, [i, j]] of pairs.slice(1).entries())
    assert.ok(i > pairs[n]![0] && j > pairs[n]![1])
})

const words = fc.constantFrom(
  'the ',
  'cat ',
  'sat. ',
  'On ',
  'a mat! ',
  '\n',
  '== H ==\n',
  '漢字。',
  'one two three four\n',
)
const texts = fc.array(words, { maxLength: 20 }).map((parts) => parts.join(''))

test('the parts of a difference give back both texts', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const { parts } = diffTexts(before, after)
      const without = (...kinds: string[]) =>
        parts.flatMap(({ kind, text }) => (kinds.includes(kind) ? [] : [text])).join('')
      assert.equal(without('added', 'moved-to'), before)
      assert.equal(without('removed', 'moved-from'), after)
    }),
    { numRuns: 500, seed: 6 },
  )
})

test('a changed word is a changed word, not a changed paragraph', () => {
  const { parts, tokens } = diffTexts('The cat sat. On a mat.\n', 'The dog sat. On a mat.\n')
  assert.deepEqual(parts, [
    { kind: 'same', text: 'The ' },
    { kind: 'removed', text: 'cat' },
    { kind: 'added', text: 'dog' },
    { kind: 'same', text: ' sat. On a mat.\n' },
  ])
  assert.deepEqual(tokens, { same: 7, removed: 1, added: 1, moved: 0 })
})

test('a paragraph that only moved is marked as moved', () => {
  const [first, second] = ['First paragraph of the page.\n', 'Second one, rather different.\n']
  const { parts, tokens } = diffTexts(`${first}${second}End.\n`, `${second}${first}End.\n`)
  assert.deepEqual([tokens.removed, tokens.added, tokens.moved > 0], [0, 0, true])
  assert.deepEqual(
    new Set(parts.map(({ kind }) => kind)),
    new Set(['same', 'moved-from', 'moved-to']),
  )
})

test('equal texts and empty texts have nothing to tell', () => {
  assert.deepEqual(diffTexts('', '').parts, [])
  assert.deepEqual(diffTexts('x', 'x').parts, [{ kind: 'same', text: 'x' }])
  assert.deepEqual(diffTexts('', 'x').parts, [{ kind: 'added', text: 'x' }])
})
