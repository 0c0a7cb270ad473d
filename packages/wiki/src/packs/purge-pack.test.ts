// Goal: what is purged cannot be found in the new pack by anybody, and nothing else is missing. Method: every
// frame of the new pack is inflated and searched; random packs are compared with a map in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { memoryFiles, packed, textOf, type MemoryFiles } from './pack-fixture.ts'
import { PackReader } from './pack-reader.ts'
import type { PackText } from './pack-writer.ts'
import { purgePack } from './purge-pack.ts'

/** The file as it is, and all its frames inflated by zstd alone. */
function everything(files: MemoryFiles, pack: PackReader): Buffer {
  const file = files.held.get(pack.path)!
  const frames = pack.directory.frames.map(({ offset, storedBytes, listBytes }) =>
    zstdDecompressSync(file.subarray(offset, offset + storedBytes - listBytes)),
  )
  return Buffer.concat([file, ...frames])
}

const SECRET = 'the secret that has to go'

function texts(): PackText[] {
  return Array.from({ length: 100 }, (_, index) => {
    const revId = index + 1
    const plain = Buffer.from(textOf(1, revId))
    const text = revId === 40 ? Buffer.concat([plain, Buffer.from(SECRET)]) : plain
    return { pageId: 1, revId, role: 'main', text }
  })
}

test('after a purge no frame holds a byte of the purged text, and a tombstone stands in its place', async () => {
  const files = memoryFiles()
  const pack = await packed(files, 'a.pack', texts(), { frameBytes: 2_000 })
  assert.ok(everything(files, pack).includes(SECRET))
  const purge = [{ revId: 40, reason: 'hidden by the wiki', at: 77 }]
  const summary = await purgePack(pack, 'b.pack', { purge, files })
  const out = await PackReader.open('b.pack', files)
  assert.equal(everything(files, out).includes(SECRET), false)
  assert.equal(everything(files, out).includes(textOf(1, 40)), false)
  assert.equal(await out.text(40), null)
  const stone = { pageId: 1, revId: 40, role: 'main', reason: 'hidden by the wiki', at: 77 }
  assert.deepEqual(await out.tombstone(40), stone)
  assert.deepEqual([summary.revisions, summary.texts, summary.tombstones], [99, 99, 1])
  assert.ok(files.held.has('a.pack'), 'the old file is for the caller to remove')
})

test('texts that stood on a purged one come back whole, and what only that one had is gone', async () => {
  const files = memoryFiles()
  const body = textOf(1, 1, 500).toString()
  const slots = Array.from({ length: 60 }, (_, index) => {
    const has = index >= 20 && index < 25 ? SECRET : ''
    const text = Buffer.from(`${body.slice(0, 900)}${has} edit ${index} ${body.slice(900)}`)
    return { pageId: 1, revId: index, role: 'main', text }
  })
  const pack = await packed(files, 'a.pack', slots)
  assert.ok(pack.directory.frames[0]!.rawBytes < 5_000, 'texts stand on each other')
  assert.ok(everything(files, pack).includes(SECRET))
  const purge = [20, 21, 22, 23, 24].map((revId) => ({ revId, reason: 'hidden', at: 1 }))
  await purgePack(pack, 'b.pack', { purge, files })
  const out = await PackReader.open('b.pack', files)
  assert.equal(everything(files, out).includes(SECRET), false)
  for (const { revId, text } of slots) {
    assert.deepEqual(await out.text(revId), revId >= 20 && revId < 25 ? null : text)
  }
})

test('a text that another revision still has stays for that one alone', async () => {
  const files = memoryFiles()
  const shared = textOf(1, 1)
  const slots = [1, 2, 3].map((revId) => ({ pageId: 1, revId, role: 'main', text: shared }))
  const pack = await packed(files, 'a.pack', slots)
  const purge = [1, 3].map((revId) => ({ revId, reason: 'hidden', at: 1 }))
  const summary = await purgePack(pack, 'b.pack', { purge, files })
  const out = await PackReader.open('b.pack', files)
  assert.deepEqual(
    [await out.text(1), await out.text(2), await out.text(3)],
    [null, Buffer.from(shared), null],
  )
  assert.equal(summary.rawBytes, shared.length)
  const last = [{ revId: 2, reason: 'hidden', at: 2 }]
  await purgePack(out, 'c.pack', { purge: last, files })
  const empty = await PackReader.open('c.pack', files)
  assert.deepEqual([empty.summary.texts, empty.summary.rawBytes], [0, 0])
  assert.equal(everything(files, empty).includes(shared), false)
})

test('frames without purged texts are copied as they are, even one that was damaged before', async () => {
  const files = memoryFiles()
  const pack = await packed(files, 'a.pack', texts(), { frameBytes: 2_000 })
  const last = pack.directory.frames.at(-1)!
  const bytes = Buffer.from(files.held.get('a.pack')!)
  bytes[last.offset + 30]! ^= 1
  files.held.set('a.pack', bytes)
  const damaged = await PackReader.open('a.pack', files)
  await purgePack(damaged, 'b.pack', { purge: [{ revId: 1, reason: 'x', at: 1 }], files })
  const out = await PackReader.open('b.pack', files)
  const damages = await out.verify()
  assert.deepEqual(
    damages.map(({ lost }) => lost.length),
    [last.texts],
  )
})

test('a purge of random slots removes these and leaves all others', async () => {
  const slot = fc.record({
    pageId: fc.nat(3),
    revId: fc.nat(40),
    role: fc.constantFrom('main', 'mediainfo'),
    text: fc.uint8Array({ maxLength: 6 }),
  })
  const slots = fc.uniqueArray(slot, { selector: ({ revId, role }) => `${revId} ${role}` })
  const target = fc.record(
    { revId: fc.nat(40), role: fc.constantFrom('main', 'mediainfo') },
    { requiredKeys: ['revId'] },
  )
  await fc.assert(
    fc.asyncProperty(slots, fc.array(target, { maxLength: 8 }), async (list, targets) => {
      const files = memoryFiles()
      const pack = await packed(files, 'a.pack', list, { frameBytes: 12, level: 1 })
      const purge = targets.map((one) => ({ ...one, reason: 'r', at: 1 }))
      const summary = await purgePack(pack, 'b.pack', { purge, files, level: 1 })
      const out = await PackReader.open('b.pack', files)
      let rawBytes = 0
      for (const { revId, role, text } of list) {
        const isPurged = targets.some((one) => one.revId === revId && (one.role ?? role) === role)
        assert.deepEqual(await out.text(revId, role), isPurged ? null : Buffer.from(text))
        if (!isPurged) rawBytes += text.length
      }
      assert.equal(summary.rawBytes, rawBytes)
      assert.deepEqual(await out.verify(), [])
    }),
    { seed: 64, numRuns: 80 },
  )
})
