// Goal: what stations that collect together owe each other: few messages, one state of a collection, limits that hold for
// all, work that ends where it cannot move, a journal that survives its keeper. Method: real stores on both databases, a
// network and a registrar made by the test.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  captured,
  leasedRequestsOf,
} from '../../../../../packages/frontier/test/station-fixture.ts'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import {
  collectionSpec,
  SEEDS_MAX,
  SILENCE_MS,
  type CollectionSpec,
  type CollectionState,
} from '@minga/protocol'
import { linkedWeb, TestFederation } from '../../../test/federation/member/exchange-fixture.ts'
import { HotUrls } from './exchange.ts'

const SMALL = linkedWeb({ hosts: 4, pages: 3, seed: 2 })
const HOST = '10.0.0.0:8000'
const PAGE = `http://${HOST}/0`

const nothing = { kind: 'page', depth: 0, hops: 0, via: null, refusal: null } as const

for (const engine of ENGINES) {
  describe(`what stations owe each other on ${engine.name}`, { skip: engine.skip }, () => {
    const open = (ids: string[], web = SMALL): Promise<TestFederation> =>
      TestFederation.open(engine, { ids, web })

    test('Batched exchange, graph updates: hundreds of URLs cross in a few messages, none of them twice', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      federation.give('10.0.7.1', 'b')
      for (const id of ['a', 'b']) await federation.renew(id)
      const id = await federation.start('a')
      const before = federation.posts
      for (let part = 0; part < 20; part++) {
        const candidates = Array.from({ length: 60 }, (_, i) => ({
          ...nothing,
          // Every second one was found by the part before, too.
          url: `http://10.0.7.1/${part * 30 + i}`,
        }))
        await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      }
      const { store } = federation.at('a')
      const [row] = await store.query<{ entries: number }>(
        "SELECT SUM(entries) AS entries FROM federation_outbox WHERE kind = 'urls'",
      )
      assert.equal(row!.entries, 630, 'what was sent already is not sent again')
      await federation.ship('a')
      assert.ok(federation.posts - before <= 3, `${federation.posts - before} messages`)
      assert.equal((await federation.status('b')).queued, 630)
    })

    test('a host that is held is not leased, and what cannot move to its owner ends', async () => {
      const federation = await open(['a', 'b'])
      const { store } = federation.at('a')
      const watch = collectionSpec.parse({
        kind: 'watch',
        seeds: [],
      } satisfies Partial<CollectionSpec>)
      const { id } = await federation.call('a', 'openCollection', {
        identity: 'watch',
        spec: watch,
        allowPrivateAddresses: false,
      })
      const candidates = [{ ...nothing, url: PAGE }]
      await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      await store.hello('one')
      assert.equal((await store.lease('one')).block, null, 'no registrar has decided whose it is')
      federation.give(HOST, 'b')
      await federation.renew('a')
      const status = await federation.status('a')
      assert.deepEqual([status.queued, status.denied], [0, 1])
      assert.deepEqual(status.errors, { MINGA_HOST_ELSEWHERE: 1 })
      const more = [{ ...nothing, url: `${PAGE}/more` }]
      await federation.call('a', 'discover', {
        collectionId: id,
        candidates: more,
        trapBudget: false,
      })
      assert.equal((await federation.status('a')).errors['MINGA_HOST_ELSEWHERE'], 2)
    })

    test('a limit of pages holds for all stations together', async () => {
      const web = linkedWeb({ hosts: 8, pages: 10, seed: 3 })
      const federation = await open(['a', 'b', 'c'], web)
      await federation.start('a', { maxPages: 20 })
      await federation.drain()
      assert.ok(federation.fetches.length <= 20, `${federation.fetches.length} pages`)
      assert.ok(federation.fetches.length >= 10, 'and the stations used most of it')
      const report = await federation.call('a', 'federationReport', {})
      assert.deepEqual(
        report.collections.map(({ queued, leased }) => queued + leased),
        [0],
        'what exceeds the limit delays no one',
      )
      await federation.call('a', 'finishFederated', { identities: ['crawl'] })
      const { state, reason } = await federation.status('a')
      assert.deepEqual([state, reason], ['finished', 'max-pages'])
    })

    test('a collection does not end at one station while another may still find something for it', async () => {
      const federation = await open(['a', 'b'])
      const id = await federation.start('a')
      federation.give(HOST, 'b')
      await federation.renew('a')
      await federation.ship('a')
      assert.equal((await federation.status('a')).queued, 0)
      assert.deepEqual(await federation.at('a').store.finish(), [])
      assert.equal((await federation.status('a')).state, 'running')
      await federation.call('a', 'finishFederated', { identities: ['crawl'] })
      assert.equal((await federation.status('a')).state, 'finished')
      const url = 'http://10.0.0.1:8000/new'
      const arrived = { ...nothing, url }
      await federation.call('a', 'discover', {
        collectionId: id,
        candidates: [arrived],
        trapBudget: false,
      })
      assert.equal(
        (await federation.call('a', 'finishFederated', { identities: ['crawl'] })).length,
        0,
      )
    })

    test('pausing, resuming or cancelling a collection takes effect at all stations, and scopes grow together', async () => {
      const federation = await open(['a', 'b'])
      const id = await federation.start('a')
      const told = async (): Promise<string> => {
        await federation.ship('a')
        await federation.ship('b')
        return (await federation.status('b')).state
      }
      assert.equal(await told(), 'running')
      const change = (station: string, of: number, state: CollectionState): Promise<void> =>
        federation.call(station, 'setCollectionState', { id: of, state, reason: 'asked' })
      await change('a', id, 'paused')
      assert.equal(await told(), 'paused')
      const theirs = (await federation.status('b')).id
      await change('b', theirs, 'running')
      await told()
      assert.equal((await federation.status('a')).state, 'running')
      // Both at once: the same one counts everywhere.
      await change('a', id, 'paused')
      await change('b', theirs, 'running')
      await told()
      await told()
      assert.equal((await federation.status('a')).state, (await federation.status('b')).state)
      const seed = 'http://10.0.0.1:8000/0'
      await federation.start('b', { seeds: [seed] })
      await told()
      assert.ok((await federation.status('a')).spec.seeds.includes(seed))
      assert.equal((await federation.status('b')).spec.seeds.length, 2)
      await change('b', theirs, 'cancelled')
      await told()
      const ended = await federation.status('a')
      assert.deepEqual([ended.state, ended.queued], ['cancelled', 0])
    })

    test('a member that tells a collection again with other seeds, as many as fit, stops nothing', async () => {
      const federation = await open(['a', 'b'])
      const tell = (version: number): Promise<unknown> => {
        const seeds = Array.from({ length: SEEDS_MAX }, (_, i) => `http://${version}.test/${i}`)
        const spec = JSON.stringify(collectionSpec.parse({ seeds }))
        const described = {
          identity: 'many',
          spec,
          state: 'running',
          reason: null,
          home: 'a',
        } as const
        const row = { ...described, version, versionBy: 'a', shares: null }
        return federation.call('b', 'receiveBatch', {
          from: 'a',
          collections: [row],
          rows: [{ seq: version, kind: 'collection' as const, payload: row }],
          refusals: {},
          limits: federation.limits,
        })
      }
      await tell(1)
      await tell(2)
      assert.equal((await federation.status('b')).spec.seeds.length, SEEDS_MAX)
      const identities = ['many']
      const [told] = await federation.call('b', 'describeCollections', {
        identities,
      })
      assert.ok(collectionSpec.safeParse(JSON.parse(told!.spec)).success, 'others can read it')
      const { store } = federation.at('b')
      await store.hello('one')
      await store.lease('one')
      await store.finish()
    })

    test('a collection of many long seeds and a page of many long links cross in rows of bounded size', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      federation.give('10.0.7.1', 'b')
      for (const id of ['a', 'b']) await federation.renew(id)
      const long = 'x'.repeat(1_000)
      const seeds = Array.from({ length: 3_000 }, (_, i) => `http://${i}.test/${long}`)
      const id = await federation.start('a', { seeds: [PAGE, ...seeds] })
      const links = Array.from({ length: 700 }, (_, i) => ({
        ...nothing,
        url: `http://10.0.7.1/${i}/${long.repeat(6)}`,
      }))
      const found = { collectionId: id, candidates: links, trapBudget: false }
      await federation.call('a', 'discover', found)
      const { store } = federation.at('a')
      const sizes = await store.query<{ kind: string; chars: number; entries: number }>(
        `SELECT kind, MAX(LENGTH(payload)) AS chars, SUM(entries) AS entries FROM federation_outbox
         WHERE kind IN ('collection', 'urls') GROUP BY kind ORDER BY kind`,
      )
      assert.ok(
        sizes.every(({ chars }) => chars < 2_100_000),
        JSON.stringify(sizes),
      )
      assert.deepEqual(
        sizes.map(({ entries }) => entries),
        [4, 700],
      )
      await federation.ship('a')
      const { spec, queued } = await federation.status('b')
      assert.deepEqual([spec.seeds.length, queued], [3_001, 700])
      assert.deepEqual(await store.query('SELECT seq FROM federation_outbox'), [])
    })

    test('a new keeper receives everything, so that the loss of both one after the other costs nothing', async () => {
      const web = linkedWeb({ hosts: 6, pages: 5, seed: 4 })
      const federation = await open(['a', 'b', 'c'], web)
      await federation.start('a')
      for (let round = 0; round < 6; round++) {
        for (const id of federation.active()) {
          await federation.renew(id)
          await federation.claim(id)
          await federation.ship(id)
          await federation.work(id, 3)
        }
      }
      // The keeper of a.
      await federation.lose('b')
      for (let round = 0; round < 3; round++) {
        for (const id of federation.active()) {
          await federation.renew(id)
          await federation.ship(id)
        }
      }
      const done = federation.fetches.filter(({ station }) => station === 'a').map(({ url }) => url)
      assert.ok(done.length > 0)
      const announced = await federation.lose('a')
      assert.deepEqual(
        done.filter((url) => !announced.has(url)),
        [],
      )
      await federation.drain()
      await federation.assertSound()
      assert.deepEqual([...federation.fetchedTimes().keys()].toSorted(), [...web.keys()].toSorted())
      const byOthers = new Set(done)
      const again = federation.fetches.filter(
        ({ url, station }) => station !== 'a' && byOthers.has(url),
      )
      assert.deepEqual(again, [])
    })

    test('without the right to dial nothing is out, and its hosts rest as after a lost agent', async () => {
      const federation = await open(['a'])
      const { store } = federation.at('a')
      await federation.start('a')
      await federation.claim('a')
      await federation.renew('a')
      await store.hello('one')
      const { block } = await store.lease('one')
      assert.equal(leasedRequestsOf(block).length, 1)
      assert.equal(await federation.call('a', 'suspendLeases', {}), 1)
      assert.deepEqual((await store.beat('one', [block!.fence])).ended, [block!.fence])
      const [host] = await store.query<{ rest: number }>(
        'SELECT next_allowed_at - ? AS rest FROM hosts WHERE name = ?',
        [federation.now, HOST],
      )
      assert.equal(host!.rest, SILENCE_MS + 1_000)
      assert.deepEqual(await federation.call('a', 'claimsToMake', { limit: 10 }), [])
    })

    test('a host with another address than the map says is held until the registrar has spoken', async () => {
      const federation = await open(['a', 'b'])
      const { store } = federation.at('a')
      const id = await federation.start('a')
      federation.give('moving.test', 'a', '10.1.1.1')
      await federation.renew('a')
      const candidates = [{ ...nothing, url: 'http://moving.test/' }]
      await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      await store.hello('one')
      const first = await store.lease('one', { addresses: { 'moving.test': '10.2.2.2' } })
      assert.equal(first.block, null)
      const claims = await federation.call('a', 'claimsToMake', {
        limit: 10,
      })
      const claim = claims.find(({ host }) => host === 'moving.test')
      assert.equal(claim?.address, '10.2.2.2')
      federation.give('moving.test', 'a', '10.2.2.2')
      await federation.renew('a')
      store.now = federation.now
      const { block } = await store.lease('one')
      assert.deepEqual(
        block?.hosts.map(({ address }) => address),
        ['10.2.2.2'],
      )
    })

    test('a robots.txt that is redirected to a host of another station counts as one that cannot be reached', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      federation.give('10.0.0.1:8000', 'b')
      await federation.renew('a')
      await federation.start('a')
      const { store } = federation.at('a')
      for (let attempt = 0; attempt < 6; attempt++) {
        await store.hello('one')
        const leasedRequests = leasedRequestsOf((await store.lease('one')).block)
        assert.ok(
          leasedRequests.every(({ request }) => request.hash === 0),
          'no page is asked for',
        )
        const location = 'http://10.0.0.1:8000/robots.txt'
        await store.ingest(
          leasedRequests.map((leased) => captured(leased, { status: 301, location })),
        )
        store.now += 100_000
      }
      const { denied, queued, pages, errors } = await federation.status('a')
      assert.deepEqual([queued, pages], [0, 0])
      assert.equal(errors['MINGA_ROBOTS_UNAVAILABLE'], 1)
      assert.equal(denied, 1 + errors['MINGA_HOST_ELSEWHERE']!)
    })

    test('a URL that all stations have received as known is not sent by those that meet it later', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      federation.give('10.0.7.1', 'b')
      await federation.renew('a')
      const id = await federation.start('a')
      const hot = [
        'crawl http://10.0.7.1/hot',
        'crawl http://10.0.0.0:8000/mine',
        'other http://x.test/',
      ]
      assert.equal(await federation.call('a', 'noteHot', { hot }), 1, 'that of the other station')
      const candidates = ['hot', 'new'].map((name) => ({
        ...nothing,
        url: `http://10.0.7.1/${name}`,
      }))
      await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      const rows = await federation
        .at('a')
        .store.query<{ payload: string }>(
          "SELECT payload FROM federation_outbox WHERE kind = 'urls'",
        )
      assert.deepEqual(
        rows.flatMap(({ payload }) =>
          (JSON.parse(payload) as { urls: string[][] }).urls.map(([url]) => url),
        ),
        ['http://10.0.7.1/new'],
      )
    })

    test('what was denied here once and is wanted again goes to the station that owns it', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      federation.give('10.0.7.1', 'b')
      for (const id of ['a', 'b']) await federation.renew(id)
      const id = await federation.start('a')
      const refused = { ...nothing, url: 'http://10.0.7.1/', refusal: 'MINGA_ADDRESS_REFUSED' }
      await federation.call('a', 'discover', {
        collectionId: id,
        candidates: [refused],
        trapBudget: false,
      })
      await federation.start('a')
      await federation.work('a')
      await federation.ship('a')
      const [row] = await federation
        .at('b')
        .store.query<{ outcome: string | null }>('SELECT outcome FROM urls WHERE url = ?', [
          refused.url,
        ])
      assert.deepEqual(row && { ...row }, { outcome: null }, 'it is queued there')
    })

    test('a station that leaves collects alone again', async () => {
      const federation = await open(['a', 'b'])
      federation.give(HOST, 'a')
      await federation.renew('a')
      await federation.start('a')
      await federation.call('a', 'leaveFederation', { now: 1 })
      assert.equal(await federation.call('a', 'federationView', {}), null)
      const { store } = federation.at('a')
      await store.hello('one')
      assert.equal(leasedRequestsOf((await store.lease('one')).block).length, 1)
    })
  })
}

test('a URL that came twice although it was known is reported once', () => {
  const hot = new HotUrls()
  assert.deepEqual(hot.note(['x http://a.test/']), [])
  assert.deepEqual(hot.note(['x http://a.test/', 'x http://b.test/']), ['x http://a.test/'])
  assert.deepEqual(hot.note(['x http://a.test/']), [])
  assert.deepEqual(hot.drain(), ['x http://a.test/'])
  assert.deepEqual(hot.drain(), [])
})
