// Goal: a name is read as its bytes say, whatever was read before it. Method: many names against Node's own reading.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TagNames } from './xml-lexer.ts'

test('a name is what its bytes say, also where names share a place', () => {
  const names = fc.array(fc.uint8Array({ maxLength: 40, max: 255 }), { maxLength: 300 })
  fc.assert(
    fc.property(names, (all) => {
      const read = new TagNames()
      for (const name of [...all, ...all]) {
        const bytes = Buffer.from([60, ...name, 62])
        const expected = Buffer.from(name).toString('latin1')
        assert.equal(read.read(bytes, 1, bytes.length - 1), expected)
      }
    }),
    { seed: 5 },
  )
})

test('two names with the same length and ends are distinguished', () => {
  const read = new TagNames()
  for (const name of ['abcd', 'axyd', 'abcd']) {
    assert.equal(read.read(Buffer.from(name), 0, 4), name)
  }
})
