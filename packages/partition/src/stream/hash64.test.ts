// Goal: the hash never changes, in any process or version. Method: recorded values, and the
// definition computed again with big integers for any text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { hash64, remainder, type Hash64 } from './hash64.ts'

const RUNS = { numRuns: 300, seed: 20_260_101 }
const MASK = (1n << 64n) - 1n

function byDefinition(name: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(name)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK
  }
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & MASK
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK
  return hash ^ (hash >> 33n)
}

function whole({ high, low }: Hash64): bigint {
  return (BigInt(high) << 32n) | BigInt(low)
}

test('the hash of a name is what its definition says, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
      assert.equal(whole(hash64(name)), byDefinition(name))
    }),
    RUNS,
  )
})

test('the hashes of some names are the same for ever', () => {
  assert.deepEqual(
    ['', 'a', 'example.org', 'www.example.org', 'xn--bcher-kva.example'].map((name) =>
      whole(hash64(name)).toString(16).padStart(16, '0'),
    ),
    [
      'efd01f60ba992926',
      '82a2a958a9bece5b',
      'cd3b846cb9256ccf',
      '9f35ce4e261f9fe4',
      '2f35c3df810f623b',
    ],
  )
})

test('the remainder is that of all 64 bits', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 1_000_000 }), (name, k) => {
      assert.equal(BigInt(remainder(hash64(name), k)), byDefinition(name) % BigInt(k))
    }),
    RUNS,
  )
})

test('one letter more or less changes about half of the bits', () => {
  let flipped = 0
  for (let i = 0; i < 1_000; i++) {
    let difference = whole(hash64(`host${i}.example`)) ^ whole(hash64(`host${i + 1}.example`))
    for (; difference > 0n; difference &= difference - 1n) flipped++
  }
  assert.ok(Math.abs(flipped / 1_000 - 32) < 0.5, `${flipped / 1_000} of 64 bits`)
})
