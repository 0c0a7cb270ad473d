// Goal: every language is complete, and every text the page asks for exists. Method: the three catalogues are
// compared key by key and hole by hole, and the sources are searched for keys.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EXPLAINED_CODES, meaningKeyOf } from './live/error-meaning.ts'

type Tree = { [key: string]: string | Tree }

const SRC = import.meta.dirname
const PLURAL = /_(zero|one|two|few|many|other)$/
const catalogues = new Map(
  ['en', 'es', 'pt'].map((language) => {
    const files = globSync(join(SRC, 'locales', language, '*.json')).toSorted()
    const trees = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Tree)
    return [language, new Map(trees.flatMap((tree) => leaves(tree)))]
  }),
)
const english = catalogues.get('en')!

function leaves(tree: Tree, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : leaves(value, `${path}${key}.`),
  )
}

function stems(catalogue: Map<string, string>): string[] {
  return [...new Set([...catalogue.keys()].map((key) => key.replace(PLURAL, '')))].toSorted()
}

const holes = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]!).toSorted()

test('the three catalogues have the same keys in the same order', () => {
  for (const catalogue of catalogues.values()) assert.deepEqual(stems(catalogue), stems(english))
})

test('every file of texts is part of its language, and no two share a first word', async () => {
  for (const [language, catalogue] of catalogues) {
    const { texts } = (await import(`./locales/${language}.ts`)) as { texts: Tree }
    assert.deepEqual(new Map(leaves(texts)), catalogue)
  }
})

test('every translation has the holes of the English text and is not empty', () => {
  for (const [language, catalogue] of catalogues) {
    for (const [key, text] of catalogue) {
      const original = english.get(key) ?? english.get(key.replace(PLURAL, '_other')) ?? ''
      assert.notEqual(text.trim(), '', `${language} ${key}`)
      assert.deepEqual(holes(text), holes(original), `${language} ${key}`)
    }
  }
})

test('plural texts exist for every form that a language has', () => {
  for (const [language, catalogue] of catalogues) {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const plural = [...catalogue.keys()].filter((key) => key.endsWith('_other'))
    assert.ok(plural.length > 0)
    for (const key of plural) {
      for (const form of forms) {
        assert.ok(catalogue.has(key.replace(PLURAL, `_${form}`)), `${language} ${key} ${form}`)
      }
    }
  }
})

test('every key in the sources is in the catalogue, and every text is used', () => {
  const code = globSync('**/*.{ts,tsx}', { cwd: SRC, exclude: ['**/*.test.ts'] })
    .map((file) => readFileSync(join(SRC, file), 'utf8'))
    .join('\n')
  const keys = new Set(stems(english))
  const asked = [...code.matchAll(/\bt\(\s*'([\w.-]+)'/g)].map((match) => match[1]!)
  assert.ok(asked.length > 50)
  for (const key of asked) assert.ok(keys.has(key), `${key} is not in the catalogue`)
  const prefixes = [...code.matchAll(/`(\w[\w.]*\.)\$\{/g)].map((match) => match[1]!)
  const unused = [...keys].filter(
    (key) => !code.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
  )
  assert.deepEqual(unused, [])
})

test('every explained error code is one that the reference lists', () => {
  const reference = readFileSync(join(SRC, '../../../docs/reference/errors.md'), 'utf8')
  for (const code of EXPLAINED_CODES) {
    assert.ok(reference.includes(`\`${code}\``), `${code} is not in the reference`)
    assert.ok(english.has(meaningKeyOf(code)), `${code} has no sentence`)
  }
})

test('HTTP statuses and unknown codes have a meaning too', () => {
  const meanings = ['MINGA_HTTP_404', 'MINGA_HTTP_429', 'MINGA_HTTP_503', 'MINGA_NEW_THING'].map(
    meaningKeyOf,
  )
  assert.deepEqual(meanings, ['error.http4', 'error.http429', 'error.http5', 'error.unknown'])
  for (const key of meanings) assert.ok(english.has(key))
})

test('what the page says of a setting is what the reference says, so that no translation grows old', () => {
  const reference = readFileSync(join(SRC, '../../../docs/reference/settings.md'), 'utf8')
  const settings = [...english].filter(([key]) => key.startsWith('setting.'))
  assert.ok(settings.length > 40)
  for (const [key, text] of settings) {
    const row = reference.split('\n').find((line) => line.includes(`\`${key.split('.')[1]}\``))
    assert.ok(row?.includes(text), `${key} has other words in the reference`)
  }
})
