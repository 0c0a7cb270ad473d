// Goal: what another station wants gathered is gathered within what this one allows, by this one's
// own rules, and one station's limits never become another's. Method: real stores on both databases
// and the real exchange between them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { collectionSpec, type CollectionSpec, type CollectionState } from '@minga/protocol'
import { linkedWeb, TestFederation } from '../../../test/federation/member/exchange-fixture.ts'

const WEB = linkedWeb({ hosts: 2, pages: 2, seed: 5 })
const RUDE = { delayMs: 0, delayMinMs: 250, inFlightPerHost: 16, retries: 20 }
const LIMITS = { delayMs: 2_000, pagesMax: 50, bytesMax: 1_000_000 }
const found = { kind: 'page', depth: 0, hops: 0, via: null, refusal: null } as const

const manners = ({ delayMs, delayMinMs, inFlightPerHost, retries }: CollectionSpec): number[] => [
  delayMs,
  delayMinMs,
  inFlightPerHost,
  retries,
]

for (const engine of ENGINES) {
  describe(`collections of other stations on ${engine.name}`, { skip: engine.skip }, () => {
    const open = async (): Promise<TestFederation> => {
      const federation = await TestFederation.open(engine, { ids: ['a', 'b'], web: WEB })
      federation.limits = LIMITS
      return federation
    }
    const specOf = async (federation: TestFederation, id: string): Promise<CollectionSpec> =>
      (await federation.status(id)).spec
    const bothHear = async (federation: TestFederation): Promise<void> => {
      for (const id of ['a', 'b', 'a']) await federation.ship(id)
    }
    const change = (
      federation: TestFederation,
      id: string,
      state: CollectionState,
    ): Promise<void> =>
      federation
        .status(id)
        .then(({ id: of }) =>
          federation.call(id, 'setCollectionState', { id: of, state, reason: 'asked' }),
        )
    const sharesAt = async (federation: TestFederation, id: string): Promise<object[]> =>
      federation.at(id).store.query('SELECT pages_share, bytes_share FROM collections')

    test('pauses, requests at once, tries and size are limited at the receiver alone', async () => {
      const federation = await open()
      await federation.start('a', RUDE)
      await bothHear(federation)
      assert.deepEqual(manners(await specOf(federation, 'b')), [2_000, 2_000, 1, 5])
      assert.deepEqual(await sharesAt(federation, 'b'), [{ pages_share: 50, bytes_share: 1e6 }])
      // Pausing it at the receiver changes nothing of what was asked for where it was begun.
      await change(federation, 'b', 'paused')
      await bothHear(federation)
      const home = await federation.status('a')
      assert.deepEqual([home.state, manners(home.spec)], ['paused', [0, 250, 16, 20]])
      assert.deepEqual(await sharesAt(federation, 'a'), [{ pages_share: null, bytes_share: null }])
      await change(federation, 'a', 'running')
      await bothHear(federation)
      const there = await federation.status('b')
      assert.deepEqual([there.state, manners(there.spec)], ['running', [2_000, 2_000, 1, 5]])
      // A station that joins later gets the collection as requested, also from the receiver.
      const [told] = await federation.call('b', 'describeCollections', {
        identities: ['crawl'],
      })
      assert.deepEqual(manners(collectionSpec.parse(JSON.parse(told!.spec))), [0, 250, 16, 20])
    })

    test('what another station changes of a collection that was begun here is limited, too', async () => {
      const federation = await open()
      await federation.start('a', { delayMs: 5_000 })
      await bothHear(federation)
      await federation.start('b', { ...RUDE, existing: 'change' })
      await federation.call('b', 'changeCollection', {
        id: (await federation.status('b')).id,
        owner: null,
        by: 'operator',
        change: { delayMs: 0 },
      })
      await bothHear(federation)
      assert.equal((await specOf(federation, 'b')).delayMs, 0, 'its own user decided')
      assert.equal((await specOf(federation, 'a')).delayMs, 2_000)
    })

    test("URLs are judged by the receiver's closed hosts, its abuse rules and its guard before they are queued", async () => {
      const federation = await open()
      const id = await federation.start('a')
      await federation.call('b', 'closeHosts', {
        rules: ['closed.example'],
        source: 'list',
        code: 'MINGA_HOST_LISTED',
        reason: 'a list',
        by: 'operator',
      })
      const urls = [
        'http://good.example/',
        'http://closed.example/',
        "http://good.example/?id=1' UNION SELECT password FROM users--",
        'http://169.254.169.254/latest/meta-data',
      ].map((url) => new URL(url).href)
      for (const url of urls) federation.give(new URL(url).host, 'b')
      for (const station of ['a', 'b']) await federation.renew(station)
      const candidates = urls.map((url) => ({ ...found, url }))
      await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      await federation.ship('a')
      const rows = await federation
        .at('b')
        .store.query<{ url: string; outcome: string | null; code: string | null }>(
          'SELECT url, outcome, code FROM urls',
        )
      const ended = new Map(rows.map(({ url, outcome, code }) => [url, `${outcome} ${code}`]))
      assert.deepEqual(
        urls.map((url) => ended.get(url)),
        [
          'null null',
          'denied MINGA_HOST_LISTED',
          'denied MINGA_ABUSE_INJECTION',
          'denied MINGA_ADDRESS_REFUSED',
        ],
      )
    })

    test('nothing is queued of a collection with more patterns than users of this station may have', async () => {
      const federation = await open()
      const exclude = Array.from({ length: 51 }, (_, i) => `/no/${i}`)
      const id = await federation.start('a', { exclude })
      federation.give('good.example', 'b')
      for (const station of ['a', 'b']) await federation.renew(station)
      const candidates = [{ ...found, url: 'http://good.example/' }]
      await federation.call('a', 'discover', { collectionId: id, candidates, trapBudget: false })
      await federation.ship('a')
      const { queued, errors, spec } = await federation.status('b')
      // The seed's host has no owner yet, and its name leads here.
      assert.deepEqual([queued, errors], [0, { MINGA_TOO_MANY_PATTERNS: 2 }])
      assert.deepEqual([spec.exclude, spec.scope], [[], 'page'])
    })
  })
}
