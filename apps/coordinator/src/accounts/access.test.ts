// Goal: callers are identified correctly and cannot exceed their rights. Method: the whole server,
// called with correct, almost correct and hostile headers, on a station that is open to its own
// machine and on one that is open to the network; every route of the API by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretHash } from '@minga/fleet'
import Fastify, { type InjectOptions } from 'fastify'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'
import { apiRoutes } from '../api-routes.ts'
import { assertRefused, TOKENS } from '../../test/station-fixture.ts'

const open = await openPeople()
const closed = await openPeople({ readOpenly: false, registration: 'operator' })

const OPEN_URL = '/collections'

test('the key opens with the word Bearer before it, in any case', async () => {
  for (const word of ['Bearer', 'bearer', 'BEARER']) {
    const shown = { authorization: `${word} ${TOKENS.apiKey}` }
    assert.equal(await closed.outcome(shown, 'GET', OPEN_URL), '200')
  }
})

test('everything but the key is refused with what it was for', async () => {
  const wrong = [
    '',
    'Bearer',
    'Bearer ',
    TOKENS.apiKey,
    `Bearer ${TOKENS.apiKey.slice(0, -1)}`,
    `Bearer ${TOKENS.apiKey}x`,
    `Bearer ${TOKENS.apiKey.toUpperCase()}`,
    `Bearer  ${TOKENS.apiKey}`,
    `Basic ${TOKENS.apiKey}`,
    `Bearer ${TOKENS.joinToken}`,
    `Bearer ${secretHash(TOKENS.apiKey)}`,
    // As many UTF-16 units as the key has, but more bytes.
    `Bearer ${'ä'.repeat(TOKENS.apiKey.length)}`,
    `Bearer ${'x'.repeat(10_000)}`,
    "Bearer ' OR 1=1 --",
  ]
  for (const authorization of wrong) {
    assertRefused(
      await closed.call({ authorization }, 'GET', OPEN_URL),
      '401 MINGA_NOT_ALLOWED',
      /^Reading collections needs a login or an API key .* station\.json/,
    )
  }
})

test('on its own machine a station is read by anyone, whatever they show', async () => {
  const stale = { authorization: 'Bearer minga_key_forgotten', cookie: 'minga_00000000=stale' }
  const { token } = await open.person('unreading', 'volunteer')
  for (const shown of [null, stale, token]) {
    assert.equal(await open.outcome(shown, 'GET', OPEN_URL), '200')
  }
})

test('beyond its own machine a station is read by those who may', async () => {
  const { token: reader } = await closed.person('reading', 'reader')
  const { token: volunteer } = await closed.person('lending', 'volunteer')
  assert.equal(await closed.outcome(null, 'GET', OPEN_URL), '401 MINGA_NOT_ALLOWED')
  assert.equal(await closed.outcome(reader, 'GET', OPEN_URL), '200')
  assertRefused(
    await closed.call(volunteer, 'GET', OPEN_URL),
    '403 MINGA_FORBIDDEN',
    /^Reading collections is not among the rights of your account \(collections:read\). Ask the operator/,
  )
})

