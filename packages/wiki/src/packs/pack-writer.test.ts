// Goal: shared ends are exactly those that a byte-by-byte comparison finds. Method: random texts with much in common.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { sharedEnds } from './pack-writer.ts'

/** Two letters make accidental equality common. */
const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 })

test('the beginning and the end that two texts share are found to the byte and never overlap', () => {
  fc.assert(
    fc.property(part, part, part, part, (head, one, other, tail) => {
      const [a, b] = [one, other].map((middle) => Buffer.from(head + middle + tail))
      const { start, end } = sharedEnds(a!, b!)
      const shorter = Math.min(a!.length, b!.length)
      let expectedStart = 0
      while (expectedStart < shorter && a![expectedStart] === b![expectedStart]) expectedStart += 1
      let expectedEnd = 0
      while (
        expectedEnd < shorter - expectedStart &&
        a!.at(-1 - expectedEnd) === b!.at(-1 - expectedEnd)
      ) {
        expectedEnd += 1
      }
      assert.deepEqual({ start, end }, { start: expectedStart, end: expectedEnd })
    }),
    { seed: 65, numRuns: 500 },
  )
})
