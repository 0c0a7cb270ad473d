// Goal: the list of settings is sound and its page equals it. Method: every entry is tried at its
// default, its ends and beyond; the page is generated again and compared.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { problemsOf, SETTING_NAMES, SETTINGS } from './registry.ts'
import { settingsTable } from './settings-table.ts'

test('every setting takes its default and its ends, and nothing beyond', () => {
  for (const name of SETTING_NAMES) {
    const { default: usual, min, max, choices } = SETTINGS[name]
    assert.deepEqual(problemsOf({ [name]: usual }), [], name)
    const good = choices ?? [min, max]
    for (const value of good) assert.deepEqual(problemsOf({ [name]: value }), [], name)
    const bad = ['x', '', true, {}, [], ...(min === null ? [1] : [min - 1, max! + 1, `${min}`])]
    for (const value of bad) {
      const [problem] = problemsOf({ [name]: value })
      assert.ok(problem?.startsWith(`${name} must be `), `${name} ${JSON.stringify(value)}`)
    }
  }
})

test('a name that is none, also one that every object has, is said to be none', () => {
  const problems = problemsOf({ other: 1, toString: 1, constructor: null })
  assert.deepEqual(problems, [
    'other is not a setting',
    'toString is not a setting',
    'constructor is not a setting',
  ])
})

test('every setting is explained by one sentence and by when it holds', () => {
  for (const name of SETTING_NAMES) {
    const { about, holds } = SETTINGS[name]
    assert.match(about, /^[A-Z][^|]+\.$/, name)
    assert.match(holds, /^[a-z][^|]+[^.]$/, name)
  }
})

test('every setting is changed by a test of what it does', async () => {
  const folder = new URL('../../', import.meta.url)
  const names = await readdir(folder, { recursive: true })
  // These two are about settings as such.
  const others = /(registry|setting-routes)\.test\.ts$/
  const tests = names.filter((name) => name.endsWith('.test.ts') && !others.test(name))
  const texts = await Promise.all(tests.map((name) => readFile(new URL(name, folder), 'utf8')))
  const untested = SETTING_NAMES.filter(
    (name) => !texts.some((text) => new RegExp(`\\b${name}: `).test(text)),
  )
  assert.deepEqual(untested, [])
})

test('the page of settings says what the list says', async () => {
  const page = new URL('../../../../../docs/reference/settings.md', import.meta.url)
  const remedy =
    'generate it again: node apps/coordinator/src/station/settings/settings-page-main.ts'
  assert.equal(await readFile(page, 'utf8'), settingsTable(), remedy)
})
