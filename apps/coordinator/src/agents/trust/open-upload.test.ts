// Goal: of an upload only what is leased to its sender counts, once, and no later than its lease says. Method: pure
// uploads, whose requests are masked as the station masks them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beatMessage, boundLinks, encodeUpload, type Result } from '@minga/protocol'
import { BlockMask } from './block-mask.ts'
import { openUpload, type OpenedUpload } from './open-upload.ts'

const SECRET = 'of this station'
const NOW = 1_800_000_000_000
const LEASE_AGE_MS = 5_000
const leased = [
  { fence: 1, hostId: 2, collectionId: 3, openedAt: NOW - LEASE_AGE_MS, hashes: [10, 11] },
]
const failed = (change: Partial<Extract<Result, { type: 'failed' }>>): Result => ({
  type: 'failed',
  fence: 1,
  collectionId: 3,
  hostId: 2,
  hash: 10,
  url: 'http://a.test/',
  code: 'fetch:timeout',
  message: '',
  retry: 'later',
  totalMs: 1,
  endedAgoMs: 0,
  ...change,
})

/** Masking what is masked unmasks it. */
function opened(results: Result[]): OpenedUpload {
  const masked = new BlockMask(SECRET).unmask(results)
  const upload = encodeUpload({ boot: 'boot-0001', results: masked }, [])
  const head = upload.subarray(4, 4 + upload.readUInt32BE(0))
  return openUpload({ head, membersBytes: 0, boot: 'boot-0001', secret: SECRET, leased, now: NOW })
}

test('a result that claims to have ended before its lease was opened ended when that was opened', () => {
  const { results } = opened([
    failed({ endedAgoMs: 86_000_000 }),
    failed({ hash: 11, endedAgoMs: 7 }),
  ])
  assert.deepEqual(
    results.map((result) => result.type === 'failed' && result.endedAgoMs),
    [LEASE_AGE_MS, 7],
  )
})

test('a request is answered once, and what is not leased is dropped and counted', () => {
  const { results, dropped } = opened([
    failed({ code: 'first' }),
    failed({ code: 'again' }),
    failed({ hash: 99 }),
    failed({ fence: 5, hash: 11 }),
  ])
  assert.deepEqual(
    results.map((result) => result.type === 'failed' && result.code),
    ['first'],
  )
  assert.equal(dropped, 3)
})

test('a beat names no more leases than an agent can have', () => {
  const fences = (count: number): boolean =>
    beatMessage.safeParse({ progress: 1, fences: Array.from({ length: count }, () => 1) }).success
  assert.deepEqual([fences(10_000), fences(10_001)], [true, false])
})

test('of a page ten thousand links count, of a sitemap as many as a sitemap may have', () => {
  const links = Array.from({ length: 50_001 }, (_, n) => `http://a.test/${n}`)
  const counts = (kind: 'document' | 'sitemap'): number[] => {
    const bound = boundLinks({ kind, links, embeds: links, sitemaps: links })
    return [bound.links.length, bound.embeds.length, bound.sitemaps.length]
  }
  assert.deepEqual(counts('document'), [10_000, 10_000, 10_000])
  assert.deepEqual(counts('sitemap'), [50_000, 10_000, 50_000])
})

test('the links of a page count up to four million characters, those of a sitemap up to sixteen', () => {
  const links = Array.from({ length: 4_000 }, (_, n) => `http://a.test/${'b'.repeat(8_000)}${n}`)
  const counts = (kind: 'document' | 'sitemap'): number[] => {
    const bound = boundLinks({ kind, links, embeds: links, sitemaps: links })
    return [bound.links.length, bound.embeds.length, bound.sitemaps.length]
  }
  assert.deepEqual(counts('document'), [498, 498, 498])
  assert.deepEqual(counts('sitemap'), [1_995, 498, 1_995])
})
