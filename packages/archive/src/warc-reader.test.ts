// Goal: every WARC that is out there can be read, and damage costs only what is damaged.
// Method: files in all storage forms, cut into arbitrary pieces; known damage at known offsets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { readChunks } from './archive-files.ts'
import { UnreadableRecord } from './errors.ts'
import { recordExchange } from './exchange-members.ts'
import { dechunk, parseHttpBlock } from './http-block.ts'
import {
  collect,
  countingIds,
  inPieces,
  sampleArchive,
  sampleExchange,
  sampleWarcinfo,
} from '../test/sample-exchange.ts'
import {
  readRecordAt,
  readRecords,
  type ReadOptions,
  type WarcDamage,
  type WarcRecord,
} from './warc-reader.ts'

const LONG = process.env['MINGA_LONG'] === '1'

async function read(bytes: Buffer, pieceBytes = 1000, options: ReadOptions = {}) {
  const items = await collect(readRecords(inPieces(bytes, pieceBytes), options))
  return {
    records: items.filter((item): item is WarcRecord => !('damage' in item)),
    damage: items.filter((item): item is WarcDamage => 'damage' in item).map((item) => item.damage),
  }
}

const bodies = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
    fc.integer({ min: 60_000, max: 3_000_000 }).map((size) => Buffer.alloc(size, 'minga ')),
  ),
  { minLength: 1, maxLength: 4 },
)

test('whatever is written is read back, in any storage and any pieces, with offsets that work alone', async () => {
  const storages = fc.constantFrom('member', 'plain', 'shared-member')
  await fc.assert(
    fc.asyncProperty(
      bodies,
      storages,
      fc.integer({ min: 1, max: 70_000 }),
      async (list, storage, piece) => {
        const members = sampleArchive(list)
        const plain = gunzipSync(members)
        const file = { member: members, plain, 'shared-member': gzipSync(plain) }[storage]
        const { records, damage } = await read(file, Math.max(piece, file.length >> 10))
        assert.deepEqual(damage, [])
        assert.equal(records.length, 1 + 3 * list.length)
        assert.ok(records.every((record) => record.storage === storage && record.isWhole))
        const captures = records.filter(({ type }) => type === 'response')
        assert.deepEqual(
          captures.map(({ block }) => parseHttpBlock(block)?.body),
          list,
        )
        if (storage === 'shared-member') return
        let at = 0
        for (const { offset, length, block } of records) {
          assert.equal(offset, at)
          at += length
          const [alone] = await collect(readRecords(file.subarray(offset, offset + length)))
          assert.deepEqual((alone as WarcRecord).block, block)
        }
        assert.equal(at, file.length)
      },
    ),
    { numRuns: LONG ? 1000 : 15 },
  )
})

test('only the wanted part of a block is kept, while an inspector sees all of it', async () => {
  let seen = 0
  const inspect = () => (piece: Buffer) => void (seen += piece.length)
  const file = sampleArchive([Buffer.alloc(5_000_000, 'x')])
  const { records } = await read(file, 64_000, { blockLimitBytes: 100, inspect })
  assert.ok(records.every(({ block }) => block.length <= 100))
  assert.equal(records[1]?.isWhole, false)
  assert.equal(
    seen,
    records.reduce((sum, { blockBytes }) => sum + blockBytes, 0),
  )
})

test('older versions, bare line feeds, folded headers and missing line breaks are accepted', async () => {
  const text = [
    'WARC/0.17\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n',
    'WARC/0.18\nWARC-Type: response\nX-Folded: a\n  b\nContent-Length: 3\n\ndef',
    'WARC/1.0\r\nwarc-type: Resource\r\ncontent-length:0\r\n\r\n\r\n',
    'WARC/1.1\r\nContent-Length: 2\r\nWARC-Type: metadata\r\n\r\nxy',
  ].join('')
  const { records, damage } = await read(Buffer.from(text), 7)
  assert.deepEqual(damage, [])
  assert.deepEqual(
    records.map(({ version }) => version),
    ['0.17', '0.18', '1.0', '1.1'],
  )
  assert.deepEqual(
    records.map(({ block }) => block.toString()),
    ['abc', 'def', '', 'xy'],
  )
  assert.equal(records[1]?.headers.get('x-folded'), 'a b')
  assert.equal(records[2]?.type, 'resource')
})

test('one flipped byte costs one member and is named by its offset', async () => {
  const newId = countingIds()
  const members = [sampleWarcinfo()]
  for (let index = 0; index < 5; index++) {
    const body = Buffer.alloc(index === 2 ? 2_000_000 : 300, `page ${index} `)
    members.push(...recordExchange(sampleExchange({ body }), newId).members)
  }
  for (const [hurt, member] of members.entries()) {
    const offset = members.slice(0, hurt).reduce((sum, { length }) => sum + length, 0)
    for (const at of [0, 3, 12, member.length >> 1, member.length - 6, member.length - 2]) {
      const file = Buffer.concat(members)
      file[offset + at]! ^= 0xff
      const { records, damage } = await read(file, 5000)
      assert.equal(records.length, members.length - 1, `member ${hurt} byte ${at}`)
      assert.deepEqual(
        damage.map((one) => one.offset),
        [offset],
      )
    }
  }
})

