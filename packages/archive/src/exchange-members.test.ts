// Goal: what is written about an exchange is true and complete. Method: decode each member with
// zlib's own gunzip and read the text, without our reader.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { ImpossibleRevisit, UnreadableRecord } from './errors.ts'
import { recordExchange, type Exchange } from './exchange-members.ts'
import { decodeMember, recordIdOf, referenceOf, referTo, toRevisit } from './one-member.ts'
import { countingIds, sampleExchange, sampleWarcinfo } from '../test/sample-exchange.ts'
import { encodeRecord } from './warc-record.ts'

const sha256 = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const record = (changes: Partial<Exchange> = {}) =>
  recordExchange(sampleExchange(changes), countingIds())
const captureText = (changes: Partial<Exchange> = {}): string =>
  gunzipSync(record(changes).members[0]).toString('latin1')

test('an exchange becomes a response, a request and a metadata record that point to each other', () => {
  const { members, kind, mime, payloadDigest, captureBytes, totalBytes } = record({
    via: 'http://v/',
  })
  const [capture, request, metadata] = members.map((member) =>
    gunzipSync(member).toString('latin1'),
  )
  assert.equal(kind, 'response')
  assert.equal(mime, 'text/html')
  assert.equal(payloadDigest, sha256(Buffer.from('<p>hello')))
  assert.equal(captureBytes, members[0].length)
  assert.equal(totalBytes, Buffer.concat(members).length)
  const id = /WARC-Record-ID: (\S+)/.exec(capture!)?.[1]
  assert.ok(id?.startsWith('<urn:uuid:'))
  for (const other of [request!, metadata!])
    assert.ok(other.includes(`WARC-Concurrent-To: ${id}\r\n`))
  assert.match(capture!, /^WARC\/1\.1\r\nWARC-Type: response\r\n/)
  assert.match(capture!, /WARC-Date: 2026-05-06T07:08:09\.123Z\r\n/)
  assert.ok(capture!.endsWith('\r\n\r\n<p>hello\r\n\r\n'))
  assert.match(request!, /\r\n\r\nGET \/a\?b=1 HTTP\/1\.1\r\nHost: example\.org\r\n/)
  assert.match(metadata!, /\r\n\r\nfetchTimeMs: 12\r\nhopsFromSeed: 0\r\nvia: http:\/\/v\/\r\n/)
})

test('the certificate that a server showed is recorded next to how the page was reached', () => {
  const certificate = { digest: 'sha256:ab', issuer: 'CN=An Authority\r\nWARC-Type: forged' }
  const { members } = recordExchange(sampleExchange({ certificate }), countingIds())
  const metadata = gunzipSync(members[2]).toString()
  assert.match(
    metadata,
    /\r\ntlsCertificate: sha256:ab\r\ntlsIssuer: CN=An Authority[^\r\n]*forged\r\n/,
  )
})

test('block and payload digests are those of the stored bytes', () => {
  const text = captureText()
  const block = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4, -4), 'latin1')
  assert.ok(text.includes(`WARC-Block-Digest: ${sha256(block)}\r\n`))
  assert.ok(text.includes(`WARC-Payload-Digest: ${sha256(Buffer.from('<p>hello'))}\r\n`))
  assert.ok(text.includes(`Content-Length: ${block.length}\r\n\r\nHTTP/1.1 200 OK`))
})

test('headers that are untrue of the stored body are kept under another name', () => {
  const text = captureText({
    rawHeaders: [
      ['Transfer-Encoding', 'chunked'],
      ['content-length', '999'],
      ['X-Other', 'kept'],
    ],
  })
  assert.match(text, /\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n/)
  assert.doesNotMatch(text, /\r\nTransfer-Encoding:/i)
  assert.match(text, /\r\nX-Archive-Orig-content-length: 999\r\nContent-Length: 8\r\nX-Other: kept/)
})

