// Goal: what a client has fetched is theirs: others neither read it nor learn from a cached answer that it was asked for.
// Method: a station with two clients who want the same pages, and the walk through all reading routes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BatchView, ResultLine } from '@minga/protocol'
import { ENGINES, type TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { openPeople, type People } from '../../../test/accounts/people-fixture.ts'
import type { Web } from '../../../test/station-fixture.ts'
import { walk } from '../../../test/accounts/visibility/route-walk-fixture.ts'

const HOST = 'asked-valley.test'
const PAGE = `http://${HOST}/`
const BARRED = `http://${HOST}/barred`
const WEB: Web = {
  [PAGE]: { body: '<title>quipu-of-carl</title>' },
  [BARRED]: { status: 403, body: 'no' },
}

interface Stage {
  people: People
  carl: string
  dora: string
}

async function stage(engine: TestEngine): Promise<Stage> {
  const people = await openPeople({ readOpenly: false, engine })
  const { token: carl } = await people.person('carl', 'client', 'reader')
  const { token: dora } = await people.person('dora', 'client', 'reader')
  for (const token of [carl, dora]) {
    const { account } = await people.ok<{ account: { id: string } }>(token, 'GET', '/me')
    await people.station.post(`/accounts/${account.id}/top-up`, { micros: 1_000_000 })
  }
  await people.station.hello()
  return { people, carl, dora }
}

async function ask({ people }: Stage, token: string, url: string): Promise<BatchView> {
  return people.ok(token, 'POST', '/batches', { urls: [url], maxAgeS: 3_600 })
}

/** Fetches what is queued until the batch has ended. */
async function answered(all: Stage, token: string, id: string): Promise<ResultLine> {
  const { station } = all.people
  for (;;) {
    const { open } = await all.people.ok<BatchView>(token, 'GET', `/batches/${id}`)
    if (open === 0) break
    await station.send(station.fetch(await station.lease(), WEB))
  }
  const page = await all.people.ok<{ rows: ResultLine[] }>(
    token,
    'GET',
    `/batches/${id}/results/page`,
  )
  return page.rows[0]!
}

const urlsOf = async ({ people }: Stage, token: string): Promise<string[]> =>
  (await people.ok<{ url: string }[]>(token, 'GET', '/captures')).map(({ url }) => url)

for (const engine of ENGINES) {
  describe(`requests of clients on ${engine.name}`, { skip: engine.skip }, () => {
    test('captures of a request are its client’s and those of whom it is shared with', async () => {
      const all = await stage(engine)
      const { people, carl, dora } = all
      const { id } = await ask(all, carl, PAGE)
      await answered(all, carl, id)
      assert.deepEqual(await urlsOf(all, carl), [PAGE])
      const values = { id, url: PAGE, host: HOST, q: HOST, text: 'quipu', by: 'host', search: HOST }
      const headers = { authorization: `Bearer ${dora}` }
      const walked = await walk(people.station.app, { headers, values })
      const telling = walked.filter(({ text }) => text.includes('quipu-of-carl'))
      assert.deepEqual(telling, [])
      assert.equal(await people.outcome(dora, 'GET', `/batches/${id}`), '404 MINGA_NO_SUCH_BATCH')

      const path = `/batches/${id}/sharing`
      await people.ok(carl, 'PATCH', path, { sharedWith: ['dora'] })
      assert.deepEqual(await urlsOf(all, dora), [PAGE])
      assert.equal((await answered(all, dora, id)).url, PAGE)
      const change = { sharedWith: [] }
      for (const [method, what, body] of [
        ['POST', `/batches/${id}/cancel`, {}],
        ['PATCH', path, change],
      ] as const) {
        assert.equal(await people.outcome(dora, method, what, body), '404 MINGA_NO_SUCH_BATCH')
      }
      await people.ok(carl, 'PATCH', path, change)
      assert.deepEqual(await urlsOf(all, dora), [])
      const acts = await people.acts(id)
      assert.deepEqual([acts.length, acts[0]![0]], [2, 'batch:sharing'])
    })

    test('no cached answer tells a client what another has asked for', async () => {
      const all = await stage(engine)
      const { people, carl, dora } = all
      await answered(all, carl, (await ask(all, carl, PAGE)).id)
      const fresh = await ask(all, dora, PAGE)
      assert.deepEqual([fresh.open, fresh.fromCache], [1, 0])
      const first = await answered(all, dora, fresh.id)
      assert.deepEqual([first.outcome, first.fromCache], ['captured', false])
      const own = await ask(all, dora, PAGE)
      assert.deepEqual([own.open, own.fromCache], [0, 1])
      const { token: anna } = await people.person('anna', 'collector')
      const site = 'http://open-valley.test/'
      const seeds = { seeds: [site], scope: 'page', delayMs: 0, visibility: 'public' }
      await people.ok(anna, 'POST', '/collections', seeds)
      await people.station.send(people.station.fetch(await people.station.lease(), {}))
      await people.station.send(people.station.fetch(await people.station.lease(), { [site]: {} }))
      const shared = await ask(all, carl, site)
      assert.deepEqual([shared.open, shared.fromCache], [0, 1])
    })

    test('a refusal is remembered for all clients, and says nothing but its status', async () => {
      const all = await stage(engine)
      const { carl, dora } = all
      const refused = await answered(all, carl, (await ask(all, carl, BARRED)).id)
      assert.equal(refused.status, 403)
      const { id, open } = await ask(all, dora, BARRED)
      assert.equal(open, 0)
      const { outcome, status, code, fromCache, capturedAt, device, digest } = await answered(
        all,
        dora,
        id,
      )
      assert.deepEqual([outcome, status, code], ['failed', 403, 'MINGA_HTTP_403'])
      assert.deepEqual([fromCache, capturedAt, device, digest], [false, null, null, null])
    })
  })
}
