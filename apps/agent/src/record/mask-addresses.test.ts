// Goal: no reader of an archive learns which address a volunteer has, and the recorded digests are
// consistent. Method: written texts and answers, recorded as a lent machine records them and read
// again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { decodeMember, parseHttpBlock, sha256Label } from '@minga/archive'
import type { FetchAnswer } from '@minga/net'
import { createVirtualClock, threadMs } from '@minga/testkit'
import { maskOf } from './mask-addresses.ts'
import { AT_EASE, recordFinding } from './record.ts'
import { answerOf, hostOf } from '../../test/station/station-client-fixture.ts'

const OWN = ['62.10.20.77', '2a01:4f8:c0de:fade:1:2:3:4', '3ffe:0:0:7::1']
const mask = maskOf(OWN)!

test('an address is overwritten in every spelling that servers use, by as many zeros', () => {
  for (const spelling of [
    '62.10.20.77',
    '62-10-20-77',
    '77.20.10.62',
    '2a01:4f8:c0de:fade:1:2:3:4',
    '2A01:04F8:C0DE:FADE:0001:0002:0003:0004',
    '2a01:4f8:c0de:fade::9',
    '2a01%3A4f8%3Ac0de%3afade%3A%3A9',
    '3ffe::7:0:0:0:1',
    '3ffe:0:0:7::',
    '3ffe:0000:0000:0007:0000:0000:0000:0001',
  ]) {
    for (const [before, after] of [
      ['', ''],
      ['You are ', '.'],
      ['?ip%3D', '&x'],
      ['%20', ''],
      ['[', ']:80'],
      ['"', '": 1'],
      ['ip', ': hello'],
      ['::ffff:', '-dsl.example'],
    ] as const) {
      const text = `${before}${spelling}${after}`
      // Behind colons IPv6 is the end of another address.
      if (before === '::ffff:' && !/^\d+[.-]/.test(spelling)) continue
      assert.equal(mask.text(text), `${before}${'0'.repeat(spelling.length)}${after}`, text)
    }
  }
})

test('other addresses, numbers and words stay', () => {
  for (const text of [
    '162.10.20.77',
    '62.10.20.770',
    '62.10.20.7',
    '62x10.20.77',
    '2a01:4f8:c0de:face:1:2:3:4',
    '2a01:4f8:c0de:fade',
    '12a01:4f8:c0de:fade::1',
    '3ffe::7',
    'color:#2a01ff; a::before',
  ]) {
    assert.equal(mask.text(text), null, text)
  }
  assert.equal(maskOf([]), null)
  assert.equal(maskOf(['no address']), null)
})

const PAGE = `<html><title>Hi 62.10.20.77</title><p>You are 2a01:4f8:c0de:fade::9.</p>
<a href="/from/62.10.20.77">in</a> é`
const HIDDEN = PAGE.replaceAll('62.10.20.77', '0'.repeat(11)).replace(/2a01[^.]*/, '0'.repeat(21))

/** The answer as it is recorded, read from the bytes of the record. */
function recorded(answer: FetchAnswer) {
  const request = hostOf(['http://h.test/']).requests[0]!
  const finding = {
    leased: { fence: 1, hostId: 1, collectionId: 1, request },
    outcome: answer,
    endedAtMs: 0,
  }
  const clock = createVirtualClock()
  const tools = { clock, newId: () => crypto.randomUUID(), effort: AT_EASE, mask }
  const { result, members } = recordFinding(tools, finding)
  assert.ok(result.type === 'captured')
  const capture = decodeMember(members[0]!, 1_000_000)
  const http = parseHttpBlock(capture.block)!
  assert.equal(capture.headers.get('WARC-Payload-Digest'), sha256Label([http.body]))
  assert.equal(result.digest, sha256Label([http.body]))
  assert.equal(result.payloadBytes, http.body.length)
  const beside = decodeMember(members[2]!, 1_000_000).block.toString()
  return { result, capture, http, beside, whole: JSON.stringify(result) + String(capture.block) }
}

test('no page that echoes it carries the address into a record, and the record holds together', () => {
  const body = Buffer.from(PAGE)
  const sent: FetchAnswer['rawHeaders'] = [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Length', String(body.length)],
    ['X-Your-Address', '62.10.20.77'],
    ['Location', '/?from=62.10.20.77'],
  ]
  const { result, http, whole, beside } = recorded(answerOf(body, { rawHeaders: sent }))
  assert.equal(http.body.toString(), HIDDEN)
  assert.equal(http.headers.get('content-length'), String(body.length))
  assert.equal(http.headers.get('x-your-address'), '00000000000')
  assert.equal(result.location, 'http://h.test/?from=00000000000')
  assert.deepEqual(result.links, ['http://h.test/from/00000000000'])
  assert.equal(result.title, 'Hi 00000000000')
  assert.doesNotMatch(whole, /62\.10\.20\.77|2a01/)
  assert.match(beside, /fetcherAddress: masked/)
})

for (const [encoding, packed] of [
  ['gzip', gzipSync(PAGE)],
  ['br', brotliCompressSync(PAGE)],
] as const) {
  test(`a body in ${encoding} is recorded unpacked when it contains the address`, () => {
    const rawHeaders: FetchAnswer['rawHeaders'] = [
      ['Content-Type', 'text/html'],
      ['Content-Encoding', encoding],
      ['Content-Length', String(packed.length)],
    ]
    const { result, http } = recorded(answerOf(packed, { rawHeaders }))
    assert.equal(http.body.toString(), HIDDEN)
    assert.equal(result.encoding, null)
    assert.equal(http.headers.get('content-encoding'), undefined)
    assert.equal(http.headers.get('x-archive-orig-content-encoding'), encoding)
    assert.equal(http.headers.get('content-length'), String(http.body.length))
  })
}

test('what does not contain it is recorded byte for byte as it came', () => {
  const packed = gzipSync('<title>Nobody</title>')
  const rawHeaders: FetchAnswer['rawHeaders'] = [
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'gzip'],
  ]
  const { http, result, beside } = recorded(answerOf(packed, { rawHeaders }))
  assert.deepEqual(http.body, packed)
  assert.equal(result.encoding, 'gzip')
  assert.doesNotMatch(beside, /masked/)
  const picture = answerOf('GIF 62.10.20.77', { rawHeaders: [['Content-Type', 'image/gif']] })
  assert.equal(recorded(picture).http.body.toString(), 'GIF 62.10.20.77')
})

test('a packed body that breaks off is recorded as far as it can be read, and says so', () => {
  const packed = gzipSync(PAGE.repeat(500))
  const rawHeaders: FetchAnswer['rawHeaders'] = [
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'gzip'],
  ]
  const cut = packed.subarray(0, packed.length - 20)
  const { http, capture } = recorded(answerOf(cut, { rawHeaders }))
  assert.equal(capture.headers.get('WARC-Truncated'), 'length')
  assert.ok(http.body.length > 0)
  assert.doesNotMatch(http.body.toString(), /62\.10|2a01/)
})

test('a large hostile text is searched in time that grows with its length only', () => {
  for (const piece of ['2a01:', '2a01%3a', '62.10.20.', '62.10.20.77 ', '2a01:4f8:c0de:fade::1 ']) {
    const bytes = Buffer.from(piece.repeat(200_000))
    const started = threadMs()
    mask.bytes(bytes)
    assert.ok(threadMs() - started < 2_000, piece)
  }
})
