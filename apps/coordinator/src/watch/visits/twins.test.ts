// Goal: only a requested double fetch teaches noise, what is ignored is visible, re-tested and can be restored,
// and no edit is lost by it. Method: a whole station on virtual time over pages that a test edits between, and
// right after, visits; judged by what the API says.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LoggedEvent, NoiseRegionView, WatchDetail } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { TOKENS, type Page } from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'

const HOUR = 3_600_000
const URL_OF = 'http://valley.test/'

function news(headline: string, more = ''): Page {
  const body = `<html><head><title>News</title></head><body><h1>News</h1><p class="headline">${headline}</p>
    <p>The office is open on weekdays from nine to five.</p><p>Letters are answered.</p>${more}</body></html>`
  return { body }
}

/** A quote that is another one at every fetch, and as long as the test wants. */
function rotating(on: WatchStation, words = 1): { headline: string; quote: string | null } {
  const shown: { headline: string; quote: string | null } = { headline: 'One', quote: null }
  let fetches = 0
  on.pageAt = (url) => {
    if (url !== URL_OF) return undefined
    fetches += 1
    const quote = shown.quote ?? `wisdom${fetches} `.repeat(words)
    return news(shown.headline, `<aside class="quote"><p>${quote}</p></aside>`)
  }
  return shown
}

const outcomes = async (on: WatchStation, id: number): Promise<string[]> =>
  (await on.visits(id)).toReversed().map(({ outcome }) => outcome)

async function noiseOf(on: WatchStation, id: number): Promise<NoiseRegionView[]> {
  return (await on.station.get(`/watches/${id}/noise`)).body as NoiseRegionView[]
}

