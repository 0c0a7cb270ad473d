// Goal: whatever a dump is packed with, its bytes come out, damage is named with its place, and what came before
// is not lost. Method: the same text in every packing, whole, cut, changed, and begun again in the middle.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { DumpDamaged, DumpToolMissing } from '../errors.ts'
import { packingOf, unpackDump, type DumpSource } from './compressed.ts'
import { openDumpFile } from './dump-file.ts'
import { machinePrograms, type Programs } from './programs.ts'
import { RESTART_AT_BEGIN, type RawChunk, type Restart } from './raw-chunk.ts'

const NO_PROGRAMS: Programs = { ...machinePrograms, find: async () => null }
const hasBzip2 = spawnSync('bzip2', ['--help']).error === undefined
const skip = hasBzip2 ? false : 'the program bzip2 is not installed'

const bzip2 = (bytes: Buffer): Buffer =>
  spawnSync('bzip2', ['-c'], { input: bytes, maxBuffer: 1e9 }).stdout

/** With a checksum, as the program writes it. */
const zstd = (bytes: Buffer | string): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

function sourceOf(bytes: Buffer, path: string | null = null, piece = 10_000): DumpSource {
  return {
    size: bytes.length,
    path,
    async *read(from) {
      for (let at = from; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
    },
  }
}

async function unpacked(
  source: DumpSource,
  programs = machinePrograms,
  from?: Restart,
): Promise<{ bytes: Buffer; chunks: RawChunk[]; error: unknown }> {
  const chunks: RawChunk[] = []
  let error: unknown = null
  try {
    for await (const chunk of unpackDump(source, programs, from)) chunks.push(chunk)
  } catch (thrown) {
    error = thrown
  }
  return { bytes: Buffer.concat(chunks.map(({ bytes }) => bytes)), chunks, error }
}

/** Lines that pack well and are all different. */
function lines(count: number, from = 0): Buffer {
  const text = Array.from(
    { length: count },
    (_, index) => `line ${from + index}: ${(index * 7919) % 1013} words of text`,
  )
  return Buffer.from(`${text.join('\n')}\n`)
}

const TEXT = lines(40_000)

/** Name → packed, with the programs to use. */
function packings(): [string, Buffer, Programs][] {
  return [
    ['plain', TEXT, machinePrograms],
    ['gzip', gzipSync(TEXT), machinePrograms],
    [
      'gzip in members',
      Buffer.concat([gzipSync(lines(20_000)), gzipSync(lines(20_000))]),
      machinePrograms,
    ],
    ['zstd', zstd(TEXT), machinePrograms],
    ['zstd in frames', Buffer.concat([zstd(lines(20_000)), zstd(lines(20_000))]), machinePrograms],
    ...(hasBzip2
      ? ([
          ['bzip2 by its program', bzip2(TEXT), machinePrograms],
          ['bzip2 by our reader', bzip2(TEXT), NO_PROGRAMS],
        ] as [string, Buffer, Programs][])
      : []),
  ]
}

test('the first bytes say what a dump is packed with', async () => {
  assert.equal(await packingOf(sourceOf(Buffer.from('<mediawiki/>'))), 'plain')
  assert.equal(await packingOf(sourceOf(Buffer.alloc(0))), 'plain')
  assert.equal(await packingOf(sourceOf(gzipSync('a'))), 'gzip')
  assert.equal(await packingOf(sourceOf(zstd('a'))), 'zstd')
  assert.equal(await packingOf(sourceOf(Buffer.from('BZh91AY&SY'))), 'bzip2')
  assert.equal(await packingOf(sourceOf(Buffer.from('377abcaf271c0004', 'hex'))), '7z')
})

test('every packing gives the same bytes and reaches the end of its file', async () => {
  for (const [name, packed, programs] of packings()) {
    const { bytes, chunks, error } = await unpacked(sourceOf(packed), programs)
    assert.equal(error, null, name)
    const expected = name.includes(' in ') ? Buffer.concat([lines(20_000), lines(20_000)]) : TEXT
    assert.ok(bytes.equals(expected), name)
    assert.ok(chunks.at(-1)!.position > packed.length - 20_000, name)
  }
})

test('a file that is cut gives what came before the cut, and says where', async () => {
  for (const [name, packed, programs] of packings()) {
    if (name === 'plain') continue
    const cut = packed.subarray(0, Math.floor(packed.length * 0.8))
    const { bytes, error } = await unpacked(sourceOf(cut), programs)
    const expected = name.includes(' in ') ? Buffer.concat([lines(20_000), lines(20_000)]) : TEXT
    assert.ok(bytes.equals(expected.subarray(0, bytes.length)), name)
    assert.ok(error instanceof DumpDamaged, `${name}: ${String(error)}`)
    assert.ok(error.position > 0 && error.position <= cut.length, name)
    if (name.includes('gzip')) assert.ok(bytes.length > expected.length * 0.7, name)
    if (name === 'bzip2 by its program') assert.match(error.message, /: [^:]* ends unexpectedly\. /)
  }
})

test('changed bytes anywhere never hang and never pass unnoticed', async () => {
  for (const [name, packed, programs] of packings()) {
    if (name === 'plain') continue
    for (const place of [0.3, 0.6, 0.9]) {
      const broken = Buffer.from(packed)
      broken[Math.floor(packed.length * place)]! ^= 0x5a
      const { error } = await unpacked(sourceOf(broken), programs)
      assert.ok(error instanceof DumpDamaged, `${name} at ${place}: ${String(error)}`)
    }
  }
})

test('unpacking resumes at every place that it reported', { skip }, async () => {
  const parts = [lines(20_000), lines(20_000, 20_000), lines(20_000, 40_000)]
  const whole = Buffer.concat(parts)
  for (const [packed, programs] of [
    [Buffer.concat(parts.map(bzip2)), NO_PROGRAMS],
    [Buffer.concat(parts.map((part) => zstd(part))), machinePrograms],
    [whole, machinePrograms],
  ] as const) {
    const { chunks } = await unpacked(sourceOf(packed), programs)
    const places = new Map(chunks.map(({ restart }) => [restart.compressed, restart]))
    assert.ok(places.size >= 3)
    for (const restart of places.values()) {
      const { bytes, error } = await unpacked(sourceOf(packed), programs, restart)
      assert.equal(error, null)
      assert.ok(bytes.equals(whole.subarray(restart.raw)))
    }
  }
})

test(
  'a large file of many streams is given to the program in pieces, each a place to begin again',
  { skip },
  async () => {
    // Noise does not pack, so the file is large with few bytes to sort.
    const noise = Buffer.alloc(250_000)
    let state = 1
    for (let at = 0; at < noise.length; at += 1) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      noise[at] = state >>> 24
    }
    const stream = bzip2(noise)
    const packed = Buffer.concat(Array.from({ length: 24 }, () => stream))
    const { chunks, error } = await unpacked(sourceOf(packed, null, 100_000))
    assert.equal(error, null)
    const places = [...new Map(chunks.map(({ restart }) => [restart.compressed, restart])).values()]
    assert.ok(places.length >= 2, `${places.length} places`)
    for (const { compressed, raw } of places) {
      assert.equal(compressed % stream.length, 0)
      assert.equal(raw, (compressed / stream.length) * noise.length)
    }
    assert.equal(
      chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
      24 * noise.length,
    )
  },
)