test('the recorded request line has the question mark of an empty query', () => {
  const { members } = record({ url: 'http://example.org/q?' })
  assert.match(gunzipSync(members[1]).toString(), /\r\nGET \/q\? HTTP\/1\.1\r\n/)
})

test('a right content length stays, and so does the one of an answer that rightly has no body', () => {
  assert.match(
    captureText({ rawHeaders: [['Content-Length', '8']] }),
    /\r\nContent-Length: 8\r\n\r\n<p>/,
  )
  for (const changes of [{ requestMethod: 'HEAD' }, { status: 304 }]) {
    const text = captureText({
      ...changes,
      body: Buffer.alloc(0),
      rawHeaders: [['Content-Length', '5']],
    })
    assert.doesNotMatch(text, /X-Archive-Orig/)
    assert.match(text, /\r\nContent-Length: 5\r\n/)
  }
})

test('HTTP/2 is written in the shape of HTTP/1.1 and marked, and cut bodies say why', () => {
  const text = captureText({
    httpVersion: '2',
    truncated: 'time',
    rawHeaders: [
      [':status', '200'],
      ['etag', 'x'],
    ],
  })
  assert.match(text, /\r\nWARC-Protocol: h2\r\n/)
  assert.match(text, /\r\nWARC-Truncated: time\r\n/)
  assert.match(text, /\r\n\r\nHTTP\/1\.1 200 OK\r\netag: x\r\n\r\n/)
})

const earlier = {
  digest: sha256(Buffer.from('<p>hello')),
  url: 'http://example.org/first',
  capturedAt: Date.UTC(2026, 0, 1),
  recordId: '<urn:uuid:00000000-0000-4000-8000-00000000000f>',
}

test('the same payload again becomes a revisit that names its original by URL, date and identifier', () => {
  const { kind, payloadDigest } = record({ previous: earlier })
  const text = captureText({ previous: earlier })
  assert.equal(kind, 'revisit')
  assert.equal(payloadDigest, earlier.digest)
  assert.match(
    text,
    /WARC-Profile: http:\/\/netpreserve\.org\/warc\/1\.1\/revisit\/identical-payload-digest/,
  )
  assert.match(text, /WARC-Refers-To-Target-URI: http:\/\/example\.org\/first\r\n/)
  assert.match(text, /WARC-Refers-To-Date: 2026-01-01T00:00:00\.000Z\r\n/)
  assert.ok(text.includes(`WARC-Refers-To: ${earlier.recordId}\r\n`))
  assert.doesNotMatch(text, /<p>hello/)
})

test('a not-modified answer carries the digest of the original, not of its own empty body', () => {
  const answer = { status: 304, statusText: 'Not Modified', body: Buffer.alloc(0) }
  const text = captureText({ ...answer, previous: earlier })
  assert.match(text, /WARC-Type: revisit\r\n/)
  assert.match(
    text,
    /WARC-Profile: http:\/\/netpreserve\.org\/warc\/1\.1\/revisit\/server-not-modified/,
  )
  assert.ok(text.includes(`WARC-Payload-Digest: ${earlier.digest}\r\n`))
  assert.match(text, /WARC-Refers-To-Target-URI: .*\r\nWARC-Refers-To-Date: /)
  assert.equal(record(answer).kind, 'response')
})

test('an empty body never becomes a revisit', () => {
  const empty = Buffer.alloc(0)
  assert.equal(
    record({ body: empty, previous: { ...earlier, digest: sha256(empty) } }).kind,
    'response',
  )
})

test('a response member turns into a revisit that keeps its identifier and its HTTP head', () => {
  const { members } = record()
  const before = decodeMember(members[0])
  const after = decodeMember(toRevisit(members[0], earlier))
  assert.equal(after.type, 'revisit')
  assert.equal(after.headers.get('WARC-Record-ID'), before.headers.get('WARC-Record-ID'))
  assert.equal(after.headers.get('WARC-Payload-Digest'), earlier.digest)
  assert.equal(after.headers.get('WARC-Refers-To-Target-URI'), earlier.url)
  assert.equal(after.headers.all('WARC-Block-Digest').length, 1)
  assert.equal(after.headers.get('WARC-Block-Digest'), sha256(after.block))
  assert.ok(before.block.toString().startsWith(after.block.toString()))
  assert.ok(after.block.toString().endsWith('\r\n\r\n'))
})

