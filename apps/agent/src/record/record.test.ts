// Goal: no answer of any server can stop an agent. Method: fuzzing of what is recorded, with headers,
// encodings, statuses and bodies of every kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createVirtualClock } from '@minga/testkit'
import { HURRIED, recordFinding } from './record.ts'
import { answerOf, hostOf } from '../../test/station/station-client-fixture.ts'

const CASES = process.env['MINGA_LONG'] === '1' ? 100_000 : 3_000

const header = fc.tuple(
  fc.constantFrom(
    'Content-Type',
    'Content-Encoding',
    'Location',
    'Link',
    'X-Robots-Tag',
    'Retry-After',
    'ETag',
    'x',
  ),
  fc.oneof(
    fc.string(),
    fc.constantFrom(
      'text/html',
      'gzip',
      'br',
      'text/css',
      'application/xml',
      'text/html; charset=nope',
    ),
    fc.constantFrom('//', 'http://[', '<a>; rel="next"', '99999999999999999999', 'nofollow'),
  ),
)
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '<a href="',
        '">',
        '<base href=',
        '<',
        '</',
        '<![CDATA[',
        '<urlset>',
        '<loc>',
        'http://[',
        '&#x110000;',
        'url(',
        '\0',
        '"',
      ),
    )
    .map((parts) => parts.join('')),
)
const answer = fc.record({
  status: fc.constantFrom(200, 204, 206, 301, 304, 404, 429, 500, 999),
  rawHeaders: fc.array(header, { maxLength: 5 }),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    text.map((written) => Buffer.from(written)),
  ),
  kind: fc.constantFrom('page' as const, 'robots' as const, 'sitemap' as const),
  hasPrevious: fc.boolean(),
})

test('any answer is recorded, with members whose lengths are those of its bytes', () => {
  const tools = {
    clock: createVirtualClock(1_700_000_000_000),
    newId: () => crypto.randomUUID(),
    effort: HURRIED,
  }
  fc.assert(
    fc.property(answer, ({ status, rawHeaders, body, kind, hasPrevious }) => {
      const previous = {
        digest: `sha256:${'0'.repeat(64)}`,
        url: 'http://h.test/a',
        capturedAt: 1,
        recordId: null,
        etag: null,
        lastModified: null,
      }
      const request = {
        hash: 1,
        url: 'http://h.test/a',
        kind,
        hops: 0,
        depth: 0,
        via: null,
        previous: hasPrevious ? previous : null,
      }
      const { result, members } = recordFinding(tools, {
        leased: { fence: 1, collectionId: 1, hostId: 1, request },
        endedAtMs: 0,
        outcome: {
          ok: true,
          status,
          statusText: 'OK',
          httpVersion: '1.1',
          requestHeaders: [],
          rawHeaders,
          body,
          truncated: null,
          contentLengthMismatch: false,
          address: '10.0.0.1',
          startedAt: 1_700_000_000_000,
          firstByteMs: 1,
          totalMs: 2,
        },
      })
      assert.equal(result.type, 'captured')
      assert.deepEqual(
        result.type === 'captured' ? result.members : [],
        members.map(({ length }) => length),
      )
    }),
    { numRuns: CASES },
  )
})

test('a page that breaks its reader is captured without links, and a robots.txt that does is no robots.txt', () => {
  const record = (kind: 'page' | 'robots') => {
    const [request] = hostOf(['http://h.test/']).requests
    const leased = { fence: 1, hostId: 1, collectionId: 1, request: { ...request!, kind } }
    // No fetch gives such a body or such a header: they stand for unforeseen cases.
    const body = Object.assign(Buffer.from('<a href="/x">x</a>'), { subarray: broken })
    const link = { slice: broken } as unknown as string
    const rawHeaders: [string, string][] = [
      ['Content-Type', 'text/html'],
      ['Link', link],
    ]
    const outcome = answerOf('', { body, rawHeaders })
    const tools = { clock: createVirtualClock(), newId: () => 'id', effort: HURRIED }
    return recordFinding(tools, { leased, outcome, endedAtMs: 0 })
  }
  const page = record('page')
  assert.ok(page.result.type === 'captured' && page.members.length > 0)
  assert.deepEqual([page.result.links, page.result.unread], [[], 'page:unreadable'])
  const robots = record('robots').result
  assert.deepEqual(robots.type === 'failed' && robots.code, 'page:unreadable')
})

function broken(): never {
  throw new RangeError('Maximum call stack size exceeded')
}
