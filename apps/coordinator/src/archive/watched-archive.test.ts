// Goal: what watches gather is found in the archive as versions, and their changes are in its calendars. Method: a
// watched site and a watched page on virtual time, read through the API and the origin of replay.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ArchiveVersion, CalendarDay, CaptureRow, VersionComparison } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openWatchStation } from '../../test/watch/visits/watch-fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SITE = 'http://site.test/'
const TEXTS = [
  'Welcome to the site of our town.',
  'The town has a new mayor, who begins in June and wants a tram.',
]

const site = (text: string) => ({
  [SITE]: { body: `<title>Town</title><h1>Town</h1><p>${text}</p><a href="/same">same</a>` },
  [`${SITE}same`]: { body: '<title>Same</title><p>It stays as it is.</p>' },
})

for (const engine of ENGINES) {
  describe(`Watches in the archive on ${engine.name}`, { skip: engine.skip }, () => {
    test('Completion check, version record: every harvest of a watched site is a version that is listed, compared and replayed as it was', async () => {
      const on = await openWatchStation({ engine })
      const { station } = on
      on.web = site(TEXTS[0]!)
      const { id } = await on.watch({ subject: 'site', urls: [SITE], periodMs: 6 * HOUR_MS })
      await on.pass(2 * 60_000)
      on.web = site(TEXTS[1]!)
      await on.pass(7 * HOUR_MS)
      const versions = (await station.get(`/archive/versions?collectionId=${id}`))
        .body as ArchiveVersion[]
      assert.deepEqual(
        versions.map(({ number, state }) => [number, state]),
        [
          [2, 'complete'],
          [1, 'complete'],
        ],
      )
      assert.ok(versions.every(({ files, agents }) => files.length > 0 && agents.length === 1))
      const compared = (await station.get(`/archive/compare?before=${id}/1&after=${id}/2`))
        .body as VersionComparison
      assert.deepEqual(compared.counts, { added: 0, removed: 0, changed: 1, unchanged: 1 })
      for (const [number, text] of [
        [1, TEXTS[0]],
        [2, TEXTS[1]],
      ] as const) {
        const documents = (await station.get(`/archive/versions/${id}/${number}/documents`))
          .body as CaptureRow[]
        const front = documents.findLast(({ url }) => url === SITE)!
        const { body } = await station.content(SITE, `&at=${front.capturedAt}`)
        assert.match(String(body), new RegExp(text!))
        const headers = { host: 'localhost' }
        const index = `/replay/sources/version-${id}-${number}/now/index.cdxj`
        const { body: lines } = await station.replay.inject({ url: index, headers })
        const fronts = lines.split('\n').filter((line) => line.includes(`"${SITE}"`))
        assert.ok(fronts.length >= 1)
        assert.ok(fronts.some((line) => line.includes(front.digest)))
      }
    })

    test('the calendar of a watched page counts the changes that visits found, not its noise', async () => {
      const on = await openWatchStation({ engine })
      const page = 'http://page.test/'
      const show = (text: string, token: number): void => {
        on.web = {
          [page]: {
            body: `<h1>News</h1><p>${text}</p><form><input type="hidden" name="csrf_token" value="a8f3c09b7e6d5f4a${token}"></form>`,
          },
        }
      }
      show(TEXTS[0]!, 1_000)
      const { id } = await on.watch({ subject: 'page', urls: [page], periodMs: 12 * HOUR_MS })
      await on.pass(60_000)
      for (let visit = 1; visit <= 6; visit++) {
        show(visit < 4 ? TEXTS[0]! : TEXTS[1]!, 1_000 + visit)
        await on.pass(12 * HOUR_MS)
      }
      const changed = (await on.visits(id)).filter(({ outcome }) => outcome === 'changed')
      assert.equal(changed.length, 1)
      const day = new Date(Math.floor(changed[0]!.at / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
      for (const query of [`url=${encodeURIComponent(page)}`, `collectionId=${id}`]) {
        const days = (await on.station.get(`/archive/calendar?${query}`)).body as CalendarDay[]
        assert.ok(days.length >= 3)
        const withChanges = days.filter(({ changes }) => changes > 0)
        assert.deepEqual(
          withChanges.map((one) => [one.day, one.changes]),
          [[day, 1]],
          query,
        )
      }
    })
  })
}
