// Goal: a pack gives back every text byte for byte, whatever the texts are and in whatever order they are
// asked for, and reads little to do so. Method: random and extreme texts through writer and reader.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { historyCorpus, seededRandom } from '@minga/testkit'
import * as fc from 'fast-check'
import { BadPackInput } from '../errors.ts'
import { endsInMemory } from '../revisions/pack-reader-cache.ts'
import { PackCache } from './pack-cache.ts'
import { packFiles } from './pack-files.ts'
import { allTexts, memoryFiles, packed, textOf } from '../../test/packs/pack-fixture.ts'
import { PackReader } from './pack-reader.ts'
import { PackWriter, type PackText } from './pack-writer.ts'

const page = (pageId: number, revIds: number[]): PackText[] =>
  revIds.map((revId) => ({ pageId, revId, role: 'main', text: textOf(pageId, revId) }))

test('texts of random pages, slots and lengths come back by revision and in the order of pages', async () => {
  const slot = fc.record({
    pageId: fc.nat(20),
    revId: fc.maxSafeNat(),
    role: fc.constantFrom('main', 'mediainfo', 'é'),
    text: fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array())),
  })
  const slots = fc.uniqueArray(slot, { selector: ({ revId, role }) => `${revId} ${role}` })
  await fc.assert(
    fc.asyncProperty(slots, fc.integer({ min: 1, max: 500 }), async (texts, frameBytes) => {
      const pack = await packed(memoryFiles(), 'a.pack', texts, { frameBytes, level: 3 })
      for (const { revId, role, text } of texts) {
        assert.deepEqual(await pack.text(revId, role), Buffer.from(text))
        assert.ok(await pack.has(revId))
      }
      const inOrder = texts.toSorted((a, b) => a.pageId - b.pageId || a.revId - b.revId)
      const read = await allTexts(pack)
      assert.deepEqual(
        read.map(({ pageId, revId }) => [pageId, revId]),
        inOrder.map(({ pageId, revId }) => [pageId, revId]),
      )
      assert.deepEqual(await pack.verify(), [])
    }),
    { seed: 62, numRuns: 60 },
  )
})

test('a page edited at random, blanked and reverted comes back, however its frames are cut', async () => {
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat(300),
    insert: fc.string({ maxLength: 60 }),
    kind: fc.constantFrom('edit', 'edit', 'edit', 'edit', 'blank', 'revert', 'other page'),
  })
  const edits = fc.array(edit, { maxLength: 300, size: 'max' })
  await fc.assert(
    fc.asyncProperty(edits, fc.integer({ min: 200, max: 20_000 }), async (list, frameBytes) => {
      let text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(12))
      const slots: PackText[] = [{ pageId: 0, revId: 0, role: 'main', text }]
      for (const { at, remove, insert, kind } of list) {
        const from = at % (text.length + 1)
        const ends = [text.subarray(0, from), Buffer.from(insert), text.subarray(from + remove)]
        if (kind === 'blank') text = Buffer.alloc(0)
        else if (kind === 'revert') text = Buffer.from(slots[at % slots.length]!.text)
        else text = Buffer.concat(ends)
        const pageId = slots.at(-1)!.pageId + (kind === 'other page' ? 1 : 0)
        slots.push({ pageId, revId: slots.length, role: 'main', text })
      }
      const pack = await packed(memoryFiles(), 'a.pack', slots, { frameBytes, level: 1 })
      assert.deepEqual(
        (await allTexts(pack)).map((one) => Buffer.from(one.text)),
        slots.map((one) => Buffer.from(one.text)),
      )
    }),
    { seed: 66, numRuns: 40 },
  )
})

test('a thousand small edits of a long text are kept as little more than themselves', async () => {
  const random = seededRandom(9)
  let text = randomBytes(50_000)
  const slots = Array.from({ length: 1_000 }, (_, revId) => {
    const at = random.integer(text.length)
    text = Buffer.concat([text.subarray(0, at), Buffer.from(`${revId}`), text.subarray(at + 2)])
    return { pageId: 1, revId, role: 'main', text }
  })
  const pack = await packed(memoryFiles(), 'a.pack', slots)
  assert.ok(pack.summary.bytes < 100_000, `${pack.summary.bytes} bytes`)
  for (const revId of [0, 199, 200, 201, 500, 999]) {
    assert.deepEqual(await pack.text(revId), slots[revId]!.text)
  }
})

test('a pack without texts, and one with an empty text alone, can be read', async () => {
  const files = memoryFiles()
  const nothing = await packed(files, 'nothing.pack', [])
  assert.equal(await nothing.text(1), null)
  assert.deepEqual(await nothing.verify(), [])
  const blank = { pageId: 1, revId: 5, role: 'main', text: new Uint8Array() }
  const pack = await packed(files, 'blank.pack', [blank])
  assert.deepEqual(await pack.text(5), Buffer.alloc(0))
  assert.equal(await pack.text(4), null)
  assert.equal(await pack.text(6), null)
  assert.equal(await pack.text(5, 'mediainfo'), null)
})

