// Goal: of a watched page that was taken down nothing is left in alerts and in what the detector
// remembers, and the watch continues. Method: a page shows something private for a while; then
// every file is searched.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openWatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import { filesWith } from '../../../test/archive/takedown/traces-fixture.ts'

const SECRET = 'alpacas'
const URL_WATCHED = 'https://news.test/'
const HOUR_MS = 3_600_000
const page = (word: string) => ({
  body: `<html><title>News</title><body><main><p>Herds of ${word} were seen near the river and up in
    the hills today, more ${word} than ever before.</p><p>The bridge is closed on Mondays.</p></main></body></html>`,
})

for (const engine of ENGINES) {
  test(
    `nothing of a watched page is left when it was taken down, and the watch continues (${engine.name})`,
    { skip: engine.skip },
    async () => {
      const watched = await openWatchStation({ engine, publicUrl: 'https://minga.example' })
      const { station } = watched
      watched.web[URL_WATCHED] = page('llamas')
      const { id } = await watched.watch({ urls: [URL_WATCHED], periodMs: HOUR_MS })
      const said = await station.post('/alerts', { watchId: id, channel: 'feed' })
      assert.equal(said.status, 200, JSON.stringify(said.body))
      await watched.pass(2 * HOUR_MS)
      watched.web[URL_WATCHED] = page(SECRET)
      await watched.pass(2 * HOUR_MS)
      for (let rounds = 0; rounds < 3; rounds++) {
        await station.clock.advance(1_000)
        await station.tick()
      }
      const { feedUrl } = said.body as { feedUrl: string }
      const feed = async (): Promise<string> => {
        const url = new URL(feedUrl).pathname
        const answer = await station.app.inject({ url, headers: { host: 'localhost' } })
        return answer.payload
      }
      assert.ok((await feed()).includes(SECRET))
      assert.notDeepEqual(await filesWith(station.data, SECRET), [])

      const all = await station.captures(`?url=${encodeURIComponent(URL_WATCHED)}`)
      const { capturedAt } = all.filter(({ kind }) => kind === 'response').at(-1)!
      const request = { urls: [URL_WATCHED], versions: 'at', at: capturedAt, reason: 'asked' }
      assert.equal((await station.post('/takedowns', request)).status, 200)
      assert.ok(!(await feed()).includes(SECRET))
      assert.deepEqual(await filesWith(station.data, SECRET), [])

      watched.web[URL_WATCHED] = page('sheep')
      await watched.pass(2 * HOUR_MS)
      const visits = await watched.visits(id)
      assert.ok(visits.every(({ outcome }) => outcome !== 'failed'))
      assert.ok((await station.content(URL_WATCHED)).body.includes('sheep'))
    },
  )
}