test("a cookie's session counts in calls of the station's own page only", async () => {
  await open.account('browsing', ['collector'])
  const response = await open.station.app.inject({
    method: 'POST',
    url: '/api/sessions',
    headers: { host: 'localhost', origin: 'http://localhost' },
    payload: { name: 'browsing', password: PASSWORD },
  })
  assert.ok(!response.body.includes('minga_session_'))
  const [set = ''] = [response.headers['set-cookie']].flat()
  assert.match(
    set,
    /^minga_\w+=minga_session_[\w-]{43}; .*Max-Age=1209600; HttpOnly; SameSite=Strict$/,
  )
  const cookie = set.split(';', 1)[0]!
  const { pageToken } = response.json<{ pageToken: string }>()
  const token = { 'x-minga-token': pageToken }
  assert.equal(await open.outcome({ cookie, ...token }, 'GET', '/me'), '200')
  assert.equal(await open.outcome({ cookie }, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
  assert.equal(await open.outcome(token, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
  const seeds = { seeds: ['http://cookie.test/'] }
  const post = (headers: Record<string, string>) =>
    open.outcome({ cookie, ...headers }, 'POST', OPEN_URL, seeds)
  const own = { origin: 'http://localhost', ...token }
  assert.equal(await post(own), '200')
  for (const lacking of [
    {},
    token,
    { origin: 'http://localhost' },
    { ...own, origin: 'http://localhost:7701' },
    { ...own, origin: 'null' },
    { ...own, 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'cross-site' },
    { ...own, 'x-minga-token': `${pageToken.slice(0, -1)}_` },
    { ...own, 'x-minga-token': `${pageToken}x` },
    { ...own, 'x-minga-token': '' },
    { ...own, 'x-minga-token': cookie.split('=')[1]! },
  ]) {
    assert.equal(await post(lacking), '401 MINGA_NOT_ALLOWED', JSON.stringify(lacking))
  }
  assertRefused(
    await open.call({ cookie }, 'POST', OPEN_URL, seeds),
    '401 MINGA_NOT_ALLOWED',
    /accepted only in calls of the station's own page, with the token .*let programs send a key/,
  )
  assert.equal(await open.outcome({ cookie, ...own }, 'DELETE', '/sessions'), '200')
  assert.equal(await open.outcome({ cookie, ...token }, 'GET', '/me'), '401 MINGA_NOT_ALLOWED')
})

test('what was planted before a log-in is worth nothing after it', async () => {
  const logIn = async (name: string, cookie = ''): Promise<{ cookie: string; token: string }> => {
    const response = await open.station.app.inject({
      method: 'POST',
      url: '/api/sessions',
      headers: { host: 'localhost', origin: 'http://localhost', ...(cookie && { cookie }) },
      payload: { name, password: PASSWORD },
    })
    const set = String(response.headers['set-cookie']).split(';', 1)[0]!
    return { cookie: set, token: response.json<{ pageToken: string }>().pageToken }
  }
  await open.account('mallory', ['reader'])
  await open.account('victim', ['reader'])
  const planted = await logIn('mallory')
  const own = await logIn('victim', planted.cookie)
  assert.notEqual(own.cookie, planted.cookie)
  assert.notEqual(own.token, planted.token)
  const nameOf = async (cookie: string, token: string): Promise<string> => {
    const shown = { cookie, 'x-minga-token': token }
    const { status, body } = await open.call(shown, 'GET', '/me')
    return status === 200 ? (body as { account: { name: string } }).account.name : String(status)
  }
  // A page on another port can set a cookie of a narrower path, which browsers send first.
  assert.equal(await nameOf(`${planted.cookie}; ${own.cookie}`, own.token), 'victim')
  assert.equal(await nameOf(own.cookie, planted.token), '401')
  assert.equal(await nameOf(planted.cookie, own.token), '401')
  const again = await logIn('victim', own.cookie)
  assert.notEqual(again.cookie, own.cookie)
  assert.equal(await nameOf(again.cookie, own.token), '401')
})

test('a key that another coordinator revokes stops within five seconds, here at once', async () => {
  const { id, token } = await closed.person('revoking', 'reader')
  const [there, here] = [await closed.key(token), await closed.key(token)]
  const read = (secret: string) => closed.outcome(secret, 'GET', OPEN_URL)
  assert.deepEqual([await read(there.secret), await read(here.secret)], ['200', '200'])
  const { store, clock } = closed.station
  await store.call('revokeKey', { id: there.key.id, owner: id, now: clock.now() })
  assert.equal(await read(there.secret), '200')
  await clock.advance(5_000)
  assert.equal(await read(there.secret), '401 MINGA_KEY_REVOKED')
  assert.equal(await read(here.secret), '200')
  await closed.ok(token, 'DELETE', `/keys/${here.key.id}`)
  assert.equal(await read(here.secret), '401 MINGA_KEY_REVOKED')
})

test('a thousand calls that come together ask the store once who calls', async (t) => {
  const { token } = await closed.person('busy', 'reader')
  const { secret } = await closed.key(token)
  const asked = t.mock.method(closed.station.store, 'call')
  const calls = Array.from({ length: 1_000 }, () => closed.outcome(secret, 'GET', OPEN_URL))
  assert.deepEqual([...new Set(await Promise.all(calls))], ['200'])
  const lookups = asked.mock.calls.filter(
    ({ arguments: [operation] }) => operation === 'findCaller',
  )
  assert.equal(lookups.length, 1)
})

test('a key that expires stops on time, known or not', async () => {
  const { token } = await closed.person('expiring', 'reader')
  const body = { name: 'short', lifetimeS: 2 }
  const { secret } = await closed.ok<{ secret: string }>(token, 'POST', '/keys', body)
  assert.equal(await closed.outcome(secret, 'GET', OPEN_URL), '200')
  await closed.station.clock.advance(2_000)
  assert.equal(await closed.outcome(secret, 'GET', OPEN_URL), '401 MINGA_KEY_EXPIRED')
})

type Method = NonNullable<InjectOptions['method']>

/** Every route of the API, with 1 for its parameters. */
function routes(): { method: Method; path: string }[] {
  const found: { method: Method; path: string }[] = []
  const app = Fastify()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) {
      found.push({ method: one, path: url.replaceAll(/:\w+/g, '1') })
    }
  })
  apiRoutes(app, { wikis: {}, alerts: {}, data: '' } as never)
  return found
}

test('from another machine an unknown caller reaches only the three authentication routes, what a volunteer needs, the routes of site owners, the callback of hubs and the secret addresses of alerts', async () => {
  const all = routes()
  assert.ok(all.length > 40)
  const past: string[] = []
  for (const { method, path } of all) {
    const headers = { host: 'localhost' }
    const { app } = closed.station
    const { statusCode } = await app.inject({ method, url: `/api${path}`, headers })
    if (statusCode !== 401) past.push(`${method} ${path} ${statusCode}`)
  }
  assert.deepEqual(past.toSorted(), [
    'DELETE /site-owners/proofs/1/rule 400',
    'GET /alerts/1/feed/1 404',
    'GET /alerts/1/unsubscribe/1 404',
    'GET /alerts/mailbox/1 404',
    'GET /alerts/mailbox/1/refuse 404',
    'GET /join-facts 200',
    'GET /log-in-options 200',
    'GET /openapi.json 200',
    'GET /websub/1 404',
    'HEAD /alerts/1/feed/1 404',
    'HEAD /alerts/1/unsubscribe/1 404',
    'HEAD /alerts/mailbox/1 404',
    'HEAD /alerts/mailbox/1/refuse 404',
    'HEAD /join-facts 200',
    'HEAD /log-in-options 200',
    'HEAD /openapi.json 200',
    'HEAD /websub/1 404',
    'POST /accounts 400',
    'POST /alerts/1/unsubscribe/1 404',
    'POST /alerts/mailbox/1 404',
    'POST /alerts/mailbox/1/refuse 404',
    'POST /email/confirm 400',
    'POST /resets/by-mail 400',
    'POST /resets/use 400',
    'POST /sessions 400',
    'POST /sessions/by-link 400',
    'POST /sessions/by-oidc 400',
    'POST /sessions/by-passkey 400',
    'POST /sessions/oidc-begin 409',
    'POST /sessions/passkey-options 200',
    'POST /site-owners/address 400',
    'POST /site-owners/proofs 400',
    'POST /site-owners/proofs/1/asked 400',
    'POST /site-owners/proofs/1/check 400',
    'POST /websub/1 410',
    'PUT /site-owners/proofs/1/rule 400',
  ])
})

const OPEN_HERE = [
  'DELETE /site-owners/proofs/1/rule',
  'GET /alerts/1/feed/1',
  'GET /alerts/1/unsubscribe/1',
  'GET /alerts/mailbox/1',
  'GET /alerts/mailbox/1/refuse',
  'GET /archive/calendar',
  'GET /archive/captures',
  'GET /archive/collections/1/cdxj',
  'GET /archive/collections/1/wacz',
  'GET /archive/compare',
  'GET /archive/facts',
  'GET /archive/growth',
  'GET /archive/moment',
  'GET /archive/replay',
  'GET /archive/search',
  'GET /archive/sizes',
  'GET /archive/superseded',
  'GET /archive/text',
  'GET /archive/tombstones',
  'GET /archive/versions',
  'GET /archive/versions/1/1',
  'GET /archive/versions/1/1/documents',
  'GET /attention',
  'GET /captures',
  'GET /captures/content',
  'GET /captures/diff',
  'GET /captures/place',
  'GET /captures/record',
  'GET /collections',
  'GET /collections/1',
  'GET /collections/1/captures',
  'GET /collections/1/curve',
  'GET /collections/1/facets',
  'GET /collections/1/hosts',
  'GET /collections/1/hosts/list',
  'GET /collections/1/trail',
  'GET /collections/list',
  'GET /filter/verdict',
  'GET /join-facts',
  'GET /leaderboard',
  'GET /leaderboard/days',
  'GET /log-in-options',
  'GET /openapi.json',
  'GET /snapshot',
  'GET /station/throughput',
  'GET /v1',
  'GET /v1/',
  'GET /v1/articles',
  'GET /v1/articles/1',
  'GET /v1/avg',
  'GET /v1/count',
  'GET /v1/countries',
  'GET /v1/mode',
  'GET /v1/openapi.json',
  'GET /v1/revisions',
  'GET /v1/schedule',
  'GET /v1/status/1',
  'GET /v1/tasks',
  'GET /watch-budget',
  'GET /watch-calibration',
  'GET /watch-groups',
  'GET /watches',
  'GET /watches/1',
  'GET /watches/1/activity',
  'GET /watches/1/calibration',
  'GET /watches/1/compare',
  'GET /watches/1/compare-curve',
  'GET /watches/1/forecast',
  'GET /watches/1/hubs',
  'GET /watches/1/metrics',
  'GET /watches/1/noise',
  'GET /watches/1/notices',
  'GET /watches/1/trail',
  'GET /watches/1/urls',
  'GET /watches/1/versions',
  'GET /watches/1/visits',
  'GET /watches/1/years',
  'GET /watches/categories',
  'GET /watches/export',
  'GET /watches/forecast',
  'GET /watches/groups',
  'GET /watches/list',
  'GET /watches/run',
  'GET /websub/1',
  'GET /wikis',
  'GET /wikis/1',
  'GET /wikis/1/authors',
  'GET /wikis/1/authorship',
  'GET /wikis/1/compare',
  'GET /wikis/1/diff',
  'GET /wikis/1/editor',
  'GET /wikis/1/export',
  'GET /wikis/1/gaps',
  'GET /wikis/1/history',
  'GET /wikis/1/metrics',
  'GET /wikis/1/pages',
  'GET /wikis/1/revisions',
  'GET /wikis/1/summary',
  'GET /wikis/1/text/1',
  'GET /wikis/1/track',
  'GET /wikis/1/verify',
  'GET /wikis/imports/1',
  'GET /wikis/overview',
  'GET /wikis/schedule',
  'GET /wikis/tasks',
  'GET /wikis/tasks/1',
  'POST /accounts',
  'POST /alerts/1/unsubscribe/1',
  'POST /alerts/mailbox/1',
  'POST /alerts/mailbox/1/refuse',
  'POST /email/confirm',
  'POST /resets/by-mail',
  'POST /resets/use',
  'POST /sessions',
  'POST /sessions/by-link',
  'POST /sessions/by-oidc',
  'POST /sessions/by-passkey',
  'POST /sessions/oidc-begin',
  'POST /sessions/passkey-options',
  'POST /site-owners/address',
  'POST /site-owners/proofs',
  'POST /site-owners/proofs/1/asked',
  'POST /site-owners/proofs/1/check',
  'POST /v1/query',
  'POST /websub/1',
  'POST /wikis/1/query',
  'PUT /site-owners/proofs/1/rule',
]

test('on its own machine unknown callers read exactly this and write nothing', async () => {
  const read: string[] = []
  for (const { method, path } of routes()) {
    // A stream does not end, and a HEAD is its GET.
    if (path === '/events' || path === '/event-log/stream' || method === 'HEAD') continue
    const headers = { host: 'localhost' }
    const { statusCode } = await open.station.app.inject({ method, url: `/api${path}`, headers })
    if (statusCode !== 401) read.push(`${method} ${path}`)
  }
  assert.deepEqual(read.toSorted(), OPEN_HERE)
})
