// Goal: DuckDB reads list literals and white space exactly as the plain code does. Method: random literals, broken
// ones included, given to both; and examples whose meaning is known from Python.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cleanRoom } from '../../test/clean/clean-fixture.ts'
import { pythonList } from './python-list.ts'
import { trimmed } from './white-space.ts'

const room = await cleanRoom()

const EXAMPLES: [text: string, list: string[] | null][] = [
  [`['A. Author', 'B. Writer']`, ['A. Author', 'B. Writer']],
  [`["O'Brien", 'Say "so"']`, [`O'Brien`, 'Say "so"']],
  [`['It\\'s', "\\"Q\\"", 'back\\\\slash']`, [`It's`, '"Q"', 'back\\slash']],
  [`['caf\\xe9', '\\u0416', '\\U0001F600', '\\ud83d\\ude00']`, ['café', 'Ж', '😀', '😀']],
  [`['Last, First', 'a [b] c', "x', 'y"]`, ['Last, First', 'a [b] c', `x', 'y`]],
  [`[' padded\\t', '', '  ', None, 'b',]`, ['padded', 'b']],
  [`['a\\nb\\101\\0x', '\\q', '\\/']`, ['a\nbA\0x', '\\q', '/']],
  [`["json", null, 1, -2.5e3, true]`, ['json', '1', '-2.5e3', 'true']],
  [`  [ ]  `, []],
  [`[]`, []],
  [`['\\ud83d']`, ['\ufffd']],
  [`['a' 'b', 'it''s', """so"""]`, ['ab', 'its', 'so']],
  [`[u'a', U"b\\x21" \n u' u']`, ['a', 'b! u']],
  [`[ua]`, null],
  [`['a', ]x`, null],
  [`['a', , 'b']`, null],
  [`[,]`, null],
  [`['a'`, null],
  [`'a'`, null],
  [`[a]`, null],
  [`[['a']]`, null],
  [`['a\\']`, null],
]

test('list literals mean what Python means by them', async () => {
  for (const [text, list] of EXAMPLES) assert.deepEqual(pythonList(text), list, text)
  const read = await room.map(
    'clean_list',
    EXAMPLES.map(([text]) => text),
  )
  assert.deepEqual(
    read,
    EXAMPLES.map(([, list]) => list),
  )
})

const part = fc.constantFrom(
  `'`,
  `"`,
  `\\`,
  ', ',
  `', '`,
  `", "`,
  `' '`,
  `u'`,
  '[',
  ']',
  `['`,
  `']`,
  'None',
  '5',
  'name',
  ' ',
  '\u00a0',
  '\n',
  'é',
  '\\x41',
  '\\u00e9',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\U00110000',
  '\\n',
  '\\12',
  "\\'",
  '\\\\',
  '😀',
)
const broken = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
const element = fc
  .array(part, { maxLength: 4 })
  .map((parts) => parts.join('').replaceAll(/['"\\]/g, ''))
const sound = fc
  .array(element, { maxLength: 5 })
  .map((texts) => `[${texts.map((text) => `'${text}'`).join(', ')}]`)

test('any text is the same list, or no list, in DuckDB and in plain code', async () => {
  const property = fc.asyncProperty(
    fc.array(
      fc.oneof(
        broken,
        sound,
        broken.map((text) => `['${text}']`),
      ),
      { minLength: 200, maxLength: 200 },
    ),
    async (texts) => {
      assert.deepEqual(await room.map('clean_list', texts), texts.map(pythonList))
    },
  )
  await fc.assert(property, { seed: 3, numRuns: 12 })
})

test('white space of all scripts is trimmed alike, and nothing is no text', async () => {
  const characters = fc.constantFrom(
    'a',
    'é',
    '\u200b',
    '\u180e',
    '\x1c',
    '\0',
    ' ',
    '\t',
    '\n',
    '\v',
    '\r',
    '\u0085',
    '\u00a0',
    '\u1680',
    '\u2000',
    '\u200a',
    '\u2028',
    '\u2029',
    '\u202f',
    '\u205f',
    '\u3000',
    '\ufeff',
    '~',
    '!',
  )
  const texts = fc
    .sample(fc.array(characters, { maxLength: 6 }), { seed: 5, numRuns: 3000 })
    .map((c) => c.join(''))
  // The binding drops a byte order mark in front when it hands a text over; DuckDB itself keeps it.
  const handed = (text: string): string | null => (text === '' ? null : text.replace(/^\ufeff/, ''))
  const kept = texts.map((text) => handed(trimmed(text)))
  assert.deepEqual(await room.map('clean_text', texts), kept)
  const whole = texts.map(handed)
  assert.deepEqual(await room.map('whole_text', texts), whole)
})
