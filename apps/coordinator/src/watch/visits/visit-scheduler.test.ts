// Goal: a watched URL is visited when it is due, what a visit found is judged and remembered, and
// the next visit follows from it. Method: a whole station on virtual time over a synthetic web that
// changes between visits, judged by the requests that agents made and by what the API tells.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { VisitView } from '@minga/protocol'
import { ENGINES, skipRepeats } from '../../../../../packages/store/test/contract-engines.ts'
import { TOKENS, type Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const PARAGRAPH =
  'The council met on Tuesday and agreed on the plan for the new library, which opens in spring.'

function article(text: string, more = ''): Page {
  const body = `<html><head><title>News</title></head><body><h1>News</h1>
    <p>${PARAGRAPH}</p><p>${text}</p>${more}</body></html>`
  return { body }
}

const outcomes = (visits: VisitView[]): string[] =>
  visits.toReversed().map(({ outcome, code }) => (code === null ? outcome : `${outcome} ${code}`))

async function watchPage(on: WatchStation, url: string, more: object = {}): Promise<number> {
  const { id } = await on.watch({ urls: [url], ...more })
  await on.pass(60_000)
  return id
}

for (const engine of ENGINES) {
  describe(`Watching on ${engine.name}`, { skip: engine.skip }, () => {
    test('a page is visited at once, fetched twice to learn its noise, and planned with a reason', async () => {
      const on = await openWatchStation({ engine })
      const url = 'http://first.test/'
      on.web = { [url]: article('The roof is finished.') }
      const id = await watchPage(on, url)
      assert.deepEqual(outcomes(await on.visits(id)), ['first'])
      assert.equal(on.hits.length, 2, 'the second look is no visit')
      const [next] = await on.forecast(id)
      assert.ok(next!.nextVisitAt! > on.station.clock.now() + HOUR)
      assert.match(next!.plan!.text, /next visit .*/)
    })

    test('an edit is a change with magnitudes, an unchanged page costs no body, noise is none', async () => {
      const on = await openWatchStation({ engine })
      const url = 'http://edits.test/'
      const tagged = (text: string, tag: string, noise = ''): Page => ({
        ...article(text, noise),
        headers: [['ETag', tag]],
      })
      on.web = { [url]: tagged('The roof is finished.', '"1"') }
      const id = await watchPage(on, url, { periodMs: 6 * HOUR })
      await on.pass(6 * HOUR)
      on.web = {
        [url]: tagged('The roof burned down, and the opening is put off by a year.', '"2"'),
      }
      await on.pass(6 * HOUR)
      on.web = {
        [url]: tagged(
          'The roof burned down, and the opening is put off by a year.',
          '"3"',
          '<input type="hidden" name="csrf_token" value="a8f5f167f44f4964e6c998dee827110c">',
        ),
      }
      await on.pass(6 * HOUR)
      const visits = await on.visits(id)
      assert.deepEqual(outcomes(visits), ['first', 'unchanged', 'changed', 'unchanged'])
      const change = visits.find(({ outcome }) => outcome === 'changed')!
      assert.ok(change.content > 0.05 && change.content <= 1, String(change.content))
      assert.ok(change.isImportant && change.beforeId !== null && change.captureId !== null)
      assert.ok(on.hits.slice(1).every(({ isConditional }) => isConditional))
      const unchanged = visits.at(-2)!
      assert.equal(unchanged.bytes, 0)
    })

    test(
      'errors, soft errors and cut bodies are never changes, and what counted before is kept',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine })
        const url = 'http://errors.test/'
        const good = article('The roof is finished.')
        on.web = { [url]: good }
        const id = await watchPage(on, url, { periodMs: 6 * HOUR })
        on.web = { [url]: { status: 404, body: 'gone' } }
        await on.pass(6 * HOUR)
        on.web = {
          [url]: {
            body: '<title>Page not found</title><h1>404</h1><p>This page does not exist.</p>',
          },
        }
        await on.pass(6 * HOUR)
        on.web = { [url]: good }
        await on.pass(7 * DAY)
        const seen = outcomes(await on.visits(id))
        assert.deepEqual(seen.slice(0, 2), ['first', 'failed MINGA_HTTP_404'])
        assert.ok(
          seen.some((outcome) => outcome.startsWith('failed soft')),
          seen.join(),
        )
        assert.equal(seen.filter((outcome) => outcome.startsWith('changed')).length, 0)
        assert.equal(seen.at(-1), 'unchanged')
      },
    )

    test('a redirect that comes and goes is followed, and is no change by itself', async () => {
      const on = await openWatchStation({ engine })
      const url = 'http://moves.test/'
      const target = 'http://www.moves.test/home'
      const page = article('The roof is finished.')
      const redirect: Page = { status: 302, headers: [['Location', target]] }
      on.web = { [url]: page }
      const id = await watchPage(on, url, { periodMs: 6 * HOUR })
      on.web = { [url]: redirect, [target]: page }
      await on.pass(6 * HOUR)
      on.web = { [url]: redirect, [target]: article('The roof burned down last night.') }
      await on.pass(6 * HOUR)
      on.web = { [url]: article('The roof burned down last night.') }
      await on.pass(6 * HOUR)
      assert.deepEqual(outcomes(await on.visits(id)), [
        'first',
        'unchanged',
        'changed',
        'unchanged',
      ])
    })

    test(
      'a page that alternates between two versions shows no new one after the second',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine })
        const url = 'http://alternates.test/'
        const pages = [
          article('Version A of the notice.'),
          article('Another notice is B, entirely.'),
        ]
        on.web = { [url]: pages[0]! }
        const id = await watchPage(on, url, { periodMs: 6 * HOUR })
        for (let turn = 1; turn <= 4; turn++) {
          on.web = { [url]: pages[turn % 2]! }
          await on.pass(6 * HOUR)
        }
        assert.deepEqual(outcomes(await on.visits(id)), [
          'first',
          'changed',
          ...Array.from({ length: 3 }, () => 'unchanged known-state'),
        ])
      },
    )

    test(
      'what robots.txt forbids ends as a failed visit, and is asked for ever more rarely',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine })
        const url = 'http://forbidden.test/page'
        on.web = {
          'http://forbidden.test/robots.txt': {
            body: 'User-agent: *\nDisallow: /',
            type: 'text/plain',
          },
          [url]: article('No visit sees this.'),
        }
        const id = await watchPage(on, url, { periodMs: 6 * HOUR })
        await on.pass(2 * DAY)
        const visits = await on.visits(id)
        assert.ok(visits.length >= 3 && visits.length <= 6, String(visits.length))
        assert.ok(visits.every(({ code }) => code === 'MINGA_ROBOTS_DENIED'))
        assert.deepEqual(on.hits, [])
      },
    )

    test(
      'other selectors are applied to what counted before, too, so that they are no change by themselves',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine })
        const url = 'http://selected.test/'
        const page = (price: number, teaser: string): Page =>
          article(`<b class="price">${price} €</b>`, `<div class="teaser">${teaser}</div>`)
        on.web = { [url]: page(10, 'Read about the harvest of olives in the south.') }
        const id = await watchPage(on, url, { periodMs: 6 * HOUR })
        const patch = { includeSelectors: ['.price'] }
        const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
        const said = await on.station.inject({
          method: 'PATCH',
          url: `/api/watches/${id}`,
          headers,
          payload: patch,
        })
        assert.equal(said.status, 200)
        on.web = { [url]: page(10, 'A painter opens her first show in the old mill tonight.') }
        await on.pass(6 * HOUR)
        on.web = { [url]: page(12, 'A painter opens her first show in the old mill tonight.') }
        await on.pass(6 * HOUR)
        assert.deepEqual(outcomes(await on.visits(id)), ['first', 'unchanged', 'changed'])
      },
    )

    test(
      'a budget of visits per day holds, whatever is due',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine, flags: { visitsPerDay: 24 } })
        const urls = Array.from({ length: 40 }, (_, i) => `http://budget.test/${i}`)
        on.web = Object.fromEntries(urls.map((url) => [url, article(`Page ${url}`)]))
        await on.watch({ subject: 'list', urls, policy: 'fixed:1' })
        await on.pass(2 * DAY)
        assert.ok(on.hits.length >= 30 && on.hits.length <= 2 * 24 + 7, String(on.hits.length))
      },
    )

    test(
      'a budget of bytes per day holds: the rest waits until the next ones may be brought',
      { skip: skipRepeats(engine) },
      async () => {
        const on = await openWatchStation({ engine, flags: { visitBytesPerDay: 40_000 } })
        const urls = Array.from({ length: 10 }, (_, i) => `http://bytes-${i}.test/`)
        // Another body at every fetch, so that none is spared by its digest.
        on.pageAt = (url, now) =>
          urls.includes(url) ? article(`${url} ${now}`, 'x'.repeat(2_000)) : undefined
        const { id } = await on.watch({ subject: 'list', urls, policy: 'fixed:1' })
        await on.pass(2 * DAY)
        const visits = await on.visits(id)
        const bytes = visits.reduce((sum, visit) => sum + visit.bytes, 0)
        assert.ok(bytes > 60_000 && bytes < 2 * 40_000 + 10_000 + 10 * 2_300, String(bytes))
      },
    )
  })
}
