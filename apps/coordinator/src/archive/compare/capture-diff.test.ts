// Goal: two captures of an address are compared as data, text and pages, whichever way their times are given,
// with and without a station. Method: imported captures, the API, and the same folder read as it lies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CaptureDiff } from '@minga/protocol'
import { openReadOnly } from '../../read-only-archive.ts'
import { DAY_MS, openArchive } from '../../../test/archive/archive-fixture.ts'

const URL_A = 'http://diff.test/'
const T = Date.UTC(2026, 0, 1, 12)
const page = (text: string): Buffer =>
  Buffer.from(
    `<html><body><h1>News</h1><p>The price is ${text} today.</p><p>Stays.</p></body></html>`,
  )

const archive = await openArchive()
await archive.keep(
  { url: URL_A, capturedAt: T, body: page('ten') },
  {
    url: URL_A,
    capturedAt: T + DAY_MS,
    body: gzipSync(page('eleven')),
    rawHeaders: [
      ['Content-Type', 'text/html'],
      ['Content-Encoding', 'gzip'],
    ],
  },
  { url: URL_A, capturedAt: T + 2 * DAY_MS, body: page('<script>alert(1)</script>twelve') },
)
const path = (query: string): string =>
  `/api/captures/diff?url=${encodeURIComponent(URL_A)}&${query}`

test('the figures and the edited words are data', async () => {
  const diff = await archive.json<CaptureDiff>(path('before=20260101&after=20260102'))
  assert.equal(diff.changed, true)
  assert.ok(diff.content > 0 && diff.content <= 1)
  assert.equal(diff.structural, 0)
  const [edited] = diff.blocks.filter(({ kind }) => kind !== 'same')
  assert.equal(edited!.kind, 'edited')
  const said = edited!
    .words!.filter(({ kind }) => kind !== 'same')
    .map(({ kind, text }) => [kind, text])
  assert.deepEqual(said, [
    ['removed', 'ten'],
    ['added', 'eleven'],
  ])
  assert.equal(diff.before.timestamp, '20260101120000')
  assert.equal(diff.after.timestamp, '20260102120000')
})

test('times may be prefixes, dates, the latest and the one before', async () => {
  const days = async (before: string, after: string): Promise<string[]> => {
    const query = path(`before=${encodeURIComponent(before)}&after=${encodeURIComponent(after)}`)
    const diff = await archive.json<CaptureDiff>(query)
    return [diff.before.timestamp.slice(6, 8), diff.after.timestamp.slice(6, 8)]
  }
  assert.deepEqual(await days('previous', 'latest'), ['02', '03'])
  assert.deepEqual(await days('previous', '20260102'), ['01', '02'])
  assert.deepEqual(await days('latest', 'previous'), ['03', '02'])
  assert.deepEqual(await days('2026-01-01', '2026'), ['01', '03'])
  assert.deepEqual(await days('2026-01-02T13:00:00+01:00', 'latest'), ['02', '03'])
  const short = await archive.json<CaptureDiff>(`/api/captures/diff?url=${URL_A}`)
  assert.equal(short.after.timestamp, '20260103120000')
})

test('a page that did not change says so', async () => {
  const diff = await archive.json<CaptureDiff>(path('before=20260101&after=20260101'))
  assert.deepEqual([diff.changed, diff.visual, diff.structural, diff.content], [false, 0, 0, 0])
})

test('what cannot be compared is refused with its reason', async () => {
  for (const [query, status, message] of [
    ['before=yesterday', 400, /MINGA_BAD_ARCHIVE_TIME.*yesterday/],
    ['before=2025', 404, /MINGA_NO_SUCH_CAPTURE.*earliest/],
    ['before=previous&after=20260101', 404, /not two captures/],
    ['as=pdf', 400, /MINGA_BAD_MESSAGE.*as/],
  ] as const) {
    const response = await archive.get(path(query))
    assert.equal(response.status, status, query)
    assert.match(await response.text(), message)
  }
  const url = await archive.get('/api/captures/diff?url=nonsense')
  assert.match(await url.text(), /MINGA_BAD_ARCHIVE_URL/)
})

test('for people it is text or a page, and a page that runs nothing', async () => {
  const text = await archive.text(path('as=text'))
  assert.match(text, /^--- http:\/\/diff\.test\/ 2026-01-02 12:00:00 UTC\n\+\+\+ /)
  for (const form of ['html', 'side-by-side']) {
    const response = await archive.get(path(`as=${form}`))
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.match(response.headers.get('content-security-policy')!, /^sandbox; default-src 'none'/)
    const body = await response.text()
    assert.match(body, /<ins>/)
    assert.ok(!body.includes('<script'))
  }
})

test('large pages are compared off the main thread, so that the station stays responsive, and only their beginning is', async () => {
  const url = 'http://large.test/'
  const filler = '<!-- as it was -->'.repeat(500_000)
  const bodies = ['much', 'more'].map((word) =>
    Buffer.from(`<html><body><p>It costs ${word}.</p>${filler}<p>The end.</p></body></html>`),
  )
  assert.ok(bodies[0]!.length > 8 * 1024 * 1024)
  await archive.keep(...bodies.map((body, day) => ({ url, capturedAt: T + day * DAY_MS, body })))
  const seen = { answers: 0, isDone: false }
  const diffing = archive
    .json<CaptureDiff>(`/api/captures/diff?url=${url}`)
    .finally(() => (seen.isDone = true))
  while (!seen.isDone) {
    await archive.text('/api/archive/versions')
    seen.answers++
  }
  const diff = await diffing
  assert.equal(diff.changed, true)
  assert.equal(diff.comparedBytes, 8 * 1024 * 1024)
  assert.ok(seen.answers > 3, `it answered ${seen.answers} times`)
})

test('a folder that no station serves is compared as it lies', async () => {
  const asked = await archive.json<CaptureDiff>(path('before=previous&after=latest'))
  await archive.station.store.close()
  const folder = openReadOnly(archive.station.data)!
  try {
    const diff = await folder.diff({ url: URL_A, before: 'previous', after: 'latest' })
    assert.deepEqual(JSON.parse(JSON.stringify(diff)), asked)
    const missing = folder.diff({ url: 'http://never.test/', before: '2026', after: 'latest' })
    await assert.rejects(missing, { code: 'MINGA_NO_SUCH_CAPTURE' })
  } finally {
    folder.close()
  }
})
