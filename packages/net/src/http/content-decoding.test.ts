// Goal: every body decodes to what it can, within limits, without an exception. Method: round trips, damage at every kind of place, random bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import * as fc from 'fast-check'
import { decodeContent, DEFAULT_DECODING_LIMITS } from './content-decoding.ts'

const LIMITS = DEFAULT_DECODING_LIMITS
const LONG = process.env['MINGA_LONG'] === '1'
const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  'Deflate ': zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  identity: (bytes) => bytes,
}
const NAMES = Object.keys(ENCODERS)

function encode(name: string, bytes: Buffer): Buffer {
  const encoder = ENCODERS[name]
  assert.ok(encoder)
  return encoder(bytes)
}

/** Text that compresses like text: a few hundred words in pseudo-random order. */
function text(sizeBytes: number): Buffer {
  let state = 7
  let out = ''
  while (out.length < sizeBytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    out += `word${(state >>> 16) % 499} `
  }
  return Buffer.from(out.slice(0, sizeBytes))
}

test('what was encoded once, twice or three times comes back', () => {
  const page = text(20_000)
  for (const name of NAMES) {
    assert.deepEqual(
      decodeContent(encode(name, page), name, LIMITS),
      { bytes: page, problem: null },
      name,
    )
  }
  for (const names of [
    ['gzip', 'br'],
    ['deflate', 'identity', 'gzip'],
    ['zstd', 'gzip', 'br'],
  ]) {
    const body = names.reduce((bytes, name) => encode(name, bytes), page)
    assert.deepEqual(decodeContent(body, names.join(', ').toUpperCase(), LIMITS), {
      bytes: page,
      problem: null,
    })
  }
})

test('bodies without encoding and empty bodies pass through', () => {
  const page = Buffer.from('plain')
  for (const name of [undefined, '', 'identity', ' , none']) {
    assert.deepEqual(decodeContent(page, name, LIMITS), { bytes: page, problem: null })
  }
  for (const name of NAMES) assert.equal(decodeContent(Buffer.alloc(0), name, LIMITS).problem, null)
})

test('unknown, too many and mislabelled encodings leave the body as it is and say so', () => {
  const page = Buffer.from('<html>not packed</html>')
  for (const name of ['compress', 'gzip, gzip, gzip, gzip', 'gzip', 'zstd']) {
    const { bytes, problem } = decodeContent(page, name, LIMITS)
    assert.equal(bytes, page, name)
    assert.ok(problem, name)
  }
})

test('a stream cut short gives its beginning', () => {
  const page = text(300_000)
  for (const name of ['gzip', 'deflate', 'Deflate ', 'br', 'zstd']) {
    const body = encode(name, page)
    const { bytes, problem } = decodeContent(
      body.subarray(0, Math.floor(body.length * 0.7)),
      name,
      LIMITS,
    )
    assert.match(problem ?? '', /ends too early/, name)
    assert.ok(page.subarray(0, bytes.length).equals(bytes), name)
    // zstd hands out whole blocks of 128 KiB only.
    assert.ok(bytes.length > (name === 'zstd' ? 100_000 : 190_000), `${name}: ${bytes.length}`)
  }
})

test('a damaged stream gives what came before the damage', () => {
  const page = text(300_000)
  for (const name of ['gzip', 'deflate', 'br', 'zstd']) {
    const body = Buffer.from(encode(name, page))
    const at = Math.floor(body.length * 0.7)
    body.fill(0xff, at, at + 40)
    const { bytes, problem } = decodeContent(body, name, LIMITS)
    assert.ok(problem, name)
    const intact = name === 'zstd' ? 100_000 : 190_000
    assert.ok(bytes.length >= intact, `${name}: ${bytes.length}`)
    assert.ok(page.subarray(0, intact).equals(bytes.subarray(0, intact)), name)
  }
})

test('a wrong checksum and bytes after the end are problems that cost no content', () => {
  const page = text(50_000)
  const wrong = Buffer.from(zlib.gzipSync(page))
  wrong[wrong.length - 6]! ^= 1
  const trailing = Buffer.concat([zlib.gzipSync(page), Buffer.from('<!-- cached -->')])
  for (const body of [wrong, trailing]) {
    const { bytes, problem } = decodeContent(body, 'gzip', LIMITS)
    assert.match(problem ?? '', /damaged/)
    assert.ok(page.subarray(0, bytes.length).equals(bytes))
    assert.ok(bytes.length > 49_000, `${bytes.length}`)
  }
})

test('bombs stop at the limits, also nested ones', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024)
  for (const name of ['gzip', 'deflate', 'br', 'zstd']) {
    const { bytes, problem } = decodeContent(encode(name, zeros), name, LIMITS)
    assert.match(problem ?? '', /more than/, name)
    assert.ok(bytes.length <= LIMITS.bytesMax, name)
  }
  const nested = zlib.gzipSync(zlib.gzipSync(zeros))
  assert.ok(decodeContent(nested, 'gzip, gzip', LIMITS).bytes.length <= LIMITS.bytesMax)
  const small = zlib.gzipSync(Buffer.alloc(900_000))
  assert.equal(decodeContent(small, 'gzip', LIMITS).problem, null)
  const tooLarge = decodeContent(zlib.gzipSync(text(5000)), 'gzip', {
    bytesMax: 1000,
    ratioMax: 200,
  })
  assert.ok(tooLarge.bytes.length <= 1000 && tooLarge.problem !== null)
})

test('random bytes under any label never throw', () => {
  const label = fc.oneof(fc.constantFrom(...NAMES, 'br, gzip', 'gzip,deflate'), fc.string())
  const starts = fc.constantFrom([], [0x1f, 0x8b, 8, 0], [0x78, 0x9c], [0x28, 0xb5, 0x2f, 0xfd])
  fc.assert(
    fc.property(label, starts, fc.uint8Array({ maxLength: 200 }), (name, start, rest) => {
      const { bytes } = decodeContent(Buffer.from([...start, ...rest]), name, {
        bytesMax: 10_000,
        ratioMax: 50,
      })
      assert.ok(bytes.length <= 10_000)
    }),
    { numRuns: LONG ? 200_000 : 4_000 },
  )
})

test('valid streams cut or damaged anywhere give a beginning or a problem, never an exception', () => {
  const page = text(3000)
  const packed = NAMES.map((name) => [name, encode(name, page)] as const)
  fc.assert(
    fc.property(
      fc.constantFrom(...packed),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      ([name, whole], at, flip, cut) => {
        const body = Buffer.from(whole)
        const place = at % body.length
        if (!cut) body[place]! ^= 1 + (flip % 255)
        const { bytes, problem } = decodeContent(cut ? body.subarray(0, place) : body, name, LIMITS)
        if (cut && problem !== null && name !== 'zstd')
          assert.ok(page.subarray(0, bytes.length).equals(bytes) || place < 2)
        if (cut && place > 0 && name !== 'identity') assert.notEqual(problem, null)
      },
    ),
    { numRuns: LONG ? 100_000 : 2_000 },
  )
})
