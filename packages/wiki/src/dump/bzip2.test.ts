// Goal: our own reader of bzip2 gives the bytes of the program's, finds every damage, and never gives wrong bytes
// as right ones. Method: streams made by the bzip2 program of the machine, and a small one kept here.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DumpDamaged } from '../errors.ts'
import { unpackBzip2 } from './bzip2.ts'
import { RESTART_AT_BEGIN, type RawChunk } from './raw-chunk.ts'

/** “Minga”, packed. */
const SMALL = Buffer.from('QlpoOTFBWSZTWTEusRYAAAAFAAACIKEgACGDQZoJTHF3JFOFCQMS6xFg', 'base64')

const hasProgram = spawnSync('bzip2', ['--help']).error === undefined
const skip = hasProgram ? false : 'the program bzip2 is not installed'

function packed(bytes: Buffer, level = 9): Buffer {
  const { stdout } = spawnSync('bzip2', [`-${level}`, '-c'], { input: bytes, maxBuffer: 1e9 })
  return stdout
}

async function* inPieces(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function unpacked(
  bytes: Buffer,
  size?: number,
): Promise<{ chunks: RawChunk[]; bytes: Buffer; error: unknown }> {
  const chunks: RawChunk[] = []
  let error: unknown = null
  try {
    for await (const chunk of unpackBzip2(inPieces(bytes, size), RESTART_AT_BEGIN))
      chunks.push(chunk)
  } catch (thrown) {
    error = thrown
  }
  return { chunks, bytes: Buffer.concat(chunks.map((chunk) => chunk.bytes)), error }
}

/** Deterministic bytes of several kinds: runs, text, noise. */
function sampleBytes(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    const kind = (at >>> 14) % 3
    bytes[at] = kind === 0 ? 0x61 : kind === 1 ? 0x20 + ((state >>> 16) % 64) : state >>> 24
  }
  return bytes
}

test('a small stream is unpacked without any program', async () => {
  const { bytes, error } = await unpacked(SMALL, 7)
  assert.equal(error, null)
  assert.equal(bytes.toString(), 'Minga')
})

test('several streams one behind the other are one text, and each is a place to begin at', async () => {
  const { bytes, chunks, error } = await unpacked(Buffer.concat([SMALL, SMALL, SMALL]))
  assert.equal(error, null)
  assert.equal(bytes.toString(), 'MingaMingaMinga')
  const last = chunks.at(-1)!.restart
  assert.deepEqual(last, { compressed: 2 * SMALL.length, raw: 10 })
})

test('a stream that is cut anywhere is damaged, and no byte of it is believed', async () => {
  for (let length = 1; length < SMALL.length; length += 1) {
    const { bytes, error } = await unpacked(Buffer.concat([SMALL, SMALL.subarray(0, length)]))
    assert.ok(error instanceof DumpDamaged, `${length}`)
    assert.ok(['Minga', 'MingaMinga'].includes(bytes.toString()), `${length}`)
    assert.ok(error.position >= SMALL.length, `${length}`)
  }
})

test('a changed bit is found by the checksums wherever it is', async () => {
  for (let bit = 0; bit < SMALL.length * 8; bit += 1) {
    const broken = Buffer.from(SMALL)
    broken[bit >>> 3]! ^= 1 << (bit & 7)
    const { bytes, error } = await unpacked(broken)
    const isRight = error === null && bytes.toString() === 'Minga'
    assert.ok(error instanceof DumpDamaged || isRight, `bit ${bit}: ${String(error)}`)
  }
})

test('random bytes of every kind come back at every level', { skip }, async () => {
  const sample = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }),
    fc
      .tuple(fc.nat({ max: 255 }), fc.nat({ max: 5000 }))
      .map(([byte, size]) => Buffer.alloc(size, byte)),
    fc.string({ maxLength: 2000 }).map((text) => Buffer.from(text.repeat(3))),
  )
  await fc.assert(
    fc.asyncProperty(sample, fc.integer({ min: 1, max: 9 }), async (bytes, level) => {
      const back = await unpacked(packed(Buffer.from(bytes), level))
      assert.equal(back.error, null)
      assert.ok(back.bytes.equals(bytes))
    }),
    { seed: 2, numRuns: 40 },
  )
})

test(
  'texts of many blocks come back, also with runs that make a block many times larger',
  { skip },
  async () => {
    for (const bytes of [sampleBytes(3_000_000, 5), Buffer.alloc(60_000_000, 0x7a)]) {
      const back = await unpacked(packed(bytes), 65_536)
      assert.equal(back.error, null)
      assert.ok(back.bytes.equals(bytes))
      assert.ok(back.chunks.every((chunk) => chunk.bytes.length <= 1024 * 1024))
    }
  },
)

test('of a damaged file every block before the damage is given', { skip }, async () => {
  const bytes = sampleBytes(2_500_000, 9)
  const broken = packed(bytes)
  const place = Math.floor(broken.length * 0.7)
  broken[place]! ^= 0x55
  const { bytes: back, error } = await unpacked(broken)
  assert.ok(error instanceof DumpDamaged)
  assert.ok(back.length >= 890_000)
  assert.ok(back.equals(bytes.subarray(0, back.length)))
})
