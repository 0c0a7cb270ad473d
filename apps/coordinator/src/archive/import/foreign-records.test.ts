// Goal: whatever others wrote into a WARC file, what we read of it fits our tables and our files.
// Method: hand-made records of every odd kind, and random header values.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  encodeRecord,
  readRecords,
  sha256Label,
  type HeaderPair,
  type RecordDraft,
} from '@minga/archive'
import * as fc from 'fast-check'
import { collect, inPieces } from '../../../../../packages/archive/test/sample-exchange.ts'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { capturesIn, repacked } from './foreign-records.ts'
import type { ImportedCapture } from './import-captures.ts'

const file = join(temporaryFolder(), 'theirs.warc.gz')
const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=x\r\n\r\n<p>hello'

interface Odd {
  type?: RecordDraft['type']
  url?: string
  date?: string
  headers?: HeaderPair[]
  block?: string | Buffer
  contentType?: string
}

function record(odd: Odd = {}): Buffer {
  const { type = 'response', url = 'http://a.test/', date = '2020-01-02T03:04:05Z' } = odd
  return encodeRecord({
    type,
    headers: [
      ['WARC-Record-ID', '<urn:uuid:00000000-0000-4000-8000-000000000001>'],
      ['WARC-Date', date],
      ['WARC-Target-URI', url],
      ['Content-Type', odd.contentType ?? 'application/http; msgtype=response'],
      ...(odd.headers ?? []),
    ],
    block: [Buffer.from(odd.block ?? HTML)],
  })
}

function read(...records: Buffer[]): Promise<ImportedCapture[]> {
  const bytes = Buffer.concat(records)
  writeFileSync(file, bytes)
  return collect(capturesIn(file, inPieces(bytes, 1_000)))
}

test('a response is a capture with its place, its type and a digest of its payload', async () => {
  const [first, second] = [record(), record({ url: 'http://b.test/#part' })]
  const captures = await read(first, second)
  assert.deepEqual(captures[0], {
    url: 'http://a.test/',
    capturedAt: Date.UTC(2020, 0, 2, 3, 4, 5),
    kind: 'response',
    status: 200,
    mime: 'text/html',
    digest: sha256Label([Buffer.from('<p>hello')]),
    payloadBytes: 8,
    recordId: '<urn:uuid:00000000-0000-4000-8000-000000000001>',
    offset: 0,
    length: first.length,
  })
  assert.equal(captures[1]?.url, 'http://b.test/')
  assert.deepEqual([captures[1]?.offset, captures[1]?.length], [first.length, second.length])
})

test('a resource is a capture too, and all of its block is payload', async () => {
  const [capture] = await read(record({ type: 'resource', contentType: 'image/png', block: 'png' }))
  assert.deepEqual([capture?.mime, capture?.payloadBytes], ['image/png', 3])
  assert.equal(capture?.digest, sha256Label([Buffer.from('png')]))
})

test('the file’s own digest counts, one that is none is replaced', async () => {
  const own = 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
  for (const [said, kept] of [
    [own, own],
    ['nonsense', sha256Label([Buffer.from('<p>hello')])],
  ] as const) {
    const [capture] = await read(record({ headers: [['WARC-Payload-Digest', said]] }))
    assert.equal(capture?.digest, kept)
  }
})

test('a reference without a digest has none, and its type is that of its own head', async () => {
  const odd: Odd = {
    type: 'revisit',
    headers: [['WARC-Profile', 'http://netpreserve.org/warc/1.0/revisit/server-not-modified']],
    block: 'HTTP/1.1 304 Not Modified\r\n\r\n',
  }
  const [capture] = await read(record(odd))
  assert.deepEqual([capture?.kind, capture?.digest, capture?.mime], ['revisit', '-', 'unk'])
})

test('what is no page, has no date or lies outside of the calendar is passed over', async () => {
  const passedOver: Odd[] = [
    { type: 'request' },
    { type: 'metadata' },
    { type: 'resource', url: 'urn:notes' },
    { type: 'resource', url: 'metadata://x/y' },
    { url: 'http://[bad' },
    { date: 'yesterday' },
    { date: '0999-12-31T23:59:59Z' },
    { date: '+010000-01-01T00:00:00Z' },
  ]
  assert.deepEqual(await read(...passedOver.map(record), record()), await onlyTheLast())

  async function onlyTheLast(): Promise<ImportedCapture[]> {
    const [capture] = await read(record())
    const before = passedOver.map(record).reduce((sum, bytes) => sum + bytes.length, 0)
    return [{ ...capture!, offset: before }]
  }
})

test('damage between records hides only what is damaged', async () => {
  const broken = record()
  broken.fill(0, 20, 60)
  const captures = await read(record(), broken, record({ url: 'http://c.test/' }))
  assert.deepEqual(
    captures.map(({ url }) => url),
    ['http://a.test/', 'http://c.test/'],
  )
})

test('a payload beyond what is read at once is measured and digested whole', async () => {
  const body = Buffer.alloc(700_000, 'x')
  const block = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body])
  const [capture] = await read(record({ block }))
  assert.equal(capture?.payloadBytes, body.length)
  assert.equal(capture?.digest, sha256Label([body]))
})

test('any header value gives rows without control characters and of bounded length', async () => {
  const value = fc.string({ unit: 'binary', maxLength: 300 })
  const runs = process.env['MINGA_LONG'] === '1' ? 2_000 : 100
  await fc.assert(
    fc.asyncProperty(value, value, async (type, digest) => {
      const block = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\nx`)
      for (const kind of ['response', 'revisit'] as const) {
        const headers: HeaderPair[] = [['WARC-Payload-Digest', digest.replaceAll(/[\r\n]/g, ' ')]]
        for (const capture of await read(record({ type: kind, headers, block }))) {
          assert.match(`${capture.mime}|${capture.digest}`, /^[\x20-\x7e]{1,500}$/)
        }
      }
    }),
    { numRuns: runs },
  )
})

test('repacking gives every readable record a member of its own with true lengths and digests', async () => {
  const bracketed = record({ url: '<http://old.test/>' })
  const broken = record()
  broken.fill(0, 20, 60)
  const packed = await collect(repacked(inPieces(Buffer.concat([record(), broken, bracketed]), 77)))
  assert.equal(packed.length, 2)
  const items = await collect(readRecords(inPieces(Buffer.concat(packed), 1_000)))
  const uris = items.map((item) => ('damage' in item ? null : item.headers.get('WARC-Target-URI')))
  assert.deepEqual(uris, ['http://a.test/', 'http://old.test/'])
})
