// Goal: compaction keeps exactly what is still wanted and brings each page together. Method: random packs
// against a map in memory, and a corpus scattered over many packs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyCorpus } from '@minga/testkit'
import * as fc from 'fast-check'
import { DamagedPack } from '../errors.ts'
import { compactPacks } from './compact-packs.ts'
import { allTexts, memoryFiles, packed, textOf } from '../../test/packs/pack-fixture.ts'
import { PackReader } from './pack-reader.ts'
import { PackWriter, type PackText } from './pack-writer.ts'

const slot = fc.record({
  pageId: fc.nat(5),
  revId: fc.nat(30),
  role: fc.constantFrom('main', 'mediainfo'),
  text: fc.uint8Array({ maxLength: 20 }),
  isTomb: fc.boolean(),
})
const pack = fc.uniqueArray(slot, { selector: ({ revId, role }) => `${revId} ${role}` })

test('of several packs the last says what a slot has, and what is dropped leaves no trace', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pack, { maxLength: 4 }), fc.nat(30), async (packs, dropped) => {
      const files = memoryFiles()
      const model = new Map<string, Uint8Array | null>()
      const readers: PackReader[] = []
      for (const [number, slots] of packs.entries()) {
        const path = `${number}.pack`
        const writer = await PackWriter.create(path, files, { frameBytes: 50, level: 1 })
        for (const { isTomb, ...one } of slots) {
          if (isTomb) writer.writeTombstone({ ...one, reason: 'hidden', at: 5 })
          else await writer.add(one)
          model.set(`${one.revId} ${one.role}`, isTomb ? null : one.text)
        }
        await writer.finish()
        readers.push(await PackReader.open(path, files))
      }
      const drop = ({ revId }: { revId: number }): boolean => revId === dropped
      await compactPacks(readers, 'out.pack', { files, drop, level: 1 })
      const out = await PackReader.open('out.pack', files)
      const left = [...model].filter(([key]) => !key.startsWith(`${dropped} `))
      assert.equal(out.summary.revisions + out.summary.tombstones, left.length)
      for (const [key, text] of left) {
        const [revId, role] = key.split(' ')
        const found = await out.text(Number(revId), role)
        assert.deepEqual(found, text === null ? null : Buffer.from(text))
        assert.equal((await out.tombstone(Number(revId), role)) !== null, text === null)
      }
      assert.deepEqual(await out.verify(), [])
    }),
    { seed: 63, numRuns: 60 },
  )
})

test('a history scattered over twenty packs becomes one with its pages whole, and much smaller', async () => {
  const files = memoryFiles()
  const all: PackText[] = []
  const corpus = historyCorpus({ seed: 8, pages: 5, revisions: 1_000, rawBytes: 8_000_000 })
  for (const { revisions } of corpus) {
    for (const { pageId, revId, slots } of revisions()) {
      all.push({ pageId, revId, role: 'main', text: slots[0]!.text! })
    }
  }
  const readers: PackReader[] = []
  for (let number = 0; number < 20; number += 1) {
    const some = all.filter((_, index) => index % 20 === number)
    readers.push(await packed(files, `${number}.pack`, some))
  }
  const summary = await compactPacks(readers, 'out.pack', { files })
  const scattered = readers.reduce((sum, { summary: { bytes } }) => sum + bytes, 0)
  assert.ok(summary.bytes * 3 < scattered, `${scattered} bytes became ${summary.bytes}`)
  const out = await PackReader.open('out.pack', files)
  assert.deepEqual(
    (await allTexts(out)).map(({ revId, text }) => [revId, Buffer.from(text)]),
    all.map(({ revId, text }) => [revId, Buffer.from(text)]),
  )
})

test('a revision that moved to another page with its history is kept on the later page alone', async () => {
  const files = memoryFiles()
  const one = { pageId: 1, revId: 9, role: 'main', text: textOf(1, 9) }
  const old = await packed(files, 'old.pack', [one])
  const moved = await packed(files, 'new.pack', [{ ...one, pageId: 2 }])
  await compactPacks([old, moved], 'out.pack', { files })
  const texts = await allTexts(await PackReader.open('out.pack', files))
  assert.deepEqual(
    texts.map(({ pageId, revId }) => [pageId, revId]),
    [[2, 9]],
  )
})

test('texts lost to a damaged frame end the compaction, or are reported and left out', async () => {
  const files = memoryFiles()
  const texts = [1, 2, 3].map((revId) => ({
    pageId: 1,
    revId,
    role: 'main',
    text: textOf(1, revId),
  }))
  const intact = await packed(files, 'a.pack', texts, { frameBytes: 100 })
  const bytes = Buffer.from(files.held.get('a.pack')!)
  bytes[intact.directory.frames[1]!.offset + 20]! ^= 1
  files.held.set('a.pack', bytes)
  const damaged = await PackReader.open('a.pack', files)
  await assert.rejects(compactPacks([damaged], 'out.pack', { files }), DamagedPack)
  assert.equal(files.held.has('out.pack.partial'), false)
  const lost: number[] = []
  const onLost = ({ revId }: { revId: number }): void => void lost.push(revId)
  const summary = await compactPacks([damaged], 'out.pack', { files, onLost })
  assert.deepEqual([lost, summary.revisions], [[2], 2])
})