for (const engine of ENGINES) {
  describe(`Twins on ${engine.name}`, { skip: engine.skip }, () => {
    test('an edit between a visit and its twin is found by the next visit, and so is every later one', async () => {
      const on = await openWatchStation({ engine })
      on.web = { [URL_OF]: news('The bridge opens.') }
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.work()
      assert.equal(on.hits.length, 1)
      on.web = { [URL_OF]: news('The bridge is closed again.') }
      await on.pass(30_000)
      assert.equal(on.hits.length, 4, 'the twin that differed is followed by two that decide')
      const gaps = on.hits.map(({ at }) => at - on.hits[0]!.at)
      assert.ok(
        gaps.every((gap) => gap <= 5_000),
        String(gaps),
      )
      assert.deepEqual(await outcomes(on, id), ['first'], 'twins are no visits')
      for (let edit = 0; edit < 3; edit++) {
        await on.pass(HOUR)
        on.web = { [URL_OF]: news(`The bridge is open since ${edit} days.`) }
      }
      await on.pass(HOUR)
      assert.deepEqual(await outcomes(on, id), [
        'first',
        'changed',
        'changed',
        'changed',
        'changed',
      ])
      assert.deepEqual(await noiseOf(on, id), [])
    })

    test('a visit that was not requested as a twin is an observation, however soon it comes', async () => {
      const on = await openWatchStation({ engine })
      on.web = { [URL_OF]: news('The bridge opens.') }
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.work()
      for (const word of ['closed', 'open', 'painted']) {
        await on.station.clock.advance(400)
        on.web = { [URL_OF]: news(`The bridge is ${word}.`) }
        await on.station.post('/watches/run', {})
        await on.work()
      }
      assert.deepEqual(await outcomes(on, id), ['first', 'changed', 'changed', 'changed'])
      await on.pass(30_000)
      assert.deepEqual(await noiseOf(on, id), [])
    })

    test('a host that may not be contacted within five seconds gets no twin', async () => {
      const on = await openWatchStation({ engine })
      on.web = { [URL_OF]: news('The bridge opens.') }
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR, delayMs: 20_000 })
      await on.pass(HOUR / 2)
      assert.equal(on.hits.length, 1)
      assert.deepEqual(await outcomes(on, id), ['first'])
    })

    test('what changes at every fetch is "only noise", is listed, and every such visit is tested again', async () => {
      const on = await openWatchStation({ engine })
      const shown = rotating(on)
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.pass(2 * HOUR + 60_000)
      assert.deepEqual(await outcomes(on, id), ['first', 'noise', 'noise'])
      assert.equal(on.hits.length, 3 + 2 + 2, 'two twins decide, and one follows each masked visit')
      const [region, ...others] = await noiseOf(on, id)
      assert.deepEqual(others, [])
      assert.equal(region!.state, 'ignored')
      assert.match(region!.preview, /^wisdom\d+/)
      assert.equal(region!.expiresAt, region!.confirmedAt + 7 * 24 * HOUR)
      const detail = (await on.station.get(`/watches/${id}`)).body as WatchDetail
      assert.deepEqual([detail.ignoredRegions, detail.noiseWarnings], [1, 0])
      shown.headline = 'Two'
      await on.pass(HOUR)
      assert.equal((await outcomes(on, id)).at(-1), 'changed', 'an edit elsewhere is found')
    })

    test('noise that stands still is cleared by its twins, and what it hid is found', async () => {
      const on = await openWatchStation({ engine })
      const shown = rotating(on)
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.pass(HOUR + 60_000)
      shown.quote = 'From now on an author writes here'
      await on.pass(4 * HOUR)
      const seen = await outcomes(on, id)
      assert.deepEqual(seen, ['first', 'noise', 'noise', 'noise', 'noise', 'changed'])
      assert.deepEqual(await noiseOf(on, id), [])
      shown.quote = 'And writes again'
      await on.pass(HOUR)
      assert.equal((await outcomes(on, id)).at(-1), 'changed')
    })

    test('a region that a user restores is a change from then on, also after all is forgotten', async () => {
      const on = await openWatchStation({ engine })
      rotating(on)
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.pass(60_000)
      const [region] = await noiseOf(on, id)
      const wrong = { url: URL_OF, region: region!.region + 1 }
      const refused = await on.station.post(`/watches/${id}/noise/restore`, wrong)
      assert.equal(refused.status, 404)
      assert.match(JSON.stringify(refused.body), /MINGA_NO_SUCH_REGION/)
      const restore = { url: URL_OF, region: region!.region }
      const restored = await on.station.post(`/watches/${id}/noise/restore`, restore)
      assert.deepEqual(
        (restored.body as NoiseRegionView[]).map(({ state }) => state),
        ['restored'],
      )
      await on.pass(HOUR)
      const kept = await on.station.post(`/watches/${id}/noise/forget`, {})
      assert.equal((kept.body as NoiseRegionView[]).length, 1)
      await on.pass(2 * HOUR)
      assert.deepEqual(await outcomes(on, id), ['first', 'changed', 'changed', 'changed'])
    })

    test('what is forgotten is learnt again', async () => {
      const on = await openWatchStation({ engine })
      rotating(on)
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.pass(60_000)
      const left = await on.station.post(`/watches/${id}/noise/forget`, {})
      assert.deepEqual(left.body, [])
      await on.pass(2 * HOUR)
      assert.deepEqual(await outcomes(on, id), ['first', 'changed', 'noise'])
    })

    test('an ignored region with much of the page that always differs raises a warning, once', async () => {
      const on = await openWatchStation({ engine })
      rotating(on, 60)
      const { id } = await on.watch({ urls: [URL_OF], periodMs: HOUR })
      await on.pass(8 * HOUR)
      const detail = (await on.station.get(`/watches/${id}`)).body as WatchDetail
      assert.equal(detail.noiseWarnings, 1)
      assert.equal((await noiseOf(on, id))[0]!.isWarned, true)
      const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
      const log = await on.station.inject({ url: '/api/event-log?limit=100', headers })
      const { events } = log.body as { events: LoggedEvent[] }
      const warnings = events.filter(({ code }) => code === 'watch:noisy')
      assert.deepEqual(
        warnings.map(({ subject, level }) => [subject, level]),
        [[String(id), 'warning']],
      )
      assert.match(warnings[0]!.sentence, /ignored as noise and differs at nearly every visit/)
    })
  })
}
