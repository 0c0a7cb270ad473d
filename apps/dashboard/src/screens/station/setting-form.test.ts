// Goal: what is typed reaches the station as what it is. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differs, environmentOf, jsonOf, problemIn, textOf, valueIn } from './setting-form.ts'
import type { SettingView } from '../../api/station-api.ts'

const PLAIN = { choices: null, min: 0 } as SettingView
const LONG = { choices: null, min: null } as SettingView
const CHOICE = { choices: ['1', 'fastest'] } as unknown as SettingView

test('numbers become numbers, empty becomes none, and a choice stays a word', () => {
  assert.equal(valueIn(' 64 ', PLAIN), 64)
  assert.equal(valueIn('0,5', PLAIN), 0.5)
  assert.equal(valueIn('', PLAIN), null)
  assert.equal(valueIn('false', PLAIN), false)
  assert.equal(valueIn('1', CHOICE), '1')
})

test('what is no number goes to the station, which says what it wants', () => {
  assert.equal(valueIn('many', PLAIN), 'many')
})

test('a setting that is shown and sent unchanged is the same', () => {
  for (const value of [64, 0.5, null, true]) assert.equal(valueIn(textOf(value), PLAIN), value)
  const filter = { otherwise: 'deny', rules: [{ effect: 'allow', domains: ['example.org'] }] }
  assert.deepEqual(valueIn(textOf(filter), LONG), filter)
  assert.equal(valueIn('{ "otherwise"', LONG), '{ "otherwise"', 'the station says what is wrong')
})

test('a value that is no number or out of range is reported before the request', () => {
  const ranged = { choices: null, min: 1, max: 16 } as SettingView
  assert.equal(problemIn('many', ranged), 'number')
  assert.equal(problemIn('17', ranged), 'range')
  assert.equal(problemIn('16', ranged), null)
  assert.equal(problemIn('', ranged), null, 'the station knows whether it may be empty')
  assert.equal(problemIn('anything', CHOICE), null)
})

test('settings are copied as a station reads them from its environment and its file', () => {
  const settings = [
    { name: 'cacheMs', value: 5, default: 5 },
    { name: 'filter', value: { otherwise: "it's" }, default: null },
  ] as unknown as SettingView[]
  assert.equal(
    environmentOf(settings),
    `MINGA_SETTING_CACHE_MS=5\nMINGA_SETTING_FILTER='{"otherwise":"it'\\''s"}'`,
  )
  assert.deepEqual(JSON.parse(jsonOf(settings)), { cacheMs: 5, filter: { otherwise: "it's" } })
  assert.deepEqual(settings.map(differs), [false, true])
})
