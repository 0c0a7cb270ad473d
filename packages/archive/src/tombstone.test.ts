// Goal: a removed record leaves exactly its room behind, filled with what every reader takes for an
// ordinary record. Method: tombstones of many lengths read by our reader, warcio and Python's gzip.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { WARCParser } from 'warcio'
import { recordExchange } from './exchange-members.ts'
import {
  absent,
  collect,
  countingIds,
  inPieces,
  sampleExchange,
  sampleWarcinfo,
} from '../test/sample-exchange.ts'
import { isTombstone, tombstoneMember, tombstoneRecord, type Tombstone } from './tombstone.ts'
import { verifyRecords } from './verify.ts'
import { readRecords, type WarcRecord } from './warc-reader.ts'

const STONE: Tombstone = {
  id: '11111111-1111-4111-8111-111111111111',
  removedAt: Date.UTC(2026, 6, 1),
  url: 'http://example.org/private',
  refersTo: '<urn:uuid:22222222-2222-4222-8222-222222222222>',
  reason: 'asked for by the person it names',
}

/** Long enough for everything that a tombstone says. */
const AMPLE_BYTES = 700

async function recordsIn(bytes: Buffer): Promise<WarcRecord[]> {
  const found = await collect(readRecords(inPieces(bytes, 10_000)))
  for (const item of found) assert.ok(!('damage' in item), JSON.stringify(item))
  return found as WarcRecord[]
}

const lengths = fc.oneof(
  fc.integer({ min: AMPLE_BYTES, max: 3_000 }),
  fc.integer({ min: 65_000, max: 67_000 }),
  fc.integer({ min: 131_000, max: 132_000 }),
)

for (const [name, write] of [
  ['a gzip member', tombstoneMember],
  ['a plain record', tombstoneRecord],
] as const) {
  test(`a tombstone as ${name} has any length asked for, and records around it stay readable`, async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async (length) => {
        const stone = write(STONE, length)
        assert.equal(stone.length, length)
        const [before, found, after] = await recordsIn(
          Buffer.concat([sampleWarcinfo(), stone, sampleWarcinfo()]),
        )
        assert.equal(before!.type, 'warcinfo')
        assert.equal(after!.type, 'warcinfo')
        assert.ok(isTombstone(found!))
        assert.equal(found!.length, length)
        assert.equal(found!.headers.get('WARC-Target-URI'), STONE.url)
        assert.equal(found!.headers.get('WARC-Refers-To'), STONE.refersTo)
        assert.match(found!.block.toString(), /reason: asked for by the person it names\r\n/)
      }),
      { seed: 1, numRuns: 60 },
    )
  })
}

test('in every length from that of the smallest record on there is a record, and it says as much as fits', async () => {
  for (let length = 180; length < AMPLE_BYTES; length++) {
    for (const write of [tombstoneMember, tombstoneRecord]) {
      const stone = write(STONE, length)
      assert.equal(stone.length, length)
      const [found] = await recordsIn(stone)
      assert.equal(found?.type, 'metadata', `${write.name} ${length}`)
    }
  }
})

test('every record of an ordinary capture has room for a tombstone that names it', async () => {
  const { members } = recordExchange(sampleExchange({ url: 'http://a.io/' }), countingIds())
  for (const member of members) {
    const [found] = await recordsIn(
      tombstoneMember({ ...STONE, url: 'http://a.io/' }, member.length),
    )
    assert.ok(isTombstone(found!))
    assert.equal(found!.headers.get('WARC-Refers-To'), STONE.refersTo)
  }
})

test('line breaks in a reason forge no header', async () => {
  const [found] = await recordsIn(
    tombstoneMember({ ...STONE, reason: 'a\r\nb\r\n\r\nWARC/1.1', url: 'http://x/\r\nX: y' }, 900),
  )
  assert.match(found!.block.toString(), /reason: a b WARC\/1.1\r\n/)
  assert.equal(found!.headers.get('X'), undefined)
})

/** Small, beyond an extra field, and of megabytes. */
const SIZES = [AMPLE_BYTES, 66_000, 1_500_000]

test('warcio and a check read tombstones of every size', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-tombstone-'))
  t.after(() => rm(folder, { recursive: true }))
  const stones = SIZES.map((length) => tombstoneMember(STONE, length))
  const bytes = Buffer.concat([sampleWarcinfo(), ...stones, sampleWarcinfo()])
  const file = join(folder, 'stones.warc.gz')
  await writeFile(file, bytes)
  const types: string[] = []
  for await (const record of new WARCParser(createReadStream(file))) {
    types.push(record.warcType ?? '')
    await record.readFully(false)
  }
  assert.deepEqual(types, ['warcinfo', 'metadata', 'metadata', 'metadata', 'warcinfo'])
  assert.deepEqual(await collect(verifyRecords(bytes)), [])
})

test("Python's gzip reads them, too", { skip: absent('python3') }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-tombstone-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'stones.gz')
  await writeFile(file, Buffer.concat(SIZES.map((length) => tombstoneMember(STONE, length))))
  const count = 'import gzip,sys; print(gzip.open(sys.argv[1]).read().count(b"WARC/1.1"))'
  const said = execFileSync('python3', ['-c', count, file]).toString()
  assert.equal(said.trim(), String(SIZES.length))
})
