// Goal: texts use the words of the field, and none that a reader has to guess. Method: the check is run on small
// examples of every kind of file, on look-alikes that are names or contracts, and then on the repository.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordFindings } from './words.ts'
import { workspaceFiles, type TextFile } from './workspace.ts'

const DOCUMENTS = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md']
const FOLDERS = [
  'apps/',
  'bench/',
  'docs/',
  'packages/',
  'scripts/',
  'simulate/',
  'tests/',
  ...DOCUMENTS,
]

/** Files and folders that keep such words, and why. */
const EXCEPTIONS: Record<string, string> = {
  'docs/adr/': 'decisions are history and stay as they were written',
  'packages/lake/src/books/vocabulary.ts':
    'sentences of synthetic reviews, which measured figures depend on',
  'tests/style/words.test.ts': 'has the words as examples',
}

const rules = { folders: ['docs/', 'src/', 'README.md'], exceptions: { 'docs/adr/': 'history' } }

function found(path: string, text: string): number[] {
  const file: TextFile = { path, text }
  return wordFindings([file], rules).map((finding) => Number(/:(\d+) says “/.exec(finding)?.[1]))
}

test('a word is found in comments, strings, templates, patterns and text of pages, with its line', () => {
  const code = [
    '/** Who is told of it. */',
    'export const a = "Somebody took it"',
    'export const b = `${a} is begun anew ${a}, beside it`',
    'export const c = /is mended here/',
    '// The keepsakes of whoever asks.',
    'export const d = () => <p>An errand for you</p>',
  ].join('\n')
  assert.deepEqual(found('src/a.tsx', code), [1, 2, 3, 3, 4, 5, 5, 6])
})

test('names in code, classes, fields, flags, paths and quoted code are no text', () => {
  const code = [
    'const told = { mended: 1, errand: 2 }',
    'export const kind = "told" as const',
    'class Keepsakes { #told = told.errand; anew() { return this.#told } }',
    '// The field `told` of `told-watches.ts`, whoever.ts and told-moments.ts; anew() makes it.',
    'export const option = "--beside <name>"',
    'export const selector = ".wiki-diff.beside ins"',
    'export const importing = import("./keepsakes.ts")',
    'export const page = () => <p className="told quiet">{told.mended}</p>',
  ].join('\n')
  assert.deepEqual(found('src/a.tsx', code), [])
})

test('words of several parts and words that only contain one are others', () => {
  const code = '// Besides, it is untold, recommended, amended and newly beside-the-point.'
  assert.deepEqual(found('src/a.ts', code), [])
})

test('of a style sheet the comments count, and of JSON the sentences', () => {
  assert.deepEqual(found('src/a.css', '.told {\n  color: red; /* beside it */\n}\n'), [2])
  const json = '{\n  "told": "mended",\n  "whoever": "Nobody is told."\n}\n'
  assert.deepEqual(found('src/a.json', json), [3])
})

test('of a document the prose counts, without code, links and quotations', () => {
  const prose = 'It is told here.\n\n- `told` and [a link](told.md), “told once”\n'
  const block = '```sh\nminga told somebody\n```\n\nWhoever reads it.\n'
  assert.deepEqual(found('README.md', `${prose}${block}`), [1, 8])
})

test('other folders and exceptions are left alone', () => {
  assert.deepEqual(found('packages/a.ts', '// told'), [])
  assert.deepEqual(found('docs/adr/one.md', 'It was told.'), [])
  assert.deepEqual(found('docs/one.md', 'It was told.'), [1])
})

test('texts say what is meant in words of the field', () => {
  const findings = wordFindings(workspaceFiles(), { folders: FOLDERS, exceptions: EXCEPTIONS })
  assert.equal(findings.length, 0, `\n  ${findings.join('\n  ')}\n`)
})
