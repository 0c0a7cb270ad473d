// Goal: a capture whose time no calendar knows is shown like any other: one such number from an older archive must not
// make its page unreadable. Method: rows that name such a time, read in every way that writes them.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openArchive } from '../../test/archive/archive-fixture.ts'

const player = mkdtempSync(join(tmpdir(), 'minga-player-'))
for (const name of ['ui.js', 'sw.js']) writeFileSync(join(player, name), `// ${name}`)
const archive = await openArchive({ playerFolder: player })
const { station } = archive

const T = Date.UTC(2026, 0, 1)
/** Beyond the last moment that a `Date` can hold. */
const IMPOSSIBLE = 9e15
const LAST = '9999-12-31T23:59:59.999Z'
const PAGE = 'http://a.test/'
/** It has no other capture. */
const ALONE = 'http://b.test/'

/** Once more what the archive holds of a URL, as a row of an older version with a time that was never checked. */
async function keepImpossible(url: string): Promise<void> {
  const asked = { url, at: null }
  const { capture } = (await station.store.call('captureContent', asked))!
  const file = 'impossible.warc.gz'
  const folder = join(station.data, 'archive')
  copyFileSync(join(folder, capture.file), join(folder, file))
  const row = { ...capture, payloadBytes: 1, capturedAt: IMPOSSIBLE }
  const captures = [row, { ...row, url: ALONE, offset: row.offset + 1 }]
  await station.store.call('importCaptures', { file, captures, total: 2 })
}

await archive.keep({ url: PAGE, capturedAt: T })
await keepImpossible(PAGE)

test('its content, comparison and player page name the last moment that can be written', async () => {
  const content = await station.content(PAGE)
  assert.deepEqual([content.status, content.headers['x-minga-captured-at']], [200, LAST])
  const query = `url=${encodeURIComponent(PAGE)}&before=20260101&after=latest`
  const diff = await archive.text(`/api/captures/diff?${query}&as=side-by-side`)
  assert.match(diff, /9999-12-31 23:59:59 UTC/)
  const view = await station.replay.inject({
    url: `/view/99991231235959/${encodeURIComponent(ALONE)}`,
    headers: { host: 'c-0.minga.localhost', 'sec-fetch-dest': 'iframe' },
  })
  assert.equal(view.statusCode, 200, view.body)
  assert.match(view.body, /9999-12-31/)
})
