// Goal: no bytes make a parser of this package throw, hang or run away. Method: random bytes and
// mutated valid files, 20,000 and more by default; readers must end and account for what they saw.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { cdxjLine, parseCdxjLine, parseTimestamp } from './cdxj.ts'
import { parseDigest } from './digest.ts'
import { UnreadableRecord } from './errors.ts'
import { parseHttpBlock } from './http-block.ts'
import { decodeMember } from './one-member.ts'
import { collect, inPieces, sampleArchive } from '../test/sample-exchange.ts'
import { verifyRecords } from './verify.ts'
import { readRecords } from './warc-reader.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 200_000 : 2_000

const members = sampleArchive([
  Buffer.from('first body'),
  Buffer.alloc(700, 'second '),
  Buffer.alloc(0),
])
const plain = gunzipSync(members)
const valid = [members, plain, gzipSync(plain), Buffer.concat([plain, members])]

type Mutation = {
  kind: 'flip' | 'cut' | 'insert' | 'repeat'
  at: number
  size: number
  byte: number
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'insert', 'repeat'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  size: fc.integer({ min: 1, max: 60 }),
  byte: fc.integer({ min: 0, max: 255 }),
})

function mutate(bytes: Buffer, { kind, at, size, byte }: Mutation): Buffer {
  const start = Math.floor(at * bytes.length)
  const before = bytes.subarray(0, start)
  const after = bytes.subarray(start)
  if (kind === 'flip') return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)])
  if (kind === 'cut') return Buffer.concat([before, after.subarray(size)])
  if (kind === 'insert') return Buffer.concat([before, Buffer.alloc(size, byte), after])
  return Buffer.concat([before, after.subarray(0, size), after])
}

const mutated = fc
  .tuple(fc.constantFrom(...valid), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([file, changes]) => changes.reduce(mutate, file))
const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const halfNoise = fc
  .tuple(
    fc.constantFrom('WARC/1.0\r\nContent-Length: 5\r\n\r\n', '\x1f\x8b\x08\0', '\x1f\x8b\x08\x1f'),
    noise,
  )
  .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'latin1'), rest]))

test('the reader survives any bytes and never leaves the file', async () => {
  const pieces = fc.integer({ min: 1, max: 3000 })
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, noise, halfNoise), pieces, async (bytes, piece) => {
      let last = -1
      for await (const item of readRecords(inPieces(bytes, Math.max(piece, 20)))) {
        const offset = 'damage' in item ? item.damage.offset : item.offset
        assert.ok(offset >= last && offset < bytes.length)
        last = offset
        if (!('damage' in item)) assert.ok(item.offset + item.length <= bytes.length)
      }
      assert.ok(last >= 0 || /^[\r\n]*$/.test(bytes.toString('latin1')) || bytes[0] === 0x1f)
    }),
    { numRuns: RUNS },
  )
})

test('verification survives any bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, halfNoise), async (bytes) => {
      for (const finding of await collect(verifyRecords(bytes)))
        assert.ok(finding.message.endsWith('.'))
    }),
    { numRuns: RUNS },
  )
})

test('one member is decoded or refused with its own error', () => {
  fc.assert(
    fc.property(fc.oneof(mutated, noise, halfNoise), (bytes) => {
      try {
        assert.ok(decodeMember(bytes).block.length >= 0)
      } catch (error) {
        assert.ok(error instanceof UnreadableRecord)
      }
    }),
    { numRuns: RUNS },
  )
})

test('HTTP blocks, index lines, digests and timestamps of any text are read or refused', () => {
  const head = fc.constantFrom(
    '',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200\nTransfer-Encoding: chunked\n\n',
  )
  const lineStart = fc.constantFrom('', 'org,a)/ 20260101000000 ', 'x 20260101000000 {"url":"a"')
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(head, lineStart, text, (start, line, rest) => {
      parseHttpBlock(Buffer.from(start + rest, 'latin1'))
      parseCdxjLine(line + rest)
      parseDigest(`sha1:${rest}`)
      parseTimestamp(rest)
    }),
    { numRuns: RUNS },
  )
})

test('any entry goes through an index line of pure ASCII and comes back', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.toWellFormed())
  const entries = fc.record({
    timestamp: fc.constantFrom('20260102030405', '20260102030405678'),
    url: fc.oneof(
      fc.webUrl(),
      text.map((value) => `http://h/${value}`),
      text,
    ),
    mime: text,
    status: text,
    digest: text,
    length: fc.nat(),
    offset: fc.nat(),
    filename: text,
  })
  fc.assert(
    fc.property(entries, (entry) => {
      if (entry.url === '') return
      const line = cdxjLine(entry)
      assert.match(line, /^[\x20-\x7e]+$/)
      const { key, ...back } = parseCdxjLine(line)!
      assert.deepEqual(back, { ...entry })
      assert.ok(line.startsWith(`${key} `))
    }),
    { numRuns: RUNS },
  )
})
