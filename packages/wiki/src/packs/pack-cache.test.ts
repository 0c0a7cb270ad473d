// Goal: memory that is lent again and again never has two borrowers, and reading leaves none behind.
// Method: overlapping borrowers; frames of packs that are freed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { memoryFiles, packed } from '../../test/packs/pack-fixture.ts'
import { SpareMemory } from './pack-cache.ts'

test('memory that came back is lent again, and borrowers at the same time have different ones', async () => {
  const memory = new SpareMemory()
  const seen: ArrayBufferLike[] = []
  const use = async (bytes: Buffer): Promise<void> => {
    seen.push(bytes.buffer)
    await Promise.resolve()
  }
  await memory.lend(100, use)
  await memory.lend(200_000, use)
  assert.equal(seen[1], seen[0])
  await Promise.all([1, 2, 3, 4, 5, 6].map((bytes) => memory.lend(bytes, use)))
  assert.equal(new Set(seen.slice(2)).size, 6)
})

test('a borrower is given as much as it asks for, and what failed gives its memory back', async () => {
  const memory = new SpareMemory()
  for (const bytes of [0, 1, 512 * 1024, 512 * 1024 + 1, 5_000_000]) {
    assert.equal(await memory.lend(bytes, async ({ length }) => length), bytes)
  }
  let lent: ArrayBufferLike | undefined
  const failing = memory.lend(10, async ({ buffer }) => {
    lent = buffer
    throw new Error('no')
  })
  await assert.rejects(failing, { message: 'no' })
  assert.equal(await memory.lend(10, async ({ buffer }) => buffer), lent)
})

test('a frame that is freed gives its memory back at once, also a small one', async () => {
  for (const length of [100_000, 3_000_000, 6_000_000]) {
    const text = randomBytes(length)
    const pack = await packed(memoryFiles(), 'a.pack', [
      { pageId: 1, revId: 1, role: 'main', text },
    ])
    const frame = await pack.readFrame(pack.directory.frames[0]!)
    assert.deepEqual(frame.text(0), text)
    assert.equal(frame.isFreed, false)
    frame.free()
    assert.equal(frame.isFreed, true, `${length} bytes`)
  }
})

test('a frame does not change when its pack reads on in the same memory', async () => {
  const texts = [1, 2, 3].map((revId) => ({
    pageId: 1,
    revId,
    role: 'main',
    text: randomBytes(9_000),
  }))
  const pack = await packed(memoryFiles(), 'a.pack', texts, { frameBytes: 10_000 })
  const frames = []
  for (const place of pack.directory.frames) frames.push(await pack.readFrame(place))
  assert.deepEqual(
    frames.map((frame) => frame.text(0)),
    texts.map(({ text }) => text),
  )
})
