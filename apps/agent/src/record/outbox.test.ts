// Goal: every result leaves once, in order, in uploads that a station takes. Method: random parcels
// through the real encoding and back, and the sizes at which uploads must be cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decodeUpload, type CapturedResult, type Result } from '@minga/protocol'
import { Outbox, type Batch, type Parcel } from './outbox.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 5_000 : 300
const MIB = 1024 * 1024

const nameOf = (hash: number, fence = 1) => ({ fence, collectionId: 1, hostId: 1, hash })

function returned(hash: number): Parcel {
  return {
    result: { type: 'returned', ...nameOf(hash) },
    members: [],
    endedAtMs: 0,
    weightBytes: 1_000,
  }
}

function captured(hash: number, members: Buffer[], more: Partial<CapturedResult> = {}): Parcel {
  const result: CapturedResult = {
    type: 'captured',
    kind: 'page',
    ...nameOf(hash),
    url: 'http://h.test/',
    status: 200,
    capturedAt: 1,
    endedAgoMs: 0,
    firstByteMs: 1,
    totalMs: 1,
    record: 'response',
    mime: 'text/html',
    digest: 'sha256:00',
    payloadBytes: 1,
    members: members.map(({ length }) => length),
    retryAfterMs: null,
    location: null,
    etag: null,
    lastModified: null,
    title: null,
    nofollow: false,
    links: [],
    embeds: [],
    sitemaps: [],
    body: null,
    ...more,
  }
  return { result, members, endedAtMs: 0, weightBytes: 2_000 }
}

test('what is said of pages fills an upload like their records: a station reads so much and no more', () => {
  const outbox = new Outbox()
  const long = 'x'.repeat(8_000)
  const facts = { url: `http://h.test/${long}`, etag: long, lastModified: long, title: long }
  for (let i = 0; i < 1_000; i++) outbox.put(captured(i, [Buffer.alloc(10)], facts))
  const batches = takeAll(outbox, 4 * MIB)
  assert.ok(batches.length >= 7, `${batches.length} uploads`)
  for (const { body } of batches) decodeUpload(Buffer.from(body))
})

function takeAll(outbox: Outbox, bytesMax: number): Batch[] {
  const batches: Batch[] = []
  for (;;) {
    const batch = outbox.take({ boot: 'boot-0001', bytesMax, nowMs: 0 })
    if (batch === null) return batches
    batches.push(batch)
  }
}

const uploadOf = ({ body }: Batch) => decodeUpload(Buffer.from(body))
const hashesOf = (batch: Batch): number[] =>
  uploadOf(batch).manifest.results.map(({ hash }) => hash)

test('any results leave once and in order, each with its own bytes', () => {
  const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 3 }), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 2_000 }), (parcels, bytesMax) => {
      const outbox = new Outbox()
      for (const [hash, lengths] of parcels.entries()) {
        const members = lengths.map((length) => Buffer.alloc(length, hash + 1))
        outbox.put(members.length === 0 ? returned(hash) : captured(hash, members))
      }
      const batches = takeAll(outbox, bytesMax)
      assert.deepEqual(batches.flatMap(hashesOf), [...parcels.keys()])
      const sent = Buffer.concat(batches.map((batch) => uploadOf(batch).members))
      const put = parcels.flatMap((lengths, hash) =>
        lengths.map((length) => Buffer.alloc(length, hash + 1)),
      )
      assert.ok(sent.equals(Buffer.concat(put)))
    }),
    { numRuns: CASES },
  )
})

test('an upload ends with the parcel that reaches its size, and a huge one travels alone', () => {
  const outbox = new Outbox()
  for (const [hash, bytes] of [6_000, 6_000, 6_000, 50_000, 6_000].entries()) {
    outbox.put(captured(hash, [Buffer.alloc(bytes)]))
  }
  assert.deepEqual(takeAll(outbox, 10_000).map(hashesOf), [[0, 1], [2, 3], [4]])
  outbox.put(captured(9, [Buffer.alloc(50_000)]))
  outbox.put(captured(10, [Buffer.alloc(1)]))
  assert.deepEqual(takeAll(outbox, 10_000).map(hashesOf), [[9], [10]])
  assert.equal(outbox.take({ boot: 'boot-0001', bytesMax: 10_000, nowMs: 0 }), null)
})

test('an upload names what it frees: a fence per result, and the memory of all', () => {
  const outbox = new Outbox()
  outbox.put(returned(1))
  const result: Result = { type: 'returned', ...nameOf(2, 7) }
  outbox.put({ result, members: [], endedAtMs: 0, weightBytes: 30 })
  const batch = outbox.take({ boot: 'boot-0001', bytesMax: 1_000, nowMs: 0 })
  assert.deepEqual(batch?.fences, [1, 7])
  assert.equal(batch?.weightBytes, 1_030)
  assert.equal(uploadOf(batch).manifest.boot, 'boot-0001')
})

test('the age of a response counts from its end to the packing, and is never negative', () => {
  const outbox = new Outbox()
  outbox.put({ ...captured(1, [Buffer.alloc(1)]), endedAtMs: 1_000.7 })
  outbox.put({ ...captured(2, [Buffer.alloc(1)]), endedAtMs: 9_000 })
  const { code, message, retry } = { code: 'MINGA_X', message: '', retry: 'later' as const }
  const failed: Result = {
    type: 'failed',
    ...nameOf(3),
    url: '',
    code,
    message,
    retry,
    totalMs: 1,
    endedAgoMs: 0,
  }
  outbox.put({ result: failed, members: [], endedAtMs: 2_000, weightBytes: 0 })
  outbox.put(returned(4))
  const batch = outbox.take({ boot: 'boot-0001', bytesMax: 10_000, nowMs: 5_000 })
  const ages = uploadOf(batch!).manifest.results.map((result) =>
    result.type === 'returned' ? null : result.endedAgoMs,
  )
  assert.deepEqual(ages, [3_999, 0, 3_000, null])
})

test('results without bytes are cut into uploads too: a station takes 10,000 at most', () => {
  const outbox = new Outbox()
  for (let hash = 0; hash < 25_000; hash++) outbox.put(returned(hash))
  const batches = takeAll(outbox, 4 * MIB)
  assert.deepEqual(
    batches.flatMap(hashesOf),
    Array.from({ length: 25_000 }, (_, hash) => hash),
  )
})

test('links count for the size: pages that are nothing but links make no giant upload', () => {
  const outbox = new Outbox()
  const long = `http://h.test/${'x'.repeat(500)}`
  const links = Array.from({ length: 2_000 }, () => long)
  for (let hash = 0; hash < 40; hash++) {
    const list = (['links', 'embeds', 'sitemaps'] as const)[hash % 3]!
    outbox.put(captured(hash, [Buffer.alloc(100)], { [list]: links }))
  }
  const batches = takeAll(outbox, 4 * MIB)
  assert.equal(batches.flatMap(hashesOf).length, 40)
  for (const batch of batches) assert.ok(hashesOf(batch).length <= 5, 'parcels of 1 MB each')
})
