// Goal: a client who means harm gets clear refusals, and no volunteer's machine is turned against
// its own network, a site or the budget of others. Method: whole stations called as a client would,
// judged by what the device is asked to dial. Spellings of addresses one by one are in
// packages/net/src/guard/address-guard.test.ts, webhooks in ../requests/webhooks.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type Web } from '../../../test/station-fixture.ts'
import {
  openClients,
  type Client,
  type TestClients,
} from '../../../test/clients/abuse/clients-fixture.ts'

const PUBLIC = '93.184.216.34'

/** Every form by which a URL can name the inside of a network, or carry what it must not. */
const INSIDE = {
  decimal: 'http://2130706433/',
  octal: 'http://0177.0.0.01/',
  hex: 'http://0x7f000001/',
  mixed: 'http://0x7f.0.1/',
  short: 'http://127.1/',
  zero: 'http://0/',
  'full-width': 'http://１２７.０.０.１/',
  encoded: 'http://%31%32%37.0.0.1/',
  'root dot': 'http://127.0.0.1./',
  loopback6: 'http://[::1]/',
  mapped: 'http://[::ffff:10.0.0.1]/',
  'mapped hex': 'http://[::ffff:a00:1]/',
  nat64: 'http://[64:ff9b::a00:1]/',
  '6to4': 'http://[2002:a00:1::]/',
  'unique local': 'http://[fd00::1]/',
  'link local': 'http://[fe80::1]/',
  metadata: 'http://169.254.169.254/latest/meta-data/',
  cgnat: 'http://100.64.0.1/',
  multicast: 'http://224.0.0.1/',
  name: 'http://printer.local/',
  'inside name': 'http://metadata.google.internal/',
  port: 'http://a.test:6379/',
  credentials: 'http://user:secret@a.test/',
  scheme: 'gopher://a.test/',
}

/** What the device would dial for this batch, until nothing is open. */
async function dialled(clients: TestClients, client: Client, id: string): Promise<string[]> {
  const addresses: string[] = []
  await clients.station.hello()
  for (let rounds = 0; rounds < 50; rounds++) {
    const { body } = await clients.call(client.token, 'GET', `/batches/${id}`)
    if ((body as { open: number }).open === 0) return addresses
    const block = await clients.station.lease().catch(() => null)
    if (block === null) continue
    addresses.push(...block.hosts.map(({ address }) => address))
    await clients.station.send(clients.station.fetch(block, {}))
  }
  throw new Error('the batch does not end')
}

test('every spelling of the inside of a network is denied, as a request, a seed, a link and a redirect', async () => {
  const clients = await openClients()
  const mia = await clients.client('mia')
  const urls = Object.values(INSIDE)
  const batch = await clients.submit(mia, urls)
  assert.equal(batch.open, 0)
  for (const [i, end] of (await clients.ends(mia, batch.id)).entries()) {
    assert.match(end, /^denied MINGA_(ADDRESS_REFUSED|BAD_URL)$/, Object.keys(INSIDE)[i])
  }
  const web: Web = {
    'http://t.test/': { body: urls.map((url) => `<a href="${url}">x</a>`).join('') },
  }
  const tricks = urls.map((_, i) => `http://t.test/r${i}`)
  for (const [i, url] of urls.entries())
    web[tricks[i]!] = { status: 302, headers: [['Location', url]] }
  const redirected = await clients.submit(mia, tricks)
  const requested = await clients.serve(mia, web, redirected.id)
  for (const [i, end] of (await clients.ends(mia, redirected.id)).entries()) {
    // What is no http address is no redirect either: the 3xx itself is the answer.
    assert.match(end, /^denied MINGA_ADDRESS_REFUSED$|^captured 302$/, urls[i])
  }
  await clients.station.crawl({ seeds: ['http://t.test/', 'http://127.0.0.1/'], scope: 'any' }, web)
  const captured = (await clients.station.captures()).map(({ url }) => url)
  for (const url of [...requested, ...captured]) assert.equal(new URL(url).host, 't.test')
})

test('a name that is public when it is asked for and private later is dialled only while it is public', async () => {
  let addresses = [PUBLIC]
  const clients = await openClients({ addressesOf: () => addresses })
  const mia = await clients.client('mia')
  const first = await clients.submit(mia, ['http://rebind.test/1'])
  assert.deepEqual(new Set(await dialled(clients, mia, first.id)), new Set([PUBLIC]))
  for (const [i, inside] of [
    ['127.0.0.1'],
    [PUBLIC, '10.0.0.1'],
    ['::ffff:192.168.0.1'],
    ['64:ff9b::a00:1'],
  ].entries()) {
    addresses = inside
    // Longer than any answer of the name server is believed.
    await clients.station.clock.advance(600_000)
    const { id } = await clients.submit(mia, [`http://rebind.test/${i + 2}`])
    assert.deepEqual(await dialled(clients, mia, id), [])
    assert.deepEqual(await clients.ends(mia, id), ['denied MINGA_ADDRESS_REFUSED'])
  }
})

test('a lease names the address that was checked, whatever the name says in the meantime', async () => {
  let addresses = [PUBLIC]
  const clients = await openClients({ addressesOf: () => addresses })
  const mia = await clients.client('mia')
  await clients.submit(mia, ['http://rebind.test/1'])
  await clients.station.hello()
  const block = await clients.station.lease()
  addresses = ['127.0.0.1']
  assert.deepEqual(
    block.hosts.map(({ address }) => address),
    [PUBLIC],
  )
})

