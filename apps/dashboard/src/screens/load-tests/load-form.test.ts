// Goal: what is typed for a load test is what the station takes, and what it does not take is said
// before it is asked. Method: examples, held against the station's own reading of the message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTestMessage } from '@minga/protocol'
import { EMPTY_LOAD, loadProblemsOf, loadTestAsked, RANGES, type LoadNumber } from './load-form.ts'

const FIELDS = Object.keys(RANGES) as LoadNumber[]
const typed = { ...EMPTY_LOAD, urls: ' shop.test/a \n\nhttp://shop.test/b' }

test('a form with addresses only asks for what the station does by itself', () => {
  assert.deepEqual(loadProblemsOf(EMPTY_LOAD), { urls: true })
  assert.deepEqual(loadProblemsOf(typed), {})
  const asked = loadTestAsked(typed)
  assert.deepEqual(asked.urls, ['https://shop.test/a', 'http://shop.test/b'])
  const { urls } = asked
  const usual = loadTestMessage.parse({ urls })
  // A gigabyte on the page is a decimal one.
  const bytes = 1_000_000_000
  assert.deepEqual(asked, { ...usual, ceilings: { ...usual.ceilings, bytes } })
})

for (const field of FIELDS) {
  test(`the least and the most of ${field} are taken, and what is beyond or no number is not`, () => {
    const { least, most } = RANGES[field]
    for (const edge of [least, most]) {
      const form = { ...typed, [field]: String(edge).replace('.', ',') }
      assert.deepEqual(loadProblemsOf(form), {})
      assert.ok(loadTestMessage.safeParse(loadTestAsked(form)).success, `${field} ${edge}`)
    }
    for (const wrong of [String(least - 0.1), String(most + 1), 'many', '']) {
      assert.deepEqual(loadProblemsOf({ ...typed, [field]: wrong }), { [field]: true }, wrong)
    }
    const beyond = loadTestAsked({ ...typed, [field]: String(most + 1) })
    assert.ok(!loadTestMessage.safeParse(beyond).success, `${field}: the page is stricter`)
  })
}

test('there are no halves of visitors', () => {
  assert.deepEqual(loadProblemsOf({ ...typed, visitorsMax: '2.5' }), { visitorsMax: true })
})
