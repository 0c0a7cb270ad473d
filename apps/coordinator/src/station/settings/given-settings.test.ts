// Goal: each setting at start comes from the strongest source, and misspelt ones are reported.
// Method: texts and values as plain data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadSetting } from '../errors.ts'
import { givenSettings, variableOf } from './given-settings.ts'
import { problemsOf, SETTING_NAMES } from './registry.ts'

test('a flag wins over a variable of the environment, and that over the file', () => {
  const given = givenSettings({
    file: '{"cacheMs": 1, "blockMax": 2, "strategy": "nearest"}',
    environment: { MINGA_SETTING_CACHE_MS: '10', MINGA_SETTING_BLOCK_MAX: '20', PATH: '/bin' },
    flags: { cacheMs: 100 },
  })
  assert.deepEqual(given, {
    values: { cacheMs: 100, blockMax: 20, strategy: 'nearest' },
    sources: { cacheMs: 'flag', blockMax: 'environment', strategy: 'file' },
  })
})

test('a variable holds a number, null or a word, and an empty one says nothing', () => {
  const { values } = givenSettings({
    file: null,
    environment: {
      MINGA_SETTING_VISITS_PER_DAY: 'null',
      MINGA_SETTING_STRATEGY: 'fastest',
      MINGA_SETTING_CACHE_MS: '',
    },
    flags: {},
  })
  assert.deepEqual(values, { visitsPerDay: null, strategy: 'fastest' })
})

test('no two settings share a variable, and a misspelt one is reported', () => {
  assert.equal(new Set(SETTING_NAMES.map(variableOf)).size, SETTING_NAMES.length)
  const { values } = givenSettings({
    file: null,
    environment: { MINGA_SETTING_CASH_MS: '5' },
    flags: {},
  })
  assert.deepEqual(problemsOf(values), ['MINGA_SETTING_CASH_MS is not a setting'])
})

test('a file that is no object of settings is reported', () => {
  assert.throws(() => givenSettings({ file: '[1]', environment: {}, flags: {} }), BadSetting)
  assert.throws(() => givenSettings({ file: 'cacheMs: 5', environment: {}, flags: {} }), BadSetting)
})