test('no header can be smuggled into a request, raw or encoded', async () => {
  const clients = await openClients()
  const mia = await clients.client('mia')
  const raw = [
    'http://h.test/a\r\nHost: evil',
    'http://h.test/\nX: 1',
    'http://h.test/?a=\r\nCookie: b',
    ' http://h.test/\t b\r',
  ]
  const encoded = [
    'http://h.test/%0d%0aHost:evil',
    'http://h.test/?a=%0d%0aSet-Cookie:%20b',
    'http://h.test/?a=%250d%250aX-A:b',
    'http://h.test/?a=%E5%98%8D%E5%98%8ALocation:x',
  ]
  const hosts = ['http://h.test\r\nX: 1/', 'http://h.test%0d%0a/', 'http://h.te st/']
  const { id } = await clients.submit(mia, [...raw, ...encoded, ...hosts])
  const requested = await clients.serve(mia, {}, id)
  const ends = await clients.ends(mia, id)
  assert.deepEqual(ends.slice(4, 8), Array(4).fill('denied MINGA_ABUSE_INJECTION'))
  for (const end of ends.slice(9)) assert.equal(end, 'denied MINGA_BAD_URL')
  for (const url of requested) assert.match(url, /^http:\/\/h\.test[\x21-\x7E]*$/)
})

test('oversized addresses and batches are refused before they cost anything', async () => {
  const clients = await openClients()
  const mia = await clients.client('mia', 5_000)
  const long = await clients.submit(mia, [`http://l.test/${'a'.repeat(9_000)}`])
  assert.deepEqual(await clients.ends(mia, long.id), ['denied MINGA_BAD_URL'])
  const send = (body: object) => clients.call(mia.token, 'POST', '/batches', body)
  assertRefused(
    await send({ urls: [`http://l.test/${'a'.repeat(70_000)}`] }),
    '400 MINGA_BAD_MESSAGE',
    /urls\.0/,
  )
  assertRefused(
    await send({ urls: Array(100_001).fill('http://l.test/') }),
    '400 MINGA_BAD_MESSAGE',
    /urls/,
  )
  assertRefused(await send({ urls: 'http://l.test/' }), '400 MINGA_BAD_MESSAGE', /urls/)
  assertRefused(
    await send({ urls: ['http://l.test/'], idempotencyKey: 'k'.repeat(201) }),
    '400 MINGA_BAD_MESSAGE',
    /idempotencyKey/,
  )
  await clients.station.tick()
  assert.equal(await clients.balance(mia), 5_000)
})

test('two thousand addresses made to be slow are judged within seconds', async () => {
  const clients = await openClients()
  const mia = await clients.client('mia')
  const slow = ['{{', "' or ", '<script', '%0d%0a', '(%20', '../'].map((part) =>
    part.repeat(Math.floor(2_500 / part.length)),
  )
  const urls = Array.from(
    { length: 2_000 },
    (_, i) => `http://s.test/?n=${i * 3}&a=${slow[i % slow.length]}`,
  )
  const started = performance.now()
  await clients.submit(mia, urls)
  assert.ok(performance.now() - started < 30_000)
})

for (const engine of ENGINES) {
  describe(`clients who race on ${engine.name}`, { skip: engine.skip }, () => {
    const RACERS = 100

    async function race(clients: TestClients, client: Client): Promise<Map<string, number>> {
      const calls = Array.from({ length: RACERS }, (_, i) =>
        clients.call(client.token, 'POST', '/batches', { urls: [`http://race.test/${i * 3}`] }),
      )
      const counts = new Map<string, number>()
      for (const { status, body } of await Promise.all(calls)) {
        const code = (body as { error?: { code: string } }).error?.code ?? `${status}`
        counts.set(code, (counts.get(code) ?? 0) + 1)
      }
      return counts
    }

    test('a hundred submissions against a budget for ten: exactly ten are taken', async () => {
      const clients = await openClients({ engine })
      const mia = await clients.client('mia', 10_000)
      const counts = await race(clients, mia)
      assert.deepEqual([counts.get('200'), counts.get('MINGA_NO_BUDGET')], [10, 90])
      assert.equal(await clients.balance(mia), 0)
      const { body } = await clients.operator('GET', '/ledger/check')
      const { entriesMicros, balancesMicros } = body as Record<string, number>
      assert.deepEqual([entriesMicros, balancesMicros], [0, 0])
    })

    test('a hundred submissions against a quota of ten a day: exactly ten are taken', async () => {
      const clients = await openClients({ engine, flags: { dayRequestsMax: 10 } })
      const counts = await race(clients, await clients.client('mia'))
      assert.deepEqual([counts.get('200'), counts.get('MINGA_QUOTA_EXCEEDED')], [10, 90])
    })

    test('a hundred attacks at once hold their client, and none slips through uncounted', async () => {
      const clients = await openClients({ engine, flags: { abuseEffect: 'hold' } })
      const mia = await clients.client('mia')
      const calls = Array.from({ length: RACERS }, (_, i) =>
        clients.call(mia.token, 'POST', '/batches', { urls: [`http://race.test/?id=${i * 3}'`] }),
      )
      const taken = (await Promise.all(calls)).filter(({ status }) => status === 200).length
      const flags = await clients.flags(`?client=${mia.id}`)
      const [flag, ...others] = flags.filter(({ kind }) => kind === 'injection')
      assert.equal(others.length, 0)
      assert.deepEqual([flag?.effect, flag?.evidence['injections']], ['hold', taken])
      const said = await clients.call(mia.token, 'POST', '/batches', {
        urls: ['http://race.test/'],
      })
      assertRefused(said, '403 MINGA_CLIENT_HELD', /held/)
    })
  })
}
