// Goal: only what can be a key is taken from an address. Method: plain examples of fragments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyIn, keyInText } from './key.ts'

test('a key behind the hash is found and anything else is not taken for one', () => {
  assert.equal(keyIn('#key=3ihDJiuc4tRczW7uom_XKR9JE1nf-n9G'), '3ihDJiuc4tRczW7uom_XKR9JE1nf-n9G')
  assert.equal(keyIn('#content'), null)
  assert.equal(keyIn('#key='), null)
  assert.equal(keyIn('#key=short'), null)
  assert.equal(keyIn('#key=with%0d%0anew-lines-in-a-header'), null)
  assert.equal(keyIn(''), null)
})

test('a pasted key is read from a whole address as well as alone', () => {
  const key = '3ihDJiuc4tRczW7uom_XKR9JE1nf-n9G'
  assert.equal(keyInText(` http://127.0.0.1:7700/new#key=${key}\n`), key)
  assert.equal(keyInText(`#key=${key}`), key)
  assert.equal(keyInText(` ${key} `), key)
  assert.equal(keyInText('http://127.0.0.1:7700/'), null)
  assert.equal(keyInText('hello'), null)
})
