// Goal: a stranger's upload counts for what its bytes say, whatever its manifest says. Method: real
// records of the agent's own code, then spoilt one field at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRecord } from '@minga/archive'
import type { CapturedResult, RequestKind } from '@minga/protocol'
import { gzipSync } from 'node:zlib'
import { checkResults } from './check-results.ts'
import { recordedCapture, type Page } from '../../../test/station-fixture.ts'

const STRANGER = { isProven: false, wantsPage: () => false }

interface Sent {
  result: CapturedResult
  members: Buffer
}

function sent(page: Page, kind: RequestKind = 'page', url = 'http://a.test/'): Sent {
  const { result, members } = recordedCapture({ url, kind }, page)
  assert.ok(result.type === 'captured')
  return { result, members: Buffer.concat(members) }
}

const HTML: Page = { body: '<title>T</title><a href="/next">n</a>' }

test('an honest capture passes as it is', () => {
  const { result, members } = sent(HTML)
  assert.deepEqual(result.links, ['http://a.test/next'])
  const budget = { bytes: 10_000, linkChars: 100 }
  const { left, ...checked } = checkResults([result], members, { ...STRANGER, budget })
  assert.deepEqual(checked, { results: [result], members, refused: 0, pages: new Map() })
  assert.ok(left.bytes > 0 && left.bytes < 10_000, `${left.bytes} bytes`)
  assert.equal(left.linkChars, 100 - 'http://a.test/next'.length)
})

test('links, title, size, target and what headers say are read from the bytes, not from the manifest', () => {
  const { result, members } = sent({ ...HTML, headers: [['ETag', '"1"']] })
  const lies = {
    links: ['http://evil.test/'],
    title: 'Lie',
    payloadBytes: 1,
    nofollow: true,
    mime: 'text/css',
    encoding: 'br',
    etag: '"2"',
    lastModified: 'Wed, 06 May 2026 00:00:00 GMT',
    retryAfterMs: 86_400_000,
  }
  const checked = checkResults([{ ...result, ...lies }], members, STRANGER)
  assert.deepEqual(checked.results, [result])
  const moved = sent({ status: 302, headers: [['Location', '/there']] })
  const elsewhere = { ...moved.result, location: 'http://evil.test/' }
  assert.deepEqual(checkResults([elsewhere], moved.members, STRANGER).results, [moved.result])
})

test('a robots.txt is read from the bytes even when the device is proven', () => {
  const url = 'http://a.test/robots.txt'
  const { result, members } = sent(
    { body: 'User-agent: *\nDisallow: /', type: 'text/plain' },
    'robots',
    url,
  )
  const lie = { ...result, body: Buffer.from('User-agent: *\nAllow: /').toString('base64') }
  assert.deepEqual(checkResults([lie], members, { ...STRANGER, isProven: true }).results, [result])
})

const { result: HONEST, members: BYTES } = sent(HTML)
const CAPTURE_BYTES = HONEST.members[0]!
const capture = BYTES.subarray(0, CAPTURE_BYTES)
const NO_RECORD = gzipSync('hello')
const foreign = sent({ body: 'other' }, 'page', 'http://b.test/')

for (const [what, result, members] of [
  ['another digest', { digest: `sha256:${'0'.repeat(64)}` }, BYTES],
  ['another status', { status: 404 }, BYTES],
  ['another address', { url: 'http://b.test/' }, BYTES],
  ['another kind of record', { record: 'revisit' }, BYTES],
  ['another time', { capturedAt: HONEST.capturedAt + 1_000 }, BYTES],
  ['an impossible time', { capturedAt: 9e15 }, BYTES],
  ['a record of another page', { members: foreign.result.members }, foreign.members],
  ['no WARC record at all', { members: [NO_RECORD.length] }, NO_RECORD],
  ['a cut record', { members: [50] }, capture.subarray(0, 50)],
  [
    'something after the record',
    { members: [CAPTURE_BYTES + 3] },
    Buffer.concat([capture, Buffer.from('abc')]),
  ],
  [
    'a second member behind it',
    { members: [2 * CAPTURE_BYTES] },
    Buffer.concat([capture, capture]),
  ],
  ['a bomb', { members: [0] }, null],
  [
    'a stranger in addition',
    { members: [CAPTURE_BYTES, CAPTURE_BYTES] },
    Buffer.concat([capture, capture]),
  ],
  [
    'too many records',
    { members: Array(4).fill(CAPTURE_BYTES) },
    Buffer.concat(Array(4).fill(capture)),
  ],
] as [string, Partial<CapturedResult>, Buffer | null][]) {
  test(`a capture with ${what} becomes a failure that another device may retry`, () => {
    const bytes = members ?? bomb()
    const lie = { ...HONEST, ...result, ...(members ? {} : { members: [bytes.length] }) }
    const checked = checkResults([lie, HONEST], Buffer.concat([bytes, BYTES]), STRANGER)
    const [first, second] = checked.results
    assert.equal(checked.refused, 1)
    assert.equal(first?.type, 'failed')
    assert.equal(first?.type === 'failed' && first.code, 'MINGA_BAD_RECORD')
    assert.deepEqual(second, HONEST, 'the others are not harmed')
    assert.deepEqual(checked.members, BYTES, 'and only their bytes are kept')
  })
}

/** A hundred megabytes of nothing in a hundred kilobytes. */
function bomb(): Buffer {
  return encodeRecord({
    type: 'response',
    headers: [['WARC-Target-URI', HONEST.url]],
    block: [Buffer.alloc(100 * 1024 * 1024)],
  })
}

test('a capture of a time outside of its lease does not count, whatever its record says', () => {
  const { result, members } = sent(HTML)
  const at = result.capturedAt
  const refused = (window: [number, number]): number =>
    checkResults([result], members, { ...STRANGER, window: () => window }).refused
  assert.deepEqual(
    [refused([at, at]), refused([at + 1, at + 9]), refused([at - 9, at - 1])],
    [0, 1, 1],
  )
})

test('a digest that the record itself names falsely is found', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
  const member = encodeRecord({
    type: 'response',
    headers: [
      ['WARC-Target-URI', HONEST.url],
      ['WARC-Payload-Digest', HONEST.digest],
    ],
    block: [Buffer.from(`${head}forged`)],
  })
  const forged = { ...HONEST, members: [member.length] }
  assert.equal(checkResults([forged], member, STRANGER).refused, 1)
})

test('links beyond what an upload may have are left out and counted, and its captures stay', () => {
  const page = { body: '<a href="/1">1</a><a href="/2">2</a><img src="/3">' }
  const both = [sent(page), sent(page)]
  const linkChars = 4 * 'http://a.test/1'.length
  const { results, refused } = checkResults(
    both.map(({ result }) => result),
    Buffer.concat(both.map(({ members }) => members)),
    { ...STRANGER, budget: { bytes: 1e6, linkChars } },
  )
  assert.equal(refused, 0)
  const [first, second] = results as [CapturedResult, CapturedResult]
  assert.deepEqual(first, both[0]!.result)
  assert.deepEqual([second.links, second.embeds, second.linksDropped], [['http://a.test/1'], [], 2])
})
