// Goal: a SHA-1 means the same in hex and in base 36. Method: known pairs of MediaWiki, and random digests
// there and back.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { base36OfSha1, sha1OfBase36 } from './sha1-base36.ts'

test('the digest of the empty text is the one that MediaWiki writes for blank pages', () => {
  const empty = createHash('sha1').digest('hex')
  assert.equal(base36OfSha1(empty), 'phoiac9h4m842xq45sp7s6u21eteeq1')
  assert.equal(sha1OfBase36('phoiac9h4m842xq45sp7s6u21eteeq1'), empty)
})

test('every digest survives the way to base 36 and back, zeros in front included', () => {
  const digit = fc.constantFrom(...'0123456789abcdef'.split(''))
  const digest = fc.oneof(
    fc.array(digit, { minLength: 40, maxLength: 40 }).map((digits) => digits.join('')),
    fc.nat({ max: 5000 }).map((small) => small.toString(16).padStart(40, '0')),
  )
  fc.assert(
    fc.property(digest, (hex) => {
      const short = base36OfSha1(hex)
      assert.equal(short.length, 31)
      assert.equal(sha1OfBase36(short), hex)
      assert.equal(sha1OfBase36(short.replace(/^0+(?=.)/, '')), hex)
    }),
    { seed: 36 },
  )
})

test('what is no digest in base 36 gives nothing, a number beyond 160 bits included', () => {
  for (const text of ['', 'ABC', 'phoiac9h4m842xq45sp7s6u21eteeq1x', 'z'.repeat(31), 'é', '-1']) {
    assert.equal(sha1OfBase36(text), null, text)
  }
})
