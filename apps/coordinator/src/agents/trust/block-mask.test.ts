// Goal: an agent cannot tell whose work a request is, and the station can. Method: random blocks there
// and back, and what a block shows compared with what it hides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { urlHash } from '@minga/frontier'
import type { Block, Result } from '@minga/protocol'
import { BlockMask } from './block-mask.ts'

const number = (max: number) => fc.integer({ min: 0, max })

function blockOf(
  fence: number,
  host: { hostId: number; collectionId: number; hash: number },
): Block {
  const { hostId, collectionId, hash } = host
  const request = {
    hash,
    url: 'http://a.test/',
    kind: 'document' as const,
    hops: 0,
    depth: 0,
    via: null,
    previous: null,
  }
  const rest = { address: '192.0.2.1', delayMs: 0, threads: 1, bytesPerSecond: null }
  return { fence, deadlineMs: 1, hosts: [{ hostId, collectionId, ...rest, requests: [request] }] }
}

function resultOf({ fence, hosts: [host] }: Block): Result {
  const { hostId, collectionId, requests } = host!
  return { type: 'returned', fence, hostId, collectionId, hash: requests[0]!.hash }
}

test('what was masked comes back as it was', () => {
  const facts = fc.record({
    fence: number(2 ** 40),
    hostId: number(2 ** 40),
    collectionId: number(2 ** 31 - 1),
    hash: number(2 ** 52 - 1),
  })
  fc.assert(
    fc.property(facts, fc.string(), ({ fence, ...host }, secret) => {
      const mask = new BlockMask(secret)
      const masked = mask.mask(blockOf(fence, host))
      const seen = resultOf(masked)
      assert.ok(Number.isSafeInteger(seen.hash) && seen.hash >= 0 && seen.collectionId >= 0)
      assert.deepEqual(mask.unmask([seen]), [{ type: 'returned', fence, ...host }])
    }),
    { numRuns: 2_000 },
  )
})

test('neither the collection nor the hash of a URL shows, and no two leases look alike', () => {
  const mask = new BlockMask('secret')
  const hash = urlHash('http://a.test/')
  const seen = [1, 2, 3].map((fence) =>
    resultOf(mask.mask(blockOf(fence, { hostId: 7, collectionId: 3, hash }))),
  )
  assert.ok(seen.every((result) => result.collectionId !== 3 && result.hash !== hash))
  assert.equal(new Set(seen.map((result) => result.collectionId)).size, 3)
  assert.equal(new Set(seen.map((result) => result.hash)).size, 3)
})
