// Goal: digests are right also without the browser's own, and ids are UUIDs. Method: compared with Node's.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { digestOf, newId, sha256 } from './digest.ts'

test('the digest of any length is that of Node', async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000, 100_003]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256)
    const expected = createHash('sha256').update(bytes).digest('hex')
    assert.equal(Buffer.from(sha256(bytes)).toString('hex'), expected, `${length} bytes`)
    assert.equal(await digestOf(bytes), `sha256:${expected}`)
  }
})

test('ids are UUIDs of version 4, and no two are the same', () => {
  const ids = Array.from({ length: 100 }, newId)
  assert.equal(new Set(ids).size, 100)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})
