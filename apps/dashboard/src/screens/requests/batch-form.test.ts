// Goal: a batch holds the addresses that were typed. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchAsked, EMPTY_BATCH } from './batch-form.ts'

test('empty lines are no addresses, and without any there is no batch', () => {
  assert.equal(batchAsked({ ...EMPTY_BATCH, urls: ' \n\n' }), null)
  assert.deepEqual(batchAsked({ ...EMPTY_BATCH, urls: ' http://a.test/ \n\nhttp://b.test/' }), {
    urls: ['http://a.test/', 'http://b.test/'],
    priority: 'normal',
  })
})

test('a fresh fetch takes nothing from the archive', () => {
  const asked = batchAsked({ urls: 'http://a.test/', priority: 'high', isFresh: true })
  assert.deepEqual(asked, { urls: ['http://a.test/'], priority: 'high', maxAgeS: 0 })
})
