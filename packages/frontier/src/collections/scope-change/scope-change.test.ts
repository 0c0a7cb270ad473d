// Goal: a collection that is changed while it runs ends every URL exactly once, gives nothing out
// that fell out of scope, and is as it was when the change is taken back. Method: the real
// operations of both databases, hand-made results.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CollectionChange } from '@minga/protocol'
import { ENGINES } from '../../../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../../../test/recount-fixture.ts'
import {
  captured,
  leasedRequestsOf,
  openStation,
  type TestStation,
} from '../../../test/station-fixture.ts'

const SITE = 'http://a.test/'
const PAGES = 40

const pagesBelow = (folder: string): string[] =>
  Array.from({ length: PAGES }, (_, i) => `${SITE}${folder}/${i}`)

async function openSite(engine: (typeof ENGINES)[number]): Promise<[TestStation, number]> {
  const station = await openStation(engine)
  await station.hello('boot')
  const id = await station.open({ seeds: [SITE], delayMs: 0, trapBudget: false })
  await station.openHosts('boot')
  await station.discover(id, [...pagesBelow('blog'), ...pagesBelow('docs')], {
    via: SITE,
    depth: 1,
  })
  return [station, id]
}

const change = (station: TestStation, id: number, wanted: CollectionChange): Promise<boolean> =>
  station.store.call('changeCollection', {
    id,
    change: wanted,
    owner: null,
    by: 'operator',
    now: station.now,
  })

const undo = (station: TestStation, id: number): Promise<void> =>
  station.store.call('undoCollection', { id, owner: null, by: 'operator', now: station.now })

async function sweep(station: TestStation): Promise<void> {
  for (;;) {
    const args = { now: station.now }
    const { isMore } = await station.store.call('sweepScopes', args)
    if (!isMore) return
  }
}

async function outUrls(station: TestStation): Promise<string[]> {
  const { block } = await station.lease('boot', { requestsMax: 500 })
  return leasedRequestsOf(block).map(({ request }) => request.url)
}