test('a file cut anywhere gives every whole record and names where the torn one starts', async () => {
  const file = sampleArchive([Buffer.from('one'), Buffer.from('two')])
  const { records } = await read(file)
  const starts = records.map(({ offset }) => offset)
  for (let cut = 1; cut < file.length; cut++) {
    const result = await read(file.subarray(0, cut), 100)
    const whole = starts.filter((start, index) => (starts[index + 1] ?? file.length) <= cut).length
    const torn = starts.includes(cut) ? [] : [{ offset: starts[whole], code: 'truncated' }]
    assert.equal(result.records.length, whole)
    assert.deepEqual(
      result.damage.map(({ offset, code }) => ({ offset, code })),
      torn,
    )
  }
})

test('a plain record with a false length is damage, and its neighbours are still found', async () => {
  const good = (name: string) =>
    `WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 1\r\n\r\n${name}\r\n\r\n`
  const bad = (length: string) => `WARC/1.0\r\nContent-Length: ${length}\r\n\r\nsome block\r\n\r\n`
  for (const length of ['3', '40', '999999', 'ten', '-1', '99999999999999999']) {
    const file = Buffer.from(good('a') + bad(length) + good('b') + good('c'))
    const { records, damage } = await read(file, 50)
    const found = records.map(({ block }) => block.toString()).join('')
    assert.equal(found, 'abc', `length ${length}`)
    assert.equal(damage[0]?.offset, good('a').length)
  }
})

test('rubbish between records is skipped and named once', async () => {
  const archive = sampleArchive([Buffer.from('x')])
  const rubbish = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 0x1f, 0x8b, 8, 0xff, 10, 87, 65])
  const { records, damage } = await read(Buffer.concat([archive, rubbish, archive]), 64)
  assert.equal(records.length, 8)
  assert.deepEqual(
    damage.map(({ offset }) => offset),
    [archive.length],
  )
})

test('an empty file and an empty member hold no record and no damage', async () => {
  assert.deepEqual(await collect(readRecords(Buffer.alloc(0))), [])
  assert.deepEqual(await collect(readRecords(gzipSync(''))), [])
})

test('a reader that stops early closes the source', async () => {
  let closed = false
  async function* source(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield sampleArchive([Buffer.alloc(100_000, 'y')])
    } finally {
      closed = true
    }
  }
  for await (const item of readRecords(source()))
    if ('type' in item && item.type === 'response') break
  assert.ok(closed)
})

test('one record is read by path or handle, and a false offset is one clear error', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-archive-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'a.warc.gz')
  await writeFile(file, sampleArchive([Buffer.from('one'), Buffer.from('two')]))
  const all = (await collect(readRecords(readChunks(file)))) as WarcRecord[]
  const handle = await open(file)
  for (const record of all) {
    assert.deepEqual(await readRecordAt(file, record.offset, record.length), record)
    assert.deepEqual(await readRecordAt(handle, record.offset, record.length), record)
  }
  await handle.close()
  await assert.rejects(readRecordAt(file, 1, 50), UnreadableRecord)
  await assert.rejects(readRecordAt(file, 1e9, 50), UnreadableRecord)
  await assert.rejects(readRecordAt(file, 0, 0), UnreadableRecord)
})

test('a body is put together only when it really is chunked', () => {
  const message = (body: string) =>
    parseHttpBlock(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`))
  assert.equal(message('3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n')?.body.toString(), 'abcde')
  assert.equal(message('3\r\nabc\r\n5\r\nde')?.body.toString(), 'abcde')
  for (const plain of ['<p>not chunked', 'abc\r\nshort', '3\r\nabcd\r\n0\r\n\r\n', '']) {
    assert.equal(message(plain)?.body.toString(), plain)
    assert.equal(message(plain)?.dechunked, false)
  }
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1 }),
      (chunks) => {
        const encoded = chunks.map((chunk) =>
          Buffer.concat([
            Buffer.from(`${chunk.length.toString(16)}\r\n`),
            chunk,
            Buffer.from('\r\n'),
          ]),
        )
        assert.deepEqual(
          dechunk(Buffer.concat([...encoded, Buffer.from('0\r\n\r\n')])),
          Buffer.concat(chunks),
        )
      },
    ),
  )
})

test('what is not HTTP is not read as HTTP', () => {
  for (const text of [
    '',
    '20260101000000\nexample.org. 300 IN A 192.0.2.1\n',
    'HTTP/1.1 abc\r\n\r\n',
  ]) {
    assert.equal(parseHttpBlock(Buffer.from(text)), null)
  }
  assert.equal(
    parseHttpBlock(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))?.startLine,
    'GET / HTTP/1.1',
  )
  assert.equal(parseHttpBlock(Buffer.from('HTTP/1.0 404'))?.status, 404)
})

test('a file of 200 MB is read in bounded memory', { skip: !LONG }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-archive-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'large.warc.gz')
  const out = createWriteStream(path)
  const noise = Buffer.alloc(1_000_000)
  let written = 0
  for (let index = 0; written < 200_000_000; index++) {
    for (let at = 0; at < noise.length; at += 4)
      noise.writeUInt32LE((Math.random() * 2 ** 32) >>> 0, at)
    const body = index === 20 ? Buffer.concat(Array<Buffer>(60).fill(noise)) : noise
    for (const member of recordExchange(sampleExchange({ body: Buffer.from(body) }), countingIds())
      .members) {
      written += member.length
      if (!out.write(member)) await once(out, 'drain')
    }
  }
  out.end()
  await finished(out)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let most = 0
  let records = 0
  for await (const item of readRecords(readChunks(path), { blockLimitBytes: 1_000_000 })) {
    assert.ok(!('damage' in item))
    records++
    most = Math.max(most, process.memoryUsage().rss)
  }
  assert.ok(records > 300)
  assert.ok(most - before < 150e6, `grew by ${most - before} bytes`)
})