test('a revisit is led to another response and stays what it was otherwise', () => {
  const former = record({ previous: { ...earlier, url: 'http://example.org/wrong' } }).members[0]
  const before = decodeMember(former)
  const after = decodeMember(referTo(former, earlier))
  assert.deepEqual(referenceOf(after.headers), {
    id: earlier.recordId,
    url: earlier.url,
    at: earlier.capturedAt,
  })
  const others = (member: typeof before): unknown =>
    member.headers.pairs.filter(([name]) => !name.startsWith('WARC-Refers-To'))
  assert.deepEqual(others(after), others(before))
  assert.deepEqual(after.block, before.block)
})

test('a revisit that refers to the right response already is left as it is, byte for byte', () => {
  const member = record({ previous: earlier }).members[0]
  assert.equal(referTo(member, earlier), member)
  assert.throws(() => referTo(record().members[0], earlier), ImpossibleRevisit)
})

test('the identifier of a member is read from its start, whatever its size and packing', () => {
  const large = { body: randomBytes(3_000_000) }
  for (const members of [record().members, record(large).members]) {
    for (const member of members) {
      assert.equal(recordIdOf(member), decodeMember(member).headers.get('WARC-Record-ID'))
    }
  }
  assert.equal(recordIdOf(Buffer.from('no record')), null)
})

test('a revisit that would be false is refused', () => {
  const { members } = record()
  assert.throws(() => toRevisit(members[1], earlier), ImpossibleRevisit)
  assert.throws(() => toRevisit(members[0], { ...earlier, digest: 'sha256:00' }), ImpossibleRevisit)
})

test('a member that is more or less than one record is refused', () => {
  const member = record().members[0]
  const bad = [
    Buffer.alloc(0),
    Buffer.from('WARC/1.1\r\n'),
    member.subarray(0, -1),
    Buffer.concat([member, member]),
    Buffer.concat([member, Buffer.from('x')]),
  ]
  for (const bytes of bad) assert.throws(() => decodeMember(bytes), UnreadableRecord)
  assert.throws(() => decodeMember(member, 100), UnreadableRecord)
})

test('warcinfo says who made the file and with what', () => {
  const { type, headers, block } = decodeMember(sampleWarcinfo())
  assert.equal(type, 'warcinfo')
  assert.equal(headers.get('WARC-Filename'), 'sample.warc.gz')
  assert.match(block.toString(), /^software: Minga\/0\.1\r\nformat: WARC File Format 1\.1\r\n/)
  assert.match(block.toString(), /operator: a@example\.org\r\n/)
})

test('no header of a hostile server can break out of its line', () => {
  const hostile = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(hostile, hostile, hostile, (name, value, statusText) => {
      const { members } = record({
        rawHeaders: [[name, value]],
        statusText,
        url: `http://h/${value}`,
      })
      const { headers, block } = decodeMember(members[0])
      assert.deepEqual(
        headers.pairs.map(([key]) => key),
        decodeMember(record().members[0]).headers.pairs.map(([key]) => key),
      )
      const head = block.subarray(0, -'<p>hello'.length).toString('latin1')
      assert.equal(head.split('\r\n').length, 4)
    }),
    { numRuns: 2000 },
  )
})

test('any block comes back as it went in', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 4 })
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 9 }), (block, level) => {
      const member = encodeRecord({ type: 'resource', headers: [['WARC-Date', 'x']], block }, level)
      assert.deepEqual(decodeMember(member).block, Buffer.concat(block))
    }),
    { numRuns: 2000 },
  )
})
