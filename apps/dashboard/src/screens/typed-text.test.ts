// Goal: an address without a scheme means the same on the page and on the command line. Method: both on any text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withScheme as inTerminal } from '@minga/protocol'
import * as fc from 'fast-check'
import { withScheme } from './typed-text.ts'

test('the page and the command line complete an address in the same way', () => {
  assert.equal(withScheme('example.org'), 'https://example.org')
  const typed = fc.oneof(fc.string(), fc.domain(), fc.webUrl(), fc.ipV4())
  const rest = fc.constantFrom('', '/', ':8080', ':8080/x', '?q=1', '#a', ':x')
  fc.assert(
    fc.property(typed, rest, (start, end) => {
      assert.equal(withScheme(start + end), inTerminal(start + end))
    }),
  )
})
