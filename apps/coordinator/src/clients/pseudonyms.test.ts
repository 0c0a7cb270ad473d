// Goal: a client can compare devices inside a batch, and cannot follow one beyond it. Method: names
// of many devices in many batches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pseudonyms } from './pseudonyms.ts'

test('a device has one name in a batch, another in every other batch, and none that tells who it is', () => {
  const names = new Pseudonyms('secret')
  const first = names.of('bat_1', 'dev_1')
  assert.match(first, /^agent-[0-9a-f]{12}$/)
  const seen = new Set<string>()
  for (let batch = 1; batch <= 60; batch++) {
    for (let device = 1; device <= 40; device++) seen.add(names.of(`bat_${batch}`, `dev_${device}`))
  }
  assert.equal(seen.size, 2_400, 'more names than are kept at hand, all different')
  assert.equal(names.of('bat_1', 'dev_1'), first)
  assert.equal(new Pseudonyms('secret').of('bat_1', 'dev_1'), first, 'after a restart too')
  assert.notEqual(new Pseudonyms('another').of('bat_1', 'dev_1'), first)
})