test('a text that unpacks to a thousand times its size comes in small pieces', async () => {
  for (const packed of [gzipSync(Buffer.alloc(1e8)), zstd(Buffer.alloc(1e8))]) {
    let largest = 0
    let total = 0
    for await (const { bytes } of unpackDump(sourceOf(packed), NO_PROGRAMS)) {
      largest = Math.max(largest, bytes.length)
      total += bytes.length
    }
    assert.equal(total, 1e8)
    assert.ok(largest <= 1e6, `${largest}`)
  }
})

test('a 7z file is unpacked by a program from its path, and without one the package is named', async () => {
  const head = Buffer.from('377abcaf271c0004', 'hex')
  const missing = await unpacked(sourceOf(head, 'history.7z'), NO_PROGRAMS)
  assert.ok(missing.error instanceof DumpToolMissing)
  assert.match(missing.error.message, /package 7zip/)
  const asked: unknown[] = []
  const programs: Programs = {
    find: async (names) => names[1]!,
    async *run(program, args, input) {
      asked.push([program, args, input])
      yield Buffer.from('<mediawiki/>')
    },
  }
  const { bytes, error } = await unpacked(sourceOf(head, 'history.7z'), programs)
  assert.equal(error, null)
  assert.equal(bytes.toString(), '<mediawiki/>')
  assert.deepEqual(asked, [['7z', ['x', '-so', '-y', 'history.7z'], null]])
})

test('a program that cannot be started is not found, and one that fails says why', async () => {
  assert.equal(await machinePrograms.find(['no-such-program-anywhere']), null)
  const output = machinePrograms.run(
    process.execPath,
    ['-e', 'console.log(1); throw new Error("no luck")'],
    null,
  )
  const seen: string[] = []
  await assert.rejects(async () => {
    for await (const piece of output) seen.push(piece.toString())
  }, /./)
  assert.deepEqual(seen, ['1\n'])
})

test(
  'when the reading of a dump fails, its own error comes out and the program is not left behind',
  { skip },
  async () => {
    const packed = bzip2(TEXT)
    const source: DumpSource = {
      ...sourceOf(packed),
      async *read() {
        yield packed.subarray(0, 1000)
        throw new Error('the disk is gone')
      },
    }
    const { error } = await unpacked(source)
    assert.match(String(error), /the disk is gone/)
  },
)

test('a dump in a file is read from any byte on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-dump-'))
  try {
    const path = join(folder, 'dump.xml')
    await writeFile(path, TEXT)
    const source = await openDumpFile(path)
    assert.equal(source.size, TEXT.length)
    const { bytes } = await unpacked(source, NO_PROGRAMS, { compressed: 1000, raw: 1000 })
    assert.ok(bytes.equals(TEXT.subarray(1000)))
    assert.ok((await unpacked(source, NO_PROGRAMS, RESTART_AT_BEGIN)).bytes.equals(TEXT))
  } finally {
    await rm(folder, { recursive: true })
  }
})
