// Goal: a batch of another station is accepted or rejected as a whole, and no batch keeps the main
// loop from others. Method: hand-made batches, read in place, in the thread and by the exchange of
// a station.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { BadUpload, systemClock } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { BatchReader } from './exchange.ts'
import { decodeBatch, rowsOfBatch } from './exchange-batch.ts'
import { linkedWeb, TestFederation } from '../../../test/federation/member/exchange-fixture.ts'

const HOSTILE_CHARS = 16_000_000
const brackets = (): string => '['.repeat(HOSTILE_CHARS)
const names = (): string => {
  const limits = Array.from({ length: 800_000 }, (_, i) => `"${i}":1`)
  return `{"collections":[{"identity":"x","shares":{${limits.join()}}}]}`
}
const HOSTILE_BATCHES = [
  ['brackets', brackets],
  ['names', names],
] as const

test('a batch that is no batch, or speaks of what it does not describe, is refused as a whole', () => {
  const lines = (...parts: object[]): Buffer =>
    zstdCompressSync(parts.map((part) => JSON.stringify(part)).join('\n'))
  const row = (url: string): object => ({
    seq: 1,
    kind: 'urls',
    identity: 'x',
    payload: { urls: [[url, 'page', 0, 0, null]] },
  })
  assert.throws(() => decodeBatch(Buffer.from('no frame')), BadUpload)
  assert.throws(() => decodeBatch(lines({ collections: [] }, row('http://a.test/'))), BadUpload)
  const spec = JSON.stringify({ seeds: ['http://a.test/'] })
  const described = {
    identity: 'x',
    spec,
    state: 'running',
    reason: null,
    home: 'a',
    version: 1,
    versionBy: 'a',
    shares: null,
  }
  const good = decodeBatch(lines({ collections: [described] }, row('http://a.test/')))
  assert.equal(good.rows.length, 1)
  // Not canonical: it would be in the seen-set in addition to the same page.
  assert.throws(() => decodeBatch(lines({ collections: [described] }, row('http://A.test:80/#x'))))
  const requests = { ...described, spec: JSON.stringify({ kind: 'requests', seeds: [] }) }
  assert.throws(() => decodeBatch(lines({ collections: [requests] })))
})

test('a batch of more than sixteen megabytes is refused before it is read', () => {
  const row = { seq: 1, kind: 'urls', identity: 'x'.repeat(17_000_000), payload: { urls: [] } }
  const body = zstdCompressSync(`{"collections":[]}\n${JSON.stringify(row)}`)
  assert.throws(() => decodeBatch(body), /no batch of lines/)
})

for (const [name, text] of HOSTILE_BATCHES) {
  test(`${name} delay no other station while another station is refused`, async () => {
    const web = linkedWeb({ hosts: 1, pages: 1, seed: 2 })
    const federation = await TestFederation.open(ENGINES[0]!, { ids: ['a'], web })
    let turns = 0
    const others = new AbortController()
    const turning = (async () => {
      for (; !others.signal.aborted; turns++) await setTimeout(1)
    })()
    const body = zstdCompressSync(text())
    await assert.rejects(federation.at('a').exchange.receive('b', body), BadUpload)
    others.abort()
    await turning
    assert.ok(turns > 20, `${turns} turns of the main loop`)
  })
}

test('a batch ends where the descriptions of its collections would make it too large', () => {
  const spec = 'x'.repeat(1_000_000)
  const rest = { state: 'running', reason: null, home: 'a', versionBy: 'a', shares: null } as const
  const collections = Array.from({ length: 20 }, (_, i) => ({
    ...rest,
    identity: `${i >> 1}`,
    spec,
    version: 1,
  }))
  const rows = Array.from({ length: 20 }, (_, i) => ({
    seq: i,
    kind: 'urls' as const,
    identity: `${i >> 1}`,
    entries: 1,
    payload: '{"urls":[]}',
  }))
  const sent = rowsOfBatch(rows, collections)
  assert.ok(sent.length >= 6 && sent.length < 13, `${sent.length} rows`)
  assert.equal(rowsOfBatch([{ ...rows[0]!, payload: spec.repeat(9) }], collections).length, 1)
  assert.deepEqual(rowsOfBatch([], []), [])
})

test('a large batch is read apart, and refused when that takes too long', async () => {
  const large = (row: string): Buffer =>
    zstdCompressSync(`{"collections":[]}\n${row}`.padEnd(1_000_000))
  const over = large('{"seq":1,"kind":"over","payload":{"hosts":[]}}')
  const hasty = new BatchReader({ sleep: async () => {} })
  await assert.rejects(hasty.read(over), /too much time or memory/)
  const reader = new BatchReader(systemClock)
  assert.deepEqual(await reader.read(over), decodeBatch(over))
  await assert.rejects(reader.read(large('{}')), /not as agreed/)
  await Promise.all([hasty.close(), reader.close()])
})
