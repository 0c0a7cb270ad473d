// Goal: only what can be a key is taken from an address. Method: plain examples of fragments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyIn } from './key.ts'

test('a key behind the hash is found and anything else is not taken for one', () => {
  assert.equal(keyIn('#key=3ihDJiuc4tRczW7uom_XKR9JE1nf-n9G'), '3ihDJiuc4tRczW7uom_XKR9JE1nf-n9G')
  assert.equal(keyIn('#content'), null)
  assert.equal(keyIn('#key='), null)
  assert.equal(keyIn('#key=short'), null)
  assert.equal(keyIn('#key=with%0d%0anew-lines-in-a-header'), null)
  assert.equal(keyIn(''), null)
})