test('identical texts are kept once, on one page or on several', async () => {
  const text = randomBytes(10_000)
  const texts = Array.from({ length: 500 }, (_, index) => ({
    pageId: index % 7,
    revId: index + 1,
    role: 'main',
    text,
  }))
  const pack = await packed(memoryFiles(), 'a.pack', texts)
  const { bytes, ...counts } = pack.summary
  const rawBytes = 500 * text.length
  const expected = { path: 'a.pack', revisions: 500, texts: 1, tombstones: 0, rawBytes }
  assert.deepEqual(counts, expected)
  assert.ok(bytes < 14_000, `${bytes} bytes for one text of 10,000`)
  for (const revId of [1, 250, 500]) assert.deepEqual(await pack.text(revId), text)
})

test('a text of 50 MB is packed and read between small ones', async () => {
  const files = memoryFiles()
  const random = seededRandom(3)
  const large = Buffer.alloc(50_000_000)
  for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(random.integer(2 ** 20), at)
  const texts = [
    ...page(1, [10, 11]),
    { pageId: 2, revId: 20, role: 'main', text: large },
    ...page(2, [21]),
  ]
  const pack = await packed(files, 'a.pack', texts, { level: 1 })
  assert.equal(pack.directory.frames.length, 3)
  assert.ok(large.equals((await pack.text(20)) ?? Buffer.alloc(0)))
  for (const revId of [10, 11]) assert.deepEqual(await pack.text(revId), textOf(1, revId))
  assert.deepEqual(await pack.text(21), textOf(2, 21))
})

test('100,000 tiny texts are found, each with one block of the index and one frame', async () => {
  const files = memoryFiles()
  const texts = Array.from({ length: 100_000 }, (_, index) => ({
    pageId: index % 1000,
    revId: index * 3 + 1,
    role: 'main',
    text: Buffer.from(`${index}`),
  })).toSorted((a, b) => a.pageId - b.pageId)
  const pack = await packed(files, 'a.pack', texts, { frameBytes: 64 * 1024 })
  assert.ok(pack.summary.bytes < 100_000 * 15, `${pack.summary.bytes} bytes`)
  for (const index of [0, 1, 999, 54_321, 99_999]) {
    files.reads.length = 0
    assert.equal(String(await pack.text(index * 3 + 1)), `${index}`)
    assert.ok(files.reads.length <= 2)
    assert.equal(await pack.text(index * 3 + 2), null)
  }
})

test('opening a pack reads its end alone, not its texts', async () => {
  const files = memoryFiles()
  const texts = Array.from({ length: 300 }, (_, index) => ({
    pageId: 1,
    revId: index,
    role: 'main',
    text: randomBytes(10_000),
  }))
  const { summary } = await packed(files, 'a.pack', texts)
  files.reads.length = 0
  await PackReader.open('a.pack', files)
  const read = files.reads.reduce((sum, { length }) => sum + length, 0)
  assert.ok(read < summary.bytes / 1000, `${read} of ${summary.bytes} bytes`)
})

test('with its end in memory a pack is opened by one read, finds texts without another, and gives the same', async () => {
  const files = memoryFiles()
  const texts = page(
    1,
    Array.from({ length: 3_000 }, (_, index) => index),
  )
  await packed(files, 'a.pack', texts, { frameBytes: 20_000 })
  files.reads.length = 0
  const pack = await PackReader.open('a.pack', endsInMemory(files))
  assert.equal(files.reads.length, 1)
  assert.equal(await pack.has(2_999), true)
  assert.equal(files.reads.length, 1)
  assert.deepEqual((await allTexts(pack)).length, texts.length)
  for (const { revId, text } of texts) assert.deepEqual(await pack.text(revId), text)
  assert.deepEqual(await pack.verify(), [])
})

test('with its end in memory every stretch of a file is what the file has there', async () => {
  const files = memoryFiles()
  for (const size of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
    const bytes = randomBytes(size)
    files.held.set('any', bytes)
    const source = await endsInMemory(files).open('any')
    assert.equal(source.bytes, size)
    for (const [offset, length] of [
      [0, size],
      [size - 65_536, 10],
      [size - 65_537, 10],
      [size - 5, 9],
    ]) {
      if (offset! < 0) continue
      const read = await source.read(offset!, length!, Buffer.alloc(length!))
      assert.deepEqual(read, bytes.subarray(offset, offset! + length!), `${offset} of ${size}`)
    }
  }
})

test('the same slot of a revision given twice is refused and leaves no file', async () => {
  const files = memoryFiles()
  const writer = await PackWriter.create('a.pack', files)
  for (const text of page(1, [7, 8, 7])) await writer.add(text)
  await assert.rejects(writer.finish(), BadPackInput)
  assert.deepEqual([...files.held.keys()], [])
  const bad = await PackWriter.create('a.pack', files)
  await assert.rejects(
    bad.add({ pageId: -1, revId: 1, role: 'main', text: textOf(1, 1) }),
    BadPackInput,
  )
  await bad.abandon()
})

