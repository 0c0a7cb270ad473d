// Goal: what unpacks to much is unpacked once, within limits and in flat memory, and gives what can
// be had of it. Method: large pages whole, cut short and damaged; a bomb whose pieces are dropped,
// memory watched in the meantime.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import zlib from 'node:zlib'
import { unpackContent, unpackWhole } from './unpack-content.ts'

const LIMITS = { bytesMax: 16 * 1024 * 1024, ratioMax: 200 }
const { BROTLI_PARAM_QUALITY } = zlib.constants
const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateRawSync,
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zlib.zstdCompressSync,
}

/** Text of pseudo-random words: large when packed, too. */
function text(sizeBytes: number): Buffer {
  let state = 7
  let out = ''
  while (out.length < sizeBytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    out += `word${(state >>> 8) % 499_979} `
  }
  return Buffer.from(out.slice(0, sizeBytes))
}

const PAGE = text(3_000_000)

test('large bodies come back whole, under one encoding or several', async () => {
  for (const [name, encode] of Object.entries(ENCODERS)) {
    const { bytes, problem } = await unpackWhole(encode(PAGE), name, LIMITS)
    assert.equal(problem, null, name)
    assert.ok(bytes.equals(PAGE), name)
  }
  const twice = zlib.gzipSync(ENCODERS['br']!(PAGE))
  assert.ok((await unpackWhole(twice, 'br, gzip', LIMITS)).bytes.equals(PAGE))
  assert.deepEqual(await unpackWhole(PAGE, undefined, LIMITS), { bytes: PAGE, problem: null })
})

test('large bodies that are cut short or damaged give their beginning', async () => {
  for (const [name, encode] of Object.entries(ENCODERS)) {
    const whole = encode(PAGE)
    const at = Math.floor(whole.length * 0.8)
    const cut = await unpackWhole(whole.subarray(0, at), name, LIMITS)
    assert.match(cut.problem ?? '', /ends too early/, name)
    const hurt = Buffer.from(whole)
    hurt.fill(0xff, at, at + 40)
    const damaged = await unpackWhole(hurt, name, LIMITS)
    for (const { bytes } of [cut, damaged]) {
      const intact = bytes.subarray(0, 2_000_000)
      assert.ok(intact.length === 2_000_000 && PAGE.subarray(0, 2_000_000).equals(intact), name)
    }
  }
})

/** Pieces that were sent on count until they are collected, which says nothing of what is held. */
function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc')
  ;(vm.runInNewContext('gc') as () => void)()
}
const LOOK_EVERY = 16 * 1024 * 1024

test('a bomb costs one pass up to the limit, and no memory when its pieces are sent on', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(128 * 1024 * 1024))
  const held = await unpackWhole(bomb, 'gzip', { bytesMax: 4 * 1024 * 1024, ratioMax: 2_000 })
  assert.equal(held.bytes.length, 4 * 1024 * 1024)
  assert.match(held.problem ?? '', /more than 4194304 bytes/)
  const byRatio = await unpackWhole(bomb, 'gzip', { bytesMax: 2 ** 30, ratioMax: 10 })
  assert.equal(byRatio.bytes.length, bomb.length * 10)
  assert.match(byRatio.problem ?? '', /more than 10 times its size/)

  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  let unpacked = 0
  let most = 0
  for await (const piece of unpackContent(bomb, 'gzip', { bytesMax: 2 ** 30, ratioMax: 2_000 })) {
    const isDue =
      Math.floor((unpacked + piece.length) / LOOK_EVERY) > Math.floor(unpacked / LOOK_EVERY)
    unpacked += piece.length
    if (!isDue) continue
    collectGarbage()
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  assert.equal(unpacked, 128 * 1024 * 1024)
  assert.ok(most < 32 * 1024 * 1024, `held ${most} bytes`)
})
