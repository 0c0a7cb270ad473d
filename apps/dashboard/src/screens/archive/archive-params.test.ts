// Goal: an address of the archive says the same however it was typed. Method: examples as the router reads them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseArchiveParams, timestampOf } from './archive-params.ts'

test('what an address asks for is text and moments, and nothing strange gets through', () => {
  assert.deepEqual(parseArchiveParams({ url: 'http://a.test/', at: 5, more: 'x' }), {
    url: 'http://a.test/',
    at: 5,
  })
  assert.deepEqual(parseArchiveParams({ before: 20260131120000, after: 'latest' }), {
    before: '20260131120000',
    after: 'latest',
  })
  assert.deepEqual(parseArchiveParams({ url: ['a'], at: 'soon', before: {}, raw: 'yes' }), {})
  assert.deepEqual(parseArchiveParams({ raw: true }), { raw: true })
})

test('moments are written as the archive writes them', () => {
  assert.equal(timestampOf(Date.UTC(2026, 0, 31, 12, 1, 2, 999)), '20260131120102')
})
