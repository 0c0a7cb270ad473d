// Goal: reports of sites about their changes bring visits forward, is judged by what the visits
// find, and cannot be forged or overdone. Method: a station with a synthetic web on virtual time,
// feeds and sitemaps in it, a hub on loopback, and callers with right and wrong secrets.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NoticeView, SignalView, WatchDetail, WebsubView } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { People } from '../../../test/accounts/people-fixture.ts'
import {
  assertRefused,
  openStation,
  START,
  TOKENS,
  type Page,
} from '../../../test/station-fixture.ts'
import { openWatchStation, type WatchStation } from '../../../test/watch/visits/watch-fixture.ts'
import type { SecretRows } from '../../station/secrets/sealed-rows.ts'
import { StationSecrets } from '../../station/secrets/station-secrets.ts'
import { renewedHubSecrets } from './websub-rows.ts'
import { openHub } from '../../../test/watch/signals/hub-fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const A = 'https://a.test'

const page = (text: string, head = ''): Page => ({
  body: `<html><head><title>A</title>${head}</head><body><p>${text} ${'and what is always there. '.repeat(20)}</p></body></html>`,
})
const FEED_LINK = '<link rel="alternate" type="application/rss+xml" href="/feed">'
const rss = (...items: { id: string; date?: string }[]): Page => ({
  type: 'application/rss+xml',
  body: `<rss version="2.0"><channel><title>News</title>${items
    .map(
      ({ id, date }) =>
        `<item><guid isPermaLink="false">${id}</guid><link>${A}/${id}</link>` +
        `${date === undefined ? '' : `<pubDate>${date}</pubDate>`}</item>`,
    )
    .join('')}</channel></rss>`,
})

interface Told {
  signals: SignalView[]
  notices: NoticeView[]
}

const told = async ({ station }: WatchStation, id: number): Promise<Told> =>
  (await station.get(`/watches/${id}/notices`)).body as Told

/** Second fetches for noise are not visits. */
async function visitsOf(world: WatchStation, id: number, path = '/'): Promise<number> {
  const visits = await world.visits(id)
  return visits.filter(({ url }) => url === `${A}${path}`).length
}

