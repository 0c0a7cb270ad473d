// Goal: undici is shown a head that it accepts, the archive keeps the one that came, and nothing else is touched.
// Method: heads in pieces of every size, as they and with their oddities, and random bytes.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { HeadReader } from './http-fetch-head.ts'

/** What undici sees of bytes that come in pieces of this size. */
function shown(bytes: Buffer, size = bytes.length): { text: string; reader: HeadReader } {
  const reader = new HeadReader(1_000)
  reader.begin()
  let text = ''
  for (let at = 0; at < bytes.length; at += size) {
    text += reader.read(bytes.subarray(at, at + size))?.toString('latin1') ?? ''
  }
  return { text, reader }
}

const ODD =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 999 Denied\nA:  b\xe9 \t\r\nContent-Length: 3\ncontent-length: 3\n\r\nall\n\n'

test('an odd head is shown as undici reads it and kept as it came, in whatever pieces it comes', () => {
  const bytes = Buffer.from(ODD, 'latin1')
  for (let size = 1; size <= bytes.length; size++) {
    const { text, reader } = shown(bytes, size)
    assert.equal(text, 'HTTP/1.1 999 Denied\r\nA: b\xe9\r\nContent-Length: 3\r\n\r\nall\n\n')
    assert.deepEqual(reader.received, {
      statusText: 'Denied',
      headers: [
        ['A', 'b\xe9'],
        ['Content-Length', '3'],
        ['content-length', '3'],
      ],
    })
  }
})

const UNTOUCHED = [
  'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\nall\n\nHTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\ncontent-length: 3\ncontent-length: 4\n\nall',
  'HTTP/1.1 200 OK\n: no name\n\n',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'ICY 200 OK\n\n',
  `HTTP/1.1 200 OK\r\na: ${'x'.repeat(2_000)}\n\n`,
]

test('what is not odd, or is broken in another way, passes unchanged', () => {
  for (const bytes of UNTOUCHED) {
    for (const size of [1, 7, 5_000]) {
      const { text, reader } = shown(Buffer.from(bytes, 'latin1'), size)
      assert.equal(text, bytes)
      assert.equal(reader.received, null)
    }
  }
})

test('random bytes after an odd head come out as they are, and an incomplete head is bounded', () => {
  for (let i = 0; i < 500; i++) {
    const random = randomBytes(i)
    const { text } = shown(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\nA: b\n\n'), random]), 13)
    assert.equal(text, `HTTP/1.1 200 OK\r\nA: b\r\n\r\n${random.toString('latin1')}`)
    const { text: loose } = shown(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\n'), random]), 13)
    assert.ok(loose.length === 0 || loose.endsWith(random.toString('latin1').slice(-1)))
  }
  const long = `HTTP/1.1 200 OK\nA: ${' '.repeat(500_000)}b`
  assert.equal(shown(Buffer.from(long), 9_000).text, long)
})