for (const engine of ENGINES) {
  describe(`changes of a running collection on ${engine.name}`, { skip: engine.skip }, () => {
    test('what falls out of scope ends as denied, once, and what was out comes back to nothing', async () => {
      const [station, id] = await openSite(engine)
      const { block } = await station.lease('boot', { requestsMax: 10 })
      const leasedRequests = leasedRequestsOf(block)
      const folder = leasedRequests.at(-1)!.request.url.includes('/blog/') ? '/blog/' : '/docs/'
      await change(station, id, { addExclude: [folder] })
      await sweep(station)
      const after = await station.status(id)
      assert.equal(after.errors['MINGA_OUT_OF_SCOPE'], PAGES)
      await assertCountsAddUp(station)
      await station.ingest(leasedRequests.map((leased) => captured(leased)))
      const done = await station.status(id)
      assert.equal(done.denied, after.denied)
      const wanted = leasedRequests.filter(({ request }) => !request.url.includes(folder))
      assert.ok(wanted.length < leasedRequests.length)
      assert.equal(done.captures - after.captures, wanted.length)
      await assertCountsAddUp(station)
    })

    test('nothing that is out of scope goes out before the queue was gone through', async () => {
      const [station, id] = await openSite(engine)
      await change(station, id, { addExclude: ['/blog/'] })
      // Found by the old scope in the very moment of the change.
      await station.discover(id, [`${SITE}blog/late`], { via: SITE, depth: 1 })
      const urls = await outUrls(station)
      assert.ok(urls.length > 0)
      assert.deepEqual(
        urls.filter((url) => url.includes('/blog/')),
        [],
      )
      await assertCountsAddUp(station)
    })

    test('undo queues again what the change ended, and nothing else that has ended', async () => {
      const [station, id] = await openSite(engine)
      const before = await station.status(id)
      await change(station, id, { include: ['/docs/'], maxPages: 5 })
      await sweep(station)
      assert.equal((await station.status(id)).errors['MINGA_OUT_OF_SCOPE'], PAGES)
      await undo(station, id)
      await sweep(station)
      const after = await station.status(id)
      assert.deepEqual(
        [after.queued, after.denied, after.errors, after.spec],
        [before.queued, before.denied, before.errors, before.spec],
      )
      await assertCountsAddUp(station)
      await assert.rejects(undo(station, id), { code: 'MINGA_NOTHING_TO_UNDO' })
    })

    test('a seed need not match what is included, but what is excluded is not fetched', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: [SITE, 'http://b.test/'], delayMs: 0 })
      await change(station, id, { include: ['/docs/'] })
      await sweep(station)
      assert.equal((await station.status(id)).queued, 2)
      await change(station, id, { addExclude: ['^http://b\\.test/'] })
      await sweep(station)
      assert.equal((await station.status(id)).queued, 1)
      await assertCountsAddUp(station)
    })

    test('several changes keep their trail, and a change of nothing leaves none', async () => {
      const [station, id] = await openSite(engine)
      assert.equal(await change(station, id, { delayMs: 0 }), false)
      await change(station, id, { delayMs: 2_000, maxPages: 7 })
      await change(station, id, { maxPages: null })
      const trail = await station.store.call('collectionTrail', { id, limit: 10 })
      assert.deepEqual(
        trail.map(({ after, by }) => [after, by]),
        [
          [{ maxPages: null }, 'operator'],
          [{ delayMs: 2_000, maxPages: 7 }, 'operator'],
        ],
      )
      await undo(station, id)
      assert.equal((await station.status(id)).spec.maxPages, 7)
      await undo(station, id)
      assert.equal((await station.status(id)).spec.maxPages, null)
    })

    test('a pattern that cannot be read, a stranger and a collection of the station change nothing', async () => {
      const [station, id] = await openSite(engine)
      const own = await station.open({ seeds: [], kind: 'audits' } as never, 'audits')
      await assert.rejects(change(station, id, { exclude: ['('] }), { code: 'MINGA_BAD_PATTERN' })
      await assert.rejects(change(station, own, { maxPages: 1 }), {
        code: 'MINGA_FIXED_COLLECTION',
      })
      const args = { id, change: { maxPages: 1 }, owner: 'somebody', by: 'somebody', now: 1 }
      await assert.rejects(station.store.call('changeCollection', args), {
        code: 'MINGA_FORBIDDEN',
      })
      assert.equal((await station.status(id)).spec.maxPages, null)
    })

    test('a collection from before there was a limit of patterns can be changed, but not given more', async () => {
      const station = await openStation(engine)
      const exclude = Array.from({ length: 51 }, (_, i) => `/${i}$`)
      const id = await station.open({ seeds: [SITE], exclude })
      assert.equal(await change(station, id, { maxPages: 7 }), true)
      await assert.rejects(change(station, id, { addExclude: ['/x$'] }), {
        code: 'MINGA_TOO_MANY_PATTERNS',
      })
      assert.equal((await station.status(id)).spec.exclude.length, 51)
    })

    test('changes, leases and answers that come together leave every count true', async () => {
      const [station, id] = await openSite(engine)
      for (let round = 0; round < 6; round++) {
        const { block } = await station.lease('boot', { requestsMax: 8 })
        const results = leasedRequestsOf(block).map((leased) => captured(leased))
        const wanted = round % 2 === 0 ? { exclude: [`/${round}$`] } : { exclude: [] }
        await Promise.all([
          station.ingest(results),
          change(station, id, wanted),
          sweep(station),
          station.discover(id, pagesBelow(`more-${round}`), { via: SITE, depth: 1 }),
        ])
        station.now += 1_000
        await station.beat('boot')
      }
      await sweep(station)
      await assertCountsAddUp(station)
    })
  })
}
