// Goal: what must not be fetched is not, its client is not charged, the operator is notified and
// decides. Method: whole stations on both databases and virtual time, clients with money, a
// synthetic web.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CollectionStatus, EventPage, HostReset } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type Web } from '../../../test/station-fixture.ts'
import { listener } from '../../../test/clients/webhook-fixture.ts'
import { openClients } from '../../../test/clients/abuse/clients-fixture.ts'

const ATTACK = "http://a.test/item?id=1' or '1'='1"
const WEB: Web = {
  'http://a.test/': { body: '<a href="/item?id=1%27%20or%20%271%27=%271">x</a><a href="/2">2</a>' },
  'http://a.test/2': { body: 'two' },
  'http://b.test/': { status: 302, headers: [['Location', '/login?user=a&password=llama']] },
  'http://c.test/': { body: 'c' },
}

function linesOf(write: { mock: { calls: { arguments: unknown[] }[] } }): string[] {
  return write.mock.calls.map((call) => String(call.arguments[0]))
}

for (const engine of ENGINES) {
  describe(`abuse control on ${engine.name}`, { skip: engine.skip }, () => {
    test('Abuse heuristics: an injection-like URL is denied and the operator is notified', async (t) => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana')
      const { id } = await clients.submit(ana, ['http://c.test/', ATTACK])
      const asked = await clients.serve(ana, WEB, id)
      assert.deepEqual(await clients.ends(ana, id), [
        'captured 200',
        'denied MINGA_ABUSE_INJECTION',
      ])
      assert.deepEqual(asked, ['http://c.test/robots.txt', 'http://c.test/'])
      const write = t.mock.method(process.stderr, 'write', () => true)
      await clients.station.tick()
      await clients.station.tick()
      const told = linesOf(write).filter((line) => line.includes('flag flg_'))
      assert.equal(told.length, 1)
      assert.match(
        told[0]!,
        /^minga: notice injection by client acct_\S+ \(injections 1, submitted 2\)/,
      )
      const [flag] = await clients.flags('?state=open')
      assert.deepEqual([flag?.client, flag?.samples.length], [ana.id, 1])
    })

    test('denied requests cost nothing, and the books balance', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana', 10_000)
      const urls = [ATTACK, 'http://c.test/', 'http://c.test/login?user=a&password=llama']
      const { id } = await clients.submit(ana, urls)
      await clients.serve(ana, WEB, id)
      await clients.station.tick()
      assert.equal(await clients.balance(ana), 9_000)
      const { body } = await clients.operator('GET', '/ledger/check')
      const { entriesMicros, balancesMicros } = body as Record<string, number>
      assert.deepEqual([entriesMicros, balancesMicros], [0, 0])
    })

    test('no page can make a collection attack another site, by link or by redirect', async () => {
      const { station } = await openClients({ engine })
      const web: Web = {
        'http://a.test/': { body: `<a href="http://b.test/item?id=1' or '1'='1">x</a>` },
        'http://b.test/': {
          status: 302,
          headers: [['Location', 'http://a.test/login?user=a&password=llama']],
        },
      }
      const seeds = ['http://a.test/', 'http://b.test/']
      const { errors } = await station.crawl({ seeds, scope: 'any' }, web)
      assert.equal(errors['MINGA_ABUSE_INJECTION'], 1)
      assert.equal(errors['MINGA_ABUSE_CREDENTIALS'], 1)
      const urls = (await station.captures()).map(({ url }) => url)
      assert.ok(!urls.some((url) => /1%27|password/.test(url)))
    })

    test('a site’s links to itself and the operator’s own seeds are followed as they are', async () => {
      const { station } = await openClients({ engine })
      const status = await station.crawl({ seeds: ['http://a.test/', ATTACK] }, WEB)
      assert.deepEqual([status.denied, status.errors['MINGA_ABUSE_INJECTION']], [0, undefined])
    })

    test('a collector’s seeds are judged like a client’s requests', async () => {
      const clients = await openClients({ engine })
      const ben = await clients.people.person('ben', 'collector')
      const said = await clients.call(ben.token, 'POST', '/collections', { seeds: [ATTACK] })
      const { denied, errors } = said.body as CollectionStatus
      assert.deepEqual([denied, errors['MINGA_ABUSE_INJECTION']], [1, 1])
    })

    test('an alarm holds new batches when the operator wants so, and open requests continue', async () => {
      const clients = await openClients({ engine, flags: { abuseEffect: 'hold' } })
      const eve = await clients.client('eve')
      const ana = await clients.client('ana')
      const open = await clients.submit(eve, ['http://c.test/'], { idempotencyKey: 'k' })
      await clients.submit(
        eve,
        Array.from({ length: 12 }, (_, i) => `${ATTACK}&n=${i * 5}`),
      )
      assertRefused(
        await clients.call(eve.token, 'POST', '/batches', { urls: ['http://c.test/'] }),
        '403 MINGA_CLIENT_HELD',
        /^New batches of this account are held because of requests that look like attacks .* flg_/,
      )
      const again = await clients.submit(eve, ['http://c.test/'], { idempotencyKey: 'k' })
      assert.equal(again.id, open.id)
      await clients.serve(eve, WEB, open.id)
      await clients.submit(ana, ['http://c.test/'])
      const own = (await clients.call(eve.token, 'GET', '/abuse/own')).body
      const { restrictions, isHeld } = own as {
        restrictions: Record<string, unknown>[]
        isHeld: boolean
      }
      assert.deepEqual(
        [isHeld, restrictions.length, Object.keys(restrictions[0]!)],
        [true, 1, ['id', 'kind', 'effect', 'dayMax', 'since', 'reason']],
      )
      const id = restrictions[0]!['id'] as string
      const decided = await clients.operator('PATCH', `/abuse/flags/${id}`, {
        state: 'dismissed',
        note: 'a test',
      })
      assert.equal((decided.body as { note: string }).note, 'a test')
      await clients.submit(eve, ['http://c.test/'])
      assert.deepEqual((await clients.call(eve.token, 'GET', '/abuse/own')).body, {
        isHeld: false,
        restrictions: [],
      })
    })

    test('an alarm cuts the day when the operator wants so', async () => {
      const clients = await openClients({
        engine,
        flags: { abuseEffect: 'cut', abuseCutDayMax: 15 },
      })
      const eve = await clients.client('eve')
      await clients.submit(
        eve,
        Array.from({ length: 12 }, (_, i) => `${ATTACK}&n=${i * 5}`),
      )
      await clients.submit(eve, ['http://c.test/', 'http://c.test/2'])
      const more = { urls: ['http://c.test/3', 'http://c.test/4'] }
      const said = await clients.call(eve.token, 'POST', '/batches', more)
      assertRefused(said, '429 MINGA_QUOTA_EXCEEDED', /14|15/)
      // Nothing of it was taken: one more still fits.
      await clients.submit(eve, ['http://c.test/3'])
    })

    test('the operator of the station is never held', async () => {
      const clients = await openClients({ engine, flags: { abuseEffect: 'hold' } })
      const urls = Array.from({ length: 20 }, (_, i) => `${ATTACK}&n=${i * 5}`)
      assert.equal((await clients.operator('POST', '/batches', { urls })).status, 200)
      assert.equal(
        (await clients.operator('POST', '/batches', { urls: ['http://c.test/'] })).status,
        200,
      )
      const [flag] = await clients.flags()
      assert.deepEqual(
        [flag?.client, flag?.severity, flag?.effect],
        ['operator', 'alarm', 'notify'],
      )
    })

    test('a denied host ends what is queued for everyone, and what is found later', async () => {
      const clients = await openClients({ engine })
      const { station } = clients
      const ana = await clients.client('ana', 10_000)
      const { id } = await clients.submit(ana, [
        'http://c.test/',
        'http://x.c.test/',
        'http://a.test/2',
      ])
      const crawl = await station.collect({ seeds: ['http://c.test/deep'], delayMs: 0 })
      const denial = { hosts: ['*.C.test'], action: 'deny', reason: 'asked by phone' }
      assert.deepEqual((await clients.operator('POST', '/abuse/hosts', denial)).body, {
        rules: ['*.c.test'],
      })
      const denied = 'denied MINGA_HOST_DENIED'
      assert.deepEqual(await clients.ends(ana, id), [denied, denied])
      const [status] = await station.store.call('collectionStatus', {
        id: crawl.id,
      })
      assert.deepEqual([status?.queued, status?.denied], [0, 1])
      const later = await clients.submit(ana, ['http://c.test/new'])
      assert.deepEqual(await clients.ends(ana, later.id), [denied])
      const asked = await clients.serve(ana, WEB, id)
      assert.deepEqual(
        asked.filter((url) => url.includes('c.test')),
        [],
      )
      const [rule] = (await clients.operator('GET', '/abuse/hosts')).body as Record<
        string,
        unknown
      >[]
      assert.deepEqual(
        [rule!['pattern'], rule!['reason'], rule!['madeBy']],
        ['*.c.test', 'asked by phone', 'operator'],
      )
    })

    test('operators reset the clock of a host, and no one else does', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana')
      const { id } = await clients.submit(ana, ['http://c.test/'])
      await clients.serve(ana, WEB, id)
      const reset = { host: 'http://C.test/page' }
      assert.equal((await clients.call(ana.token, 'POST', '/hosts/reset', reset)).status, 403)
      const { status, body } = await clients.operator('POST', '/hosts/reset', reset)
      const { host, backoffMs } = body as HostReset
      assert.deepEqual([status, host, backoffMs], [200, 'c.test', 0])
      const { events } = (await clients.operator('GET', '/event-log')).body as EventPage
      assert.equal(events.find(({ code }) => code === 'host:reset')?.subject, 'c.test')
    })

    test('an exception opens one host of a denied domain, and taking back opens all', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana')
      const decide = (hosts: string[], action: string) =>
        clients.operator('POST', '/abuse/hosts', { hosts, action, reason: 'r' })
      await decide(['*.c.test'], 'deny')
      await decide(['c.test'], 'allow')
      const first = await clients.submit(ana, ['http://c.test/', 'http://x.c.test/'])
      await clients.serve(ana, WEB, first.id)
      assert.deepEqual(await clients.ends(ana, first.id), [
        'captured 200',
        'denied MINGA_HOST_DENIED',
      ])
      await clients.operator('POST', '/abuse/hosts/forget', { hosts: ['*.c.test', 'c.test'] })
      const second = await clients.submit(ana, ['http://x.c.test/'])
      await clients.serve(ana, WEB, second.id)
      assert.deepEqual(await clients.ends(ana, second.id), ['captured 404'])
    })

    test('a category is denied as a whole, with exceptions, and again allowed', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana')
      const change = (body: object) =>
        clients.operator('PATCH', '/abuse/categories/gambling', { reason: 'policy', ...body })
      const outcome = async (host: string): Promise<string> => {
        const { id } = await clients.submit(ana, [`http://${host}/`])
        await clients.serve(ana, WEB, id)
        return (await clients.ends(ana, id))[0]!
      }
      const hosts = ['c.test', '*.dice.test']
      assert.deepEqual((await change({ isDenied: false, add: hosts })).body, {
        name: 'gambling',
        isDenied: false,
      })
      assert.equal(await outcome('c.test'), 'captured 200')
      await change({ isDenied: true })
      assert.equal(await outcome('c.test'), 'denied MINGA_HOST_DENIED')
      assert.equal(await outcome('www.dice.test'), 'denied MINGA_HOST_DENIED')
      const except = { hosts: ['c.test'], reason: 'a museum' }
      await clients.operator('POST', '/abuse/hosts', { ...except, action: 'allow' })
      assert.equal(await outcome('c.test'), 'captured 200')
      await change({ isDenied: true })
      assert.equal(await outcome('c.test'), 'captured 200')
      await clients.operator('POST', '/abuse/hosts/forget', { hosts: ['c.test'] })
      assert.equal(await outcome('c.test'), 'denied MINGA_HOST_DENIED')
      await change({ remove: ['c.test'] })
      assert.equal(await outcome('c.test'), 'captured 200')
      const listed = (await clients.operator('GET', '/abuse/categories')).body as Record<
        string,
        unknown
      >[]
      assert.deepEqual(
        listed.map(({ name, isDenied, hosts: count }) => [name, isDenied, count]),
        [['gambling', true, 1]],
      )
      await change({ isDenied: false })
      assert.equal(await outcome('www.dice.test'), 'captured 404')
    })

    test('no rotation to defeat blocks: what a site refused is not asked again for hours', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana')
      const refusing: Web = {}
      const statuses = [401, 403, 407, 451]
      for (const status of statuses) refusing[`http://r.test/${status}`] = { status }
      const urls = Object.keys(refusing)
      const first = await clients.submit(ana, urls, { maxAgeS: 0 })
      await clients.serve(ana, refusing, first.id)
      const expected = statuses.map((status) => `captured ${status}`)
      assert.deepEqual(await clients.ends(ana, first.id), expected)
      // Another client uses another method an hour later: no connection is made.
      await clients.station.clock.advance(3_600_000)
      const bob = await clients.client('bob')
      // Of a refusal that another client met, nothing but its status is shown.
      const unseen = statuses.map((status) => `failed MINGA_HTTP_${status}`)
      for (const [who, ends, fromCache] of [
        [ana, expected, 4],
        [bob, unseen, 0],
      ] as const) {
        const again = await clients.submit(who, urls, { maxAgeS: 0 })
        assert.deepEqual(await clients.ends(who, again.id), ends)
        assert.equal(again.fromCache, fromCache)
      }
      await clients.submit(ana, urls, { maxAgeS: 0 })
      const [flag] = await clients.flags()
      assert.deepEqual(
        [flag?.client, flag?.kind, flag?.evidence['reasked']],
        [ana.id, 'evasion', 8],
      )
      await clients.station.clock.advance(6 * 3_600_000)
      const later = await clients.submit(ana, urls, { maxAgeS: 0 })
      assert.equal(later.open, 4)
      const asked = await clients.serve(ana, {}, later.id)
      assert.equal(asked.filter((url) => url.startsWith('http://r.test/4')).length, 4)
    })

    test('no rotation to defeat blocks: a rate limit that stood to the end is not tried elsewhere', async () => {
      const clients = await openClients({ engine })
      const ana = await clients.client('ana', 10_000)
      const url = 'http://limit.test/'
      const first = await clients.submit(ana, [url], { maxAgeS: 0 })
      await clients.serve(ana, { [url]: { status: 429 } }, first.id)
      const again = await clients.submit(ana, [url], { maxAgeS: 0 })
      const failed = ['failed MINGA_HTTP_429']
      assert.deepEqual(await clients.ends(ana, first.id), failed)
      assert.deepEqual(await clients.ends(ana, again.id), failed)
      await clients.station.tick()
      assert.equal(await clients.balance(ana), 10_000)
    })
  })
}