for (const engine of ENGINES) {
  describe(`signals on ${engine.name}`, { skip: engine.skip }, () => {
    test("a page's feed is found, and an item that is new in it brings the page forward", async () => {
      const world = await openWatchStation({ engine })
      world.web = { [`${A}/`]: page('First.', FEED_LINK), [`${A}/feed`]: rss({ id: 'one' }) }
      const { id } = await world.watch({ urls: [`${A}/`], periodMs: 7 * DAY_MS })
      await world.pass(10 * MINUTE_MS)
      assert.ok((await visitsOf(world, id, '/feed')) > 0)
      // The first reading is no news.
      assert.deepEqual((await told(world, id)).notices, [])
      await world.pass(2 * DAY_MS)
      const before = await visitsOf(world, id)
      world.web = {
        [`${A}/`]: page('Second, quite another text.', FEED_LINK),
        [`${A}/feed`]: rss({ id: 'two' }, { id: 'one' }),
      }
      // The feed comes with the page's period: a week.
      await world.pass(6 * DAY_MS)
      assert.ok((await visitsOf(world, id)) > before)
      const { signals, notices } = await told(world, id)
      assert.deepEqual(
        notices.map(({ url, source, isEarly }) => [url, source, isEarly]),
        [[`${A}/`, 'feed', true]],
      )
      assert.equal(signals[0]!.source, 'feed')
    })

    test('the hook of a watch makes its page due now, within its limits', async () => {
      const world = await openWatchStation({ engine })
      const people = new People(world.station)
      const { clock } = world.station
      world.web = { [`${A}/`]: page('First.') }
      const { id } = await world.watch({ urls: [`${A}/`], periodMs: 30 * DAY_MS })
      await world.pass(HOUR_MS)
      const { secret } = await people.ok<{ secret: string }>(
        TOKENS.apiKey,
        'POST',
        `/watches/${id}/hook`,
      )
      assert.match(secret, /^minga_hook_/)
      const notify = (body: object, shown: string | null = secret) =>
        people.call(shown, 'POST', `/watches/${id}/notify`, body)

      world.web = { [`${A}/`]: page('Second, quite another text.') }
      const before = await visitsOf(world, id)
      assert.deepEqual((await notify({})).body, { early: 1, noted: 0, unknown: 0 })
      await world.pass(MINUTE_MS)
      assert.equal(await visitsOf(world, id), before + 1)
      let { signals } = await told(world, id)
      assert.deepEqual(
        signals.map(({ source, changed, precision }) => [source, changed, precision]),
        [['hook', 1, 1]],
      )
      // Reported again at once: the page is not visited before ten minutes have passed.
      const soon = [`${A}/`, `${A}/elsewhere`, 'mailto:x']
      assert.deepEqual((await notify({ urlList: soon })).body, { early: 1, noted: 0, unknown: 2 })
      await world.pass(5 * MINUTE_MS)
      assert.equal(await visitsOf(world, id), before + 1)
      await world.pass(6 * MINUTE_MS)
      assert.equal(await visitsOf(world, id), before + 2)
      signals = (await told(world, id)).signals
      assert.deepEqual([signals[0]!.changed, signals[0]!.unchanged], [1, 1])

      // No other caller may notify, and a paused watch only records notices.
      assert.equal((await notify({}, null)).status, 401)
      assert.equal((await notify({}, `${secret}x`)).status, 401)
      assert.equal((await notify({ key: secret }, null)).status, 200)
      const { token } = await people.person('bob', 'collector')
      assert.equal((await notify({}, token)).status, 403)
      await people.ok(TOKENS.apiKey, 'POST', `/watches/${id}/pause`)
      await clock.advance(HOUR_MS)
      assert.deepEqual((await notify({})).body, { early: 0, noted: 1, unknown: 0 })
      await people.ok(TOKENS.apiKey, 'DELETE', `/watches/${id}/hook`)
      assert.equal((await notify({})).status, 401)
    })

    test('a hub is asked, verified, renewed and heard, and a forged push is not', async () => {
      const hub = await openHub()
      const world = await openWatchStation({
        engine,
        publicUrl: 'https://minga.test',
        allowPrivateAddresses: true,
        addressesOf: () => ['127.0.0.1'],
      })
      const { station } = world
      const head = `<link rel="hub" href="${hub.url}"><link rel="self" href="${A}/topic">`
      world.web = { [`${A}/`]: page('First.', head) }
      const { id } = await world.watch({ urls: [`${A}/`], periodMs: 30 * DAY_MS })
      const hubs = async () => (await station.get(`/watches/${id}/hubs`)).body as WebsubView[]
      await world.pass(MINUTE_MS)
      assert.equal(hub.asked.length, 1)
      const [form] = hub.asked
      assert.deepEqual(
        [form!.get('hub.mode'), form!.get('hub.topic'), form!.get('hub.lease_seconds')],
        ['subscribe', `${A}/topic`, '864000'],
      )
      assert.match(form!.get('hub.callback')!, /^https:\/\/minga\.test\/api\/websub\/[0-9a-f]{32}$/)
      assert.equal((await hubs())[0]!.state, 'asked')
      // Not ours: another topic, another mode.
      assert.equal((await hub.verify(station, { 'hub.topic': `${A}/other` })).status, 404)
      assert.equal((await hub.verify(station, { 'hub.mode': 'unsubscribe' })).status, 404)
      assert.deepEqual(await hub.verify(station), { status: 200, body: 'a challenge' })
      assert.equal((await hubs())[0]!.state, 'active')

      await world.pass(HOUR_MS)
      const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><link href="${A}/x"/></entry></feed>`
      for (const forged of [
        { secret: 'guess' },
        { signature: 'sha256=' },
        { signature: 'md5=00' },
        { signature: '' },
      ]) {
        assert.equal(await hub.push(station, atom, forged), 202)
      }
      assert.deepEqual((await told(world, id)).notices, [])
      world.web = { [`${A}/`]: page('Second, quite another text.', head) }
      const before = await visitsOf(world, id)
      assert.equal(await hub.push(station, atom, { method: 'sha1' }), 202)
      await world.pass(15 * MINUTE_MS)
      assert.ok((await visitsOf(world, id)) > before)
      const { signals } = await told(world, id)
      assert.deepEqual([signals[0]!.source, signals[0]!.changed], ['websub', 1])

      // A day's lease is renewed before it ends.
      await world.pass(21 * HOUR_MS)
      assert.equal(hub.asked.length, 2)
      assert.equal((await hubs())[0]!.state, 'active')
      // A hub that says no is left alone, and a watch that is removed answers that it is gone.
      assert.equal(
        (await hub.verify(station, { 'hub.mode': 'denied', 'hub.reason': 'full' })).status,
        200,
      )
      assert.match((await hubs())[0]!.problem!, /full/)
      await new People(station).ok(TOKENS.apiKey, 'DELETE', `/watches/${id}`)
      assert.equal(await hub.push(station, atom), 410)
    })
  })
}

test('after a rotation a hub is given another secret, and what it signs with the former one is heard until then', async () => {
  const hub = await openHub()
  const secrets = StationSecrets.of('a secret')
  const world = await openWatchStation({
    publicUrl: 'https://minga.test',
    allowPrivateAddresses: true,
    addressesOf: () => ['127.0.0.1'],
    secrets,
  })
  const { station } = world
  const { store, clock } = station
  world.web = { [`${A}/`]: page('First.', `<link rel="hub" href="${hub.url}">`) }
  const { id } = await world.watch({ urls: [`${A}/`], periodMs: 30 * DAY_MS })
  await world.pass(MINUTE_MS)
  await hub.verify(station)
  const former = hub.secret
  const heard = async (secret: string): Promise<boolean> => {
    const before = (await told(world, id)).notices.length
    assert.equal(await hub.push(station, '<feed/>', { secret }), 202)
    await world.pass(15 * MINUTE_MS)
    return (await told(world, id)).notices.length > before
  }
  const { subscriptions } = await store.call('listSecretRows', { keyId: null })
  const [{ token, secret: sealed }] = subscriptions as [SecretRows['subscriptions'][0]]
  const renewing = { fresh: 'a-fresh-secret', now: clock.now(), until: clock.now() + 2 * HOUR_MS }
  const secret = secrets.seal(renewedHubSecrets(secrets.open(sealed), renewing))
  await store.call('writeSecretRows', {
    keyId: secrets.keyId,
    now: clock.now(),
    facts: [],
    subscriptions: [{ token, secret }],
    hubsAskedAt: clock.now(),
    factors: [],
  })
  assert.ok(await heard(former), 'before the hub has the other one')
  assert.equal(hub.asked.length, 2)
  assert.equal(hub.secret, 'a-fresh-secret')
  await hub.verify(station)
  assert.ok(await heard('a-fresh-secret'))
  assert.ok(await heard(former), 'a push may have been on its way')
  await world.pass(2 * HOUR_MS)
  assert.ok(!(await heard(former)))
  assert.ok(await heard('a-fresh-secret'))
  assert.equal(hub.asked.length, 2)
})

test('a hub that names no subscription of the station gets the same error as every caller', async () => {
  const station = await openStation()
  const url = '/api/websub/0'
  const verified = await station.inject({ url: `${url}?hub.mode=subscribe&hub.challenge=a` })
  assertRefused(verified, '404 MINGA_NO_SUCH_SUBSCRIPTION', /Do not confirm it/)
  const pushed = await station.inject({ method: 'POST', url, payload: {} })
  assertRefused(pushed, '410 MINGA_SUBSCRIPTION_GONE', /End the subscription/)
})

test('a hub at a private address is never called, and a refusal is tried again for a while', async () => {
  const hub = await openHub()
  const open = async (allowPrivateAddresses: boolean) => {
    const world = await openWatchStation({
      publicUrl: 'https://minga.test',
      allowPrivateAddresses,
      addressesOf: (name) => [name === 'hub.test' ? '127.0.0.1' : '93.184.216.34'],
    })
    world.web = { [`${A}/`]: page('First.', `<link rel="hub" href="${hub.url}">`) }
    const { id } = await world.watch({ urls: [`${A}/`], periodMs: 30 * DAY_MS })
    await world.pass(MINUTE_MS)
    return async (ms: number) => {
      await world.pass(ms)
      return ((await world.station.get(`/watches/${id}/hubs`)).body as WebsubView[])[0]!
    }
  }
  const closed = await open(false)
  assert.match((await closed(MINUTE_MS)).problem!, /no address that may be called/)
  assert.equal(hub.asked.length, 0)
  hub.status = 400
  const refused = await open(true)
  assert.match((await refused(MINUTE_MS)).problem!, /answered 400: no, thank you/)
  assert.equal(hub.asked.length, 1)
  const last = await refused(40 * DAY_MS)
  assert.deepEqual([last.state, hub.asked.length], ['refused', 5])
})

test('a sitemap that lies is followed until most of what it said was wrong', async () => {
  const world = await openWatchStation()
  const sitemap = (date: string): Page => ({
    type: 'application/xml',
    body: `<urlset><url><loc>${A}/</loc><lastmod>${date}</lastmod></url></urlset>`,
  })
  world.web = { [`${A}/`]: page('Always the same.'), [`${A}/map.xml`]: sitemap('2026-05-01') }
  const { id } = await world.watch({
    subject: 'list',
    urls: [`${A}/`],
    sitemaps: [`${A}/map.xml`],
    periodMs: DAY_MS,
  })
  for (let day = 0; day < 20; day++) {
    await world.pass(DAY_MS)
    const at = new Date(START + (day + 1.5) * DAY_MS).toISOString()
    world.web = { ...world.web, [`${A}/map.xml`]: sitemap(at) }
  }
  const { signals, notices } = await told(world, id)
  assert.equal(signals[0]!.precision, 0)
  assert.ok(signals[0]!.notices > 12)
  assert.equal(notices[0]!.isEarly, false)
  assert.equal(notices.at(-1)!.isEarly, true)
})

test('a site is followed by the sitemap that its robots.txt names, and notices for any page of it count', async () => {
  const world = await openWatchStation()
  const people = new People(world.station)
  world.web = {
    [`${A}/robots.txt`]: {
      type: 'text/plain',
      body: 'Sitemap: /map.xml\nSitemap: http://10.0.0.1/x',
    },
    [`${A}/map.xml`]: {
      type: 'application/xml',
      body: `<urlset><url><loc>${A}/x</loc></url></urlset>`,
    },
    [`${A}/`]: page('First.'),
  }
  const { id } = await world.watch({ subject: 'site', urls: [`${A}/`], periodMs: 30 * DAY_MS })
  await world.pass(HOUR_MS)
  const { sitemaps, feeds } = await people.ok<WatchDetail>(TOKENS.apiKey, 'GET', `/watches/${id}`)
  assert.deepEqual([sitemaps, feeds], [[`${A}/map.xml`], []])
  const notify = (urls: string[]) =>
    people.ok<object>(TOKENS.apiKey, 'POST', `/watches/${id}/notify`, { urls })
  const outside = 'https://elsewhere.test/'
  assert.deepEqual(await notify([`${A}/deep/page`, outside]), { early: 1, noted: 0, unknown: 1 })
  const [first] = await world.forecast(id)
  assert.equal(first!.url, `${A}/`)
  assert.ok(first!.nextVisitAt! <= world.station.clock.now())
})

test('a feed alone is watched, and its own words lead to its hub', async () => {
  const hub = await openHub()
  const world = await openWatchStation({
    publicUrl: 'https://minga.test',
    allowPrivateAddresses: true,
    addressesOf: () => ['127.0.0.1'],
  })
  const feed = `${A}/atom`
  world.web = {
    [feed]: {
      type: 'application/atom+xml',
      body: `<feed><link rel="hub" href="${hub.url}"/><link rel="self" href="${A}/self"/></feed>`,
      headers: [['Link', `<${A}/header>; rel="self"`]],
    },
  }
  const { urls, id } = await world.watch({ urls: [feed], feeds: [feed], periodMs: 30 * DAY_MS })
  assert.equal(urls, 1)
  await world.pass(MINUTE_MS)
  assert.equal(hub.asked[0]!.get('hub.topic'), `${A}/header`)
  await hub.verify(world.station)
  await world.pass(15 * MINUTE_MS)
  assert.equal(await hub.push(world.station, '<feed/>'), 202)
  const { notices } = await told(world, id)
  assert.deepEqual(
    notices.map(({ url, source, isEarly }) => [url, source, isEarly]),
    [[feed, 'websub', true]],
  )
})

test('guessing secrets at a hook is soon delayed', async () => {
  const world = await openWatchStation()
  const people = new People(world.station)
  const { id } = await world.watch({ urls: [`${A}/`] })
  const tries = Array.from({ length: 121 }, (_, i) =>
    people.outcome(`minga_hook_${i}`, 'POST', `/watches/${id}/notify`, {}),
  )
  const outcomes = new Set(await Promise.all(tries))
  assert.deepEqual(outcomes, new Set(['401 MINGA_NOT_ALLOWED', '429 MINGA_RATE_LIMITED']))
})

test('who knows only the number of a watch neither uses up its allowance nor sends it large bodies', async () => {
  const world = await openWatchStation()
  const people = new People(world.station)
  const { id } = await world.watch({ urls: [`${A}/`] })
  const path = `/watches/${id}/notify`
  const { secret } = await people.ok<{ secret: string }>(
    TOKENS.apiKey,
    'POST',
    `/watches/${id}/hook`,
  )
  const tries = Array.from({ length: 121 }, () => people.outcome(null, 'POST', path, {}))
  assert.ok((await Promise.all(tries)).includes('429 MINGA_RATE_LIMITED'))
  const call = (headers: Record<string, string>, payload: object) =>
    world.station.app.inject({
      method: 'POST',
      url: `/api${path}`,
      remoteAddress: '203.0.113.9',
      headers: { host: 'localhost', ...headers },
      payload,
    })
  const hook = { authorization: `Bearer ${secret}` }
  assert.equal((await call(hook, {})).statusCode, 200)
  const large = { urls: Array.from({ length: 100 }, (_, i) => `${A}/${i}/${'x'.repeat(1_000)}`) }
  assert.equal((await call({}, { ...large, key: secret })).statusCode, 413)
  assert.equal((await call(hook, large)).statusCode, 200)
})

test('a policy with a rule of its own for notices decides by that', async () => {
  const world = await openWatchStation()
  const people = new People(world.station)
  world.web = { [`${A}/`]: page('First.') }
  const { id } = await world.watch({ urls: [`${A}/`], policy: 'notification' })
  const notify = () => people.ok<object>(TOKENS.apiKey, 'POST', `/watches/${id}/notify`, {})
  await world.pass(HOUR_MS)
  // While the gap is short, it comes soon enough by itself.
  assert.deepEqual(await notify(), { early: 0, noted: 1, unknown: 0 })
  // Gaps of 48, 72 … hours: after half a year they are above 360.
  await world.pass(180 * DAY_MS)
  assert.deepEqual(await notify(), { early: 1, noted: 0, unknown: 0 })
  const [plan] = await world.forecast(id)
  assert.match(plan!.plan!.text, /a change was signalled/)
})

test('a watch has sixty early visits an hour and no more', async () => {
  const world = await openWatchStation()
  const people = new People(world.station)
  const urls = Array.from({ length: 100 }, (_, i) => `${A}/${i}`)
  const { id } = await world.watch({ subject: 'list', urls })
  const notify = (body: object) =>
    people.ok<object>(TOKENS.apiKey, 'POST', `/watches/${id}/notify`, body)
  assert.deepEqual(await notify({ urls }), { early: 60, noted: 40, unknown: 0 })
  await world.station.clock.advance(30 * MINUTE_MS)
  assert.deepEqual(await notify({ urls: urls.slice(0, 1) }), { early: 0, noted: 1, unknown: 0 })
  await world.station.clock.advance(31 * MINUTE_MS)
  assert.deepEqual(await notify({ urls: urls.slice(0, 1) }), { early: 1, noted: 0, unknown: 0 })
})
