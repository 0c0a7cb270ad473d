// Goal: numbers of any size come back as they were written. Method: random numbers, and bytes cut anywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteReader, ByteWriter } from './byte-code.ts'

test('whole numbers of either sign and any size come back as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat()), fc.array(fc.integer()), (large, signed) => {
      const writer = new ByteWriter()
      for (const value of large) writer.number(value)
      for (const value of signed) writer.signed(value)
      const reader = new ByteReader(writer.written())
      assert.deepEqual(
        large.map(() => reader.number()),
        large,
      )
      assert.deepEqual(
        signed.map(() => reader.signed()),
        signed,
      )
      assert.equal(reader.left, 0)
    }),
    { seed: 61, numRuns: 200 },
  )
})

test('bytes that end in the middle of a number, a text or a checksum are refused', () => {
  const writer = new ByteWriter()
  writer.number(300)
  writer.text('minga')
  writer.uint32(7)
  const whole = writer.written()
  for (let length = 0; length < whole.length; length += 1) {
    const reader = new ByteReader(whole.subarray(0, length))
    assert.throws(() => [reader.number(), reader.text(), reader.uint32()], RangeError)
  }
})