test("flags and lists are the operator's, and a client sees nothing of others", async () => {
  const clients = await openClients()
  const ana = await clients.client('ana')
  for (const path of ['/abuse/flags', '/abuse/hosts', '/abuse/categories', '/abuse/webhook']) {
    const said = await clients.call(ana.token, 'GET', path)
    assertRefused(said, '403 MINGA_FORBIDDEN', /^Seeing flags and lists of hosts/)
  }
  const denial = { hosts: ['c.test'], action: 'deny', reason: 'r' }
  const said = await clients.call(ana.token, 'POST', '/abuse/hosts', denial)
  assertRefused(said, '403 MINGA_FORBIDDEN', /^Deciding about flags and hosts/)
})

test('what is no host, and a whole public suffix, is refused with a sentence', async () => {
  const clients = await openClients()
  const deny = (hosts: string[], more: object = {}) =>
    clients.operator('POST', '/abuse/hosts', { hosts, action: 'deny', reason: 'r', ...more })
  assertRefused(await deny(['http://c.test/x']), '400 MINGA_BAD_HOST', /is not a valid host name/)
  assertRefused(await deny(['*.co.uk']), '400 MINGA_BAD_HOST', /public suffix. To confirm this/)
  assert.equal((await deny(['*.xxx'], { wholeSuffix: true })).status, 200)
})

