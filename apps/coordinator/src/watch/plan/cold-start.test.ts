// Goal: a new watch starts from what is known already. Method: a page with captures of earlier crawls,
// and a page whose neighbours have been watched for weeks, judged by the rate of their first plan.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, skipRepeats } from '../../../../../packages/store/test/contract-engines.ts'
import type { Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const notice = (number: number): Page => ({
  body: `<h1>Notices</h1><p>Notice ${number}: the works at the harbour enter stage ${number * 3}.</p>`,
})

/** The rates that plans use; no rate is shown before the third visit. */
async function ratesReckoned(on: WatchStation): Promise<number> {
  const budget = { visitsPerDay: null, bytesPerDay: null }
  return (await on.station.store.call('whatIf', budget)).point.changesPerDay
}

async function firstRate(on: WatchStation, url: string): Promise<number> {
  const before = await ratesReckoned(on)
  await on.watch({ urls: [url] })
  await on.pass(60_000)
  return (await ratesReckoned(on)) - before
}

for (const engine of ENGINES) {
  describe(`a new watch on ${engine.name}`, { skip: engine.skip }, () => {
    test('learns from archived captures of any collection', async () => {
      const on = await openWatchStation({ engine })
      const urls = ['http://busy.test/', 'http://still.test/']
      const web = (day: number): Record<string, Page> => ({
        'http://busy.test/': notice(day),
        'http://still.test/': notice(0),
      })
      for (let day = 0; day < 12; day++) {
        // Every crawl has a scope of its own: the same one would be continued.
        const request = { seeds: urls, scope: 'page' as const, exclude: [`/never-${day}/`] }
        await on.station.crawl(request, web(day))
        await on.station.clock.advance(DAY)
      }
      on.web = web(12)
      const [busy, still] = [await firstRate(on, urls[0]!), await firstRate(on, urls[1]!)]
      assert.ok(busy > 0.8 && still < 0.2, `${busy} and ${still}`)
    })

    test(
      'learns from pages of the same kind that have been watched for a while',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine })
        const urls = Array.from({ length: 12 }, (_, i) => `http://kin.test/notices/${i}`)
        on.pageAt = (url, now) =>
          url.includes('robots') ? undefined : notice(Math.floor(now / DAY))
        const unknown = await firstRate(on, 'http://other.test/about')
        await on.watch({ subject: 'list', urls, periodMs: 12 * HOUR })
        await on.pass(12 * DAY)
        const known = await firstRate(on, 'http://kin.test/notices/99')
        assert.ok(known > 0.5 && known < 2.5 && known !== unknown, `${known}, before ${unknown}`)
      },
    )
  })
}
