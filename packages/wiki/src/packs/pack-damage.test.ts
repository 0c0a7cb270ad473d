// Goal: no damaged byte is ever given away as text, damage is named and costs no more than it must, and a
// pack that was not finished is not there. Method: bytes are flipped and cut all over a file; a process is killed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DamagedPack } from '../errors.ts'
import type { PackFiles } from './pack-files.ts'
import { memoryFiles, packed, textOf } from '../../test/packs/pack-fixture.ts'
import { PackReader } from './pack-reader.ts'
import { PackWriter, type PackText } from './pack-writer.ts'

const TEXTS: PackText[] = Array.from({ length: 24 }, (_, index) => {
  const pageId = 1 + Math.floor(index / 8)
  return { pageId, revId: index + 1, role: 'main', text: textOf(pageId, index + 1, 10) }
})

/** Reads all there is: how many texts were as they should be, and how many were refused. */
async function readAll(pack: PackReader): Promise<{ right: number; refused: number }> {
  const counts = { right: 0, refused: 0 }
  for (const { revId, text } of TEXTS) {
    try {
      assert.deepEqual(await pack.text(revId), Buffer.from(text))
      counts.right += 1
    } catch (error) {
      assert.ok(error instanceof DamagedPack, String(error))
      counts.refused += 1
    }
  }
  return counts
}

test('a flipped byte anywhere in a pack is found, named, and never gives a wrong text', async () => {
  const files = memoryFiles()
  await packed(files, 'a.pack', TEXTS, { frameBytes: 500 })
  const whole = files.held.get('a.pack')!
  for (let at = 0; at < whole.length; at += 1) {
    const flipped = Buffer.from(whole)
    flipped[at]! ^= 1 << (at % 8)
    files.held.set('a.pack', flipped)
    let pack: PackReader
    try {
      pack = await PackReader.open('a.pack', files)
    } catch (error) {
      assert.ok(error instanceof DamagedPack, `byte ${at}: ${String(error)}`)
      continue
    }
    const damages = await pack.verify()
    assert.equal(damages.length, 1, `byte ${at} of ${whole.length}`)
    const { refused } = await readAll(pack)
    if (damages[0]!.lost.length > 0) assert.equal(refused, damages[0]!.lost.length)
  }
})

test('a pack cut off anywhere is refused when it is opened', async () => {
  const files = memoryFiles()
  await packed(files, 'a.pack', TEXTS, { frameBytes: 500 })
  const whole = files.held.get('a.pack')!
  for (let length = 0; length < whole.length; length += 1) {
    files.held.set('a.pack', whole.subarray(0, length))
    await assert.rejects(PackReader.open('a.pack', files), DamagedPack)
  }
  files.held.set('a.pack', Buffer.concat([whole, Buffer.from('more')]))
  await assert.rejects(PackReader.open('a.pack', files), DamagedPack)
})

test('a damaged frame loses only its own texts and says which', async () => {
  const files = memoryFiles()
  const intact = await packed(files, 'a.pack', TEXTS, { frameBytes: 500 })
  const { frames } = intact.directory
  const middle = frames[Math.floor(frames.length / 2)]!
  const bytes = Buffer.from(files.held.get('a.pack')!)
  bytes.fill(0, middle.offset + 10, middle.offset + 50)
  files.held.set('a.pack', bytes)
  const pack = await PackReader.open('a.pack', files)
  const { right, refused } = await readAll(pack)
  assert.deepEqual([right, refused], [TEXTS.length - middle.texts, middle.texts])
  const damages = await pack.verify()
  assert.deepEqual(
    damages[0]!.lost.map(({ revId }) => revId),
    Array.from({ length: middle.texts }, (_, index) => middle.firstText + index + 1),
  )
  assert.match(damages[0]!.message, new RegExp(`frame \\d+ \\(bytes ${middle.offset} to`))
})

test('a frame whose checksum fits but whose text is another is found by the hash of the text', async () => {
  const files = memoryFiles()
  const [mine, other] = [
    TEXTS[0]!,
    { ...TEXTS[0]!, text: Buffer.from(TEXTS[0]!.text).fill(65, 3, 4) },
  ]
  const a = await packed(files, 'a.pack', [mine])
  const b = await packed(files, 'b.pack', [other])
  const [from, to] = [b.directory.frames[0]!, a.directory.frames[0]!]
  const stored = await b.stored(from)
  const zstd = stored.subarray(0, from.storedBytes - from.listBytes)
  const ofOther = Buffer.concat([zstd, (await a.stored(to)).subarray(-to.listBytes)])
  const { crc32 } = await import('node:zlib')
  Object.assign(to, { storedBytes: ofOther.length, crc: crc32(ofOther) })
  files.held.set('a.pack', Buffer.concat([Buffer.alloc(to.offset), ofOther]))
  await assert.rejects(a.text(mine.revId), DamagedPack)
})

test('a failing disk surfaces when the pack is written and leaves nothing under its name', async () => {
  const whole = memoryFiles()
  const create: PackFiles['create'] = async (path) => {
    const sink = await whole.create(path)
    let writes = 0
    const write = async (bytes: Uint8Array): Promise<void> => {
      writes += 1
      if (writes > 3) throw new Error('no space left')
      await sink.write(bytes)
    }
    return { ...sink, write }
  }
  const files = { ...whole, create }
  const writer = await PackWriter.create('a.pack', files, { frameBytes: 500 })
  await assert.rejects(async () => {
    for (const text of TEXTS) await writer.add(text)
    await writer.finish()
  }, /no space left/)
  await writer.abandon()
  assert.deepEqual([...files.held.keys()], [])
})

test('a process killed between writing and renaming leaves no pack behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packs-'))
  try {
    const here = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
    const script = `
      import { PackWriter } from ${here('pack-writer.ts')}
      import { packFiles } from ${here('pack-files.ts')}
      const dying = { ...packFiles, publish: async () => process.kill(process.pid, 'SIGKILL') }
      const writer = await PackWriter.create(${JSON.stringify(join(folder, 'a.pack'))}, dying)
      await writer.add({ pageId: 1, revId: 1, role: 'main', text: Buffer.from('text') })
      await writer.finish()`
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script])
    assert.equal(child.signal, 'SIGKILL', String(child.stderr))
    assert.deepEqual(await readdir(folder), ['a.pack.partial'])
    await assert.rejects(PackReader.open(join(folder, 'a.pack')), { code: 'ENOENT' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