test('a tombstone says why and when a text was removed', async () => {
  const files = memoryFiles()
  const writer = await PackWriter.create('a.pack', files)
  await writer.add({ pageId: 1, revId: 1, role: 'main', text: textOf(1, 1) })
  const stone = { pageId: 1, revId: 2, role: 'main', reason: 'suppressed', at: 1_700_000_000_000 }
  writer.writeTombstone(stone)
  assert.equal((await writer.finish()).tombstones, 1)
  const pack = await PackReader.open('a.pack', files)
  assert.equal(await pack.text(2), null)
  assert.equal(await pack.has(2), false)
  assert.deepEqual(await pack.tombstone(2), stone)
  assert.equal(await pack.tombstone(1), null)
  const stones = []
  for await (const one of pack.tombstones()) stones.push(one)
  assert.deepEqual(stones, [stone])
})

test('a hundred readers at once share one inflation of a frame, and the cache stays in its bounds', async () => {
  const files = memoryFiles()
  const texts = [1, 2, 3, 4].flatMap((pageId) =>
    page(
      pageId,
      Array.from({ length: 200 }, (_, index) => pageId * 1000 + index),
    ),
  )
  await packed(files, 'a.pack', texts, { frameBytes: 8_000 })
  const pack = await PackReader.open('a.pack', files, { cache: new PackCache(20_000) })
  files.reads.length = 0
  const together = Array.from({ length: 100 }, () => pack.text(1000))
  for (const text of await Promise.all(together)) assert.deepEqual(text, textOf(1, 1000))
  assert.equal(files.reads.length, 2)
  for (const { pageId, revId } of texts) {
    assert.deepEqual(await pack.text(revId), textOf(pageId, revId))
  }
  files.reads.length = 0
  assert.deepEqual(await pack.text(1000), textOf(1, 1000))
  assert.equal(
    files.reads.length,
    1,
    'the first frame was evicted by the others, the index was not',
  )
})

test('blocks of the index stay up to so many bytes of their own', async () => {
  const files = memoryFiles()
  const texts = page(
    1,
    Array.from({ length: 5_000 }, (_, index) => index),
  )
  await packed(files, 'a.pack', texts)
  const readsOf = async (blockBytes: number): Promise<number> => {
    const cache = new PackCache(10_000_000, blockBytes)
    const pack = await PackReader.open('a.pack', files, { cache })
    for (const revId of [0, 4_999, 2_500]) await pack.text(revId)
    files.reads.length = 0
    assert.deepEqual(await pack.text(0), textOf(1, 0))
    return files.reads.length
  }
  assert.equal(await readsOf(1_000_000), 0)
  assert.equal(await readsOf(50_000), 1)
})

test('large frames that push each other out of a small cache are read right by many at once', async () => {
  const files = memoryFiles()
  const texts = Array.from({ length: 40 }, (_, index) => ({
    pageId: 1,
    revId: index,
    role: 'main',
    text: randomBytes(100_000),
  }))
  await packed(files, 'a.pack', texts, { frameBytes: 1_300_000, level: 1 })
  const pack = await PackReader.open('a.pack', files, { cache: new PackCache(1) })
  assert.ok(pack.directory.frames.length > 2)
  for (let round = 0; round < 3; round += 1) {
    const read = await Promise.all(texts.map(({ revId }) => pack.text((revId * 17) % 40)))
    for (const [index, text] of read.entries())
      assert.deepEqual(text, texts[(index * 17) % 40]!.text)
  }
})

test('a real history packs into a file of less than a thirtieth and is read from the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packs-'))
  try {
    const path = join(folder, 'a.pack')
    const writer = await PackWriter.create(path)
    const hashes = new Map<number, string>()
    const corpus = historyCorpus({ seed: 5, pages: 4, revisions: 1_500, rawBytes: 15_000_000 })
    for (const { revisions } of corpus) {
      for (const { pageId, revId, sha1, slots } of revisions()) {
        await writer.add({ pageId, revId, role: 'main', text: slots[0]!.text! })
        hashes.set(revId, sha1!)
      }
    }
    const summary = await writer.finish()
    assert.deepEqual(await readdir(folder), ['a.pack'])
    assert.equal((await stat(path)).size, summary.bytes)
    assert.ok(summary.bytes * 30 < summary.rawBytes, `${summary.bytes} of ${summary.rawBytes}`)
    const pack = await PackReader.open(path, packFiles)
    const { hash } = await import('node:crypto')
    for (const [revId, sha1] of hashes) {
      assert.equal(hash('sha1', (await pack.text(revId))!), sha1)
    }
    await pack.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