test('a method other than GET is refused, not ignored', async () => {
  const clients = await openClients()
  const ana = await clients.client('ana')
  const url = 'http://c.test/'
  for (const [path, body] of [
    ['/batches', { urls: [url] }],
    ['/requests', { url, timeoutS: 0 }],
  ] as const) {
    const said = await clients.call(ana.token, 'POST', path, { ...body, method: 'POST' })
    assertRefused(said, '400 MINGA_METHOD_REFUSED', /GET only, not with "POST"/)
  }
  await clients.submit(ana, [url], { method: 'GET' })
})

test("the operator's webhook gets each flag once, signed; a private address is refused", async (t) => {
  const clients = await openClients({
    allowPrivateAddresses: true,
    addressesOf: () => ['127.0.0.1'],
  })
  t.mock.method(process.stderr, 'write', () => true)
  const { url, heard } = await listener(() => 200)
  const put = await clients.operator('PUT', '/abuse/webhook', { url })
  assert.match((put.body as { secret: string }).secret, /^[0-9a-f]{64}$/)
  const ana = await clients.client('ana')
  await clients.submit(ana, [ATTACK])
  for (let i = 0; i < 3; i++) await clients.station.tick()
  while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const { event, flags } = JSON.parse(heard[0]!.body) as {
    event: string
    flags: { client: string }[]
  }
  assert.deepEqual(
    [event, flags.length, flags[0]?.client, heard.length],
    ['abuse.flags', 1, ana.id, 1],
  )
  assert.match(String(heard[0]!.headers['minga-signature']), /^t=\d+,v1=[0-9a-f]{64}$/)
  const closed = await openClients()
  const said = await closed.operator('PUT', '/abuse/webhook', { url: 'http://127.0.0.1/x' })
  assertRefused(said, '400 MINGA_BAD_WEBHOOK', /loopback/)
})

test('the live page shows that there is a flag, and not whose', async (t) => {
  const clients = await openClients()
  t.mock.method(process.stderr, 'write', () => true)
  const ana = await clients.client('ana')
  const response = await clients.station.app.inject({
    url: '/api/events',
    headers: { host: 'localhost' },
    payloadAsStream: true,
  })
  let heard = ''
  const stream = response.stream()
  stream.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  await clients.submit(ana, [ATTACK])
  await clients.station.tick()
  while (!heard.includes('event: abuse')) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.match(heard, /event: abuse\ndata: \{"open":1\}\n/)
  assert.ok(!heard.includes(ana.id))
  stream.destroy()
})
