// Goal: verification finds what is false and calls good files good. Method: good files, then the
// same with one thing made false and repacked so that gzip itself is whole.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { recordExchange } from './exchange-members.ts'
import {
  collect,
  countingIds,
  inPieces,
  sampleArchive,
  sampleExchange,
  sampleWarcinfo,
} from '../test/sample-exchange.ts'
import { verifyRecords } from './verify.ts'

const findings = async (bytes: Buffer): Promise<string[]> =>
  (await collect(verifyRecords(inPieces(bytes, 10_000)))).map(
    ({ severity, code, offset }) => `${severity} ${code} ${offset}`,
  )

const info = sampleWarcinfo()
const sample = recordExchange(sampleExchange(), countingIds()).members[0]
const changed = (from: string | RegExp, to: string): Buffer =>
  Buffer.concat([info, gzipSync(gunzipSync(sample).toString('latin1').replace(from, to))])

test('what we write is found good, large bodies and revisits included', async () => {
  const large = Buffer.alloc(20_000_000, 'large ')
  const previous = {
    digest: `sha256:${'0'.repeat(64)}`,
    url: 'http://a/',
    capturedAt: 0,
    recordId: null,
  }
  const revisit = recordExchange(sampleExchange({ status: 304, previous }), countingIds())
  const file = Buffer.concat([sampleArchive([Buffer.from('a'), large]), ...revisit.members])
  assert.deepEqual(await findings(file), [])
})

test('a changed payload fails both digests, a changed head only that of the block', async () => {
  const at = info.length
  assert.deepEqual(await findings(changed('<p>hello', '<p>hullo')), [
    `error block-digest ${at}`,
    `error payload-digest ${at}`,
  ])
  assert.deepEqual(await findings(changed('charset', 'CHARSET')), [`error block-digest ${at}`])
})

test('sha1 in base32 and hex, sha256 in base32 and unknown algorithms are understood', async () => {
  const payload = Buffer.from('<p>hello')
  const sha1 = createHash('sha1').update(payload).digest()
  const labels = [`sha1:${sha1.toString('hex')}`, `SHA-1:${base32(sha1)}`]
  labels.push(`sha256:${base32(createHash('sha256').update(payload).digest())}`)
  for (const label of labels) {
    assert.deepEqual(await findings(changed(/(?<=WARC-Payload-Digest: ).*/, label)), [], label)
  }
  const wrong = `sha1:${base32(Buffer.alloc(20))}`
  const at = info.length
  assert.deepEqual(await findings(changed(/(?<=WARC-Payload-Digest: ).*/, wrong)), [
    `error payload-digest ${at}`,
  ])
  assert.deepEqual(await findings(changed(/(?<=WARC-Payload-Digest: ).*/, 'crc:12')), [
    `warning unknown-digest ${at}`,
  ])
})

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

test('missing fields, a false date, no warcinfo and a shared member are named', async () => {
  const at = info.length
  assert.deepEqual(await findings(changed(/WARC-Record-ID: .*\r\n/, '')), [
    `error missing-field ${at}`,
  ])
  assert.deepEqual(await findings(changed(/(?<=WARC-Date: ).*/, 'now')), [
    `error missing-field ${at}`,
  ])
  assert.deepEqual(await findings(sample), ['warning no-warcinfo 0'])
  assert.deepEqual(await findings(gzipSync(gunzipSync(sampleArchive([Buffer.from('a')])))), [
    'warning shared-member 0',
  ])
})

test('a revisit that does not say what it refers to is a warning', async () => {
  const previous = {
    digest: `sha256:${'0'.repeat(64)}`,
    url: 'http://a/',
    capturedAt: 0,
    recordId: null,
  }
  const member = recordExchange(sampleExchange({ status: 304, previous }), countingIds()).members[0]
  const text = gunzipSync(member)
    .toString('latin1')
    .replaceAll(/WARC-Refers-To.*\r\n/g, '')
  const at = info.length
  assert.deepEqual(await findings(Buffer.concat([info, gzipSync(text)])), [
    `warning revisit-target ${at}`,
    `warning revisit-target ${at}`,
  ])
})

test('a torn tail is named with the offset of the torn record', async () => {
  const file = Buffer.concat([info, sample])
  assert.deepEqual(await findings(file.subarray(0, -1)), [`error truncated ${info.length}`])
})
