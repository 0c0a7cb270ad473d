// Goal: only one station dials a host at any time, whichever station is cut off, paused, lost, back
// or promoted, and nothing is forgotten. Method: whole stations that call each other over HTTP,
// each on its own virtual time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promotionProof, type LeaseResponse, type CollectionStatus } from '@minga/protocol'
import { assertRefused, type TestStation } from '../../test/station-fixture.ts'
import {
  act,
  linkedWeb,
  statusOf,
  TestFederation,
  type Federated,
} from '../../test/federation/federation-fixture.ts'
import { packJson } from './calls/station-calls.ts'
import { GRACE_MS, LEASE_MS } from './timing.ts'

const statesIn = ({ stations }: Federated): string[] =>
  stations.map(({ name, state }) => `${name} ${state}`).toSorted()

test('a station that was invited joins, and both may dial as long as they renew', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const [ours, theirs] = [await statusOf(a), await statusOf(b)]
  assert.deepEqual([ours.role, theirs.role], ['registrar', 'member'])
  assert.deepEqual(statesIn(theirs), ['Lima active', 'Quito active'])
  assert.deepEqual([a.federation.mayDial(), b.federation.mayDial()], [true, true])
  assert.ok(theirs.leaseLeftMs > 0 && theirs.leaseLeftMs <= LEASE_MS)
  await federation.pass(30_000)
  assert.deepEqual([a.federation.mayDial(), b.federation.mayDial()], [true, true])
})

test('Entity tree, join/propagate: any station may be asked to join, and one round later the newcomer is in', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const c = await federation.open()
  const { token } = await act<{ token: string }>(a, 'invite')
  const joined = { name: 'Cusco', token, url: b.federation.url, capacity: 1 }
  await act(c, 'join', joined)
  await federation.pass(5_000)
  for (const station of [a, b, c]) {
    assert.deepEqual(statesIn(await statusOf(station)), [
      'Cusco active',
      'Lima active',
      'Quito active',
    ])
  }
  const again = await federation.open()
  const refused = await again.post('/federation/join', { ...joined, name: 'Puno' })
  assertRefused(refused, '401 MINGA_INVITE_REFUSED', /already used/)
})

test('a station that is inside our network is neither let in nor called, and does not move there', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const strict = await federation.open({ allowPrivateAddresses: false })
  await act(strict, 'found', { name: 'Cusco' })
  const { token, url } = await act<{ token: string; url: string }>(strict, 'invite')
  const alone = await federation.open()
  const refused = await alone.post('/federation/join', { name: 'Puno', token, url })
  assertRefused(
    refused,
    '400 MINGA_BAD_STATION_URL',
    /may not be called: .*--allow-private-addresses/,
  )
  // A member says that it has moved to an address that must never be called.
  b.federation.listens('https://169.254.169.254')
  await federation.pass(5_000)
  const { stations } = await statusOf(a)
  assert.notEqual(stations.find(({ name }) => name === 'Quito')!.url, 'https://169.254.169.254')
})

test('what operators do about a federation stands in the audit log of their station', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await act(a, 'mode', { mode: 'hold' })
  const [ofA, ofB] = await Promise.all(
    [a, b].map(async ({ store }) => {
      const all = await store.call('readAudit', { after: 0, limit: 1_000 })
      const acts = all.filter((entry) => entry.act.startsWith('federation:'))
      return acts.map((entry) => `${entry.actor ?? 'station'} ${entry.act}`)
    }),
  )
  assert.deepEqual(ofA, [
    'operator federation:founded',
    'operator federation:invited',
    'station federation:admitted',
    'operator federation:changed',
  ])
  assert.deepEqual(ofB, ['operator federation:joined'])
})

test('two stations gather a web together, each page once, and both hear when it is over', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const web = linkedWeb(8, 4)
  await a.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
  const done = await federation.workOut(web)
  assert.deepEqual([...done.values()].flat().toSorted(), Object.keys(web).toSorted())
  assert.ok(done.get(a)!.length > 0 && done.get(b)!.length > 0)
  await federation.pass(10_000)
  assert.deepEqual([await stateOf(a), await stateOf(b)], [['finished'], ['finished']])
})

test("a station's settings limit what it fetches of another's collection, and how fast", async () => {
  for (const [flags, reason] of [
    [{ foreignDelayMs: 3_000, foreignPagesMax: 2 }, 'max-pages'],
    [{ foreignDelayMs: 3_000, foreignBytesMax: 30 }, 'max-bytes'],
  ] as const) {
    const federation = new TestFederation()
    const [a] = (await federation.found(['Lima'])) as [TestStation]
    const b = await federation.open({ flags })
    await federation.join(b, { name: 'Quito', at: a })
    await federation.pass(5_000)
    await a.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
    await federation.workOut(linkedWeb(8, 4))
    const read = ({ store }: TestStation): Promise<CollectionStatus[]> =>
      store.call('collectionStatus', { id: null })
    const [[ours], [theirs]] = [await read(a), await read(b)]
    assert.deepEqual([ours!.spec.delayMs, theirs!.spec.delayMs], [0, 3_000])
    assert.equal(theirs!.reason, reason)
    assert.notEqual(ours!.reason, reason)
  }
})

async function stateOf({ store }: TestStation): Promise<string[]> {
  const statuses = await store.call('collectionStatus', { id: null })
  return statuses.map(({ state }) => state)
}

async function ask(station: TestStation): Promise<LeaseResponse> {
  return (await station.agent('ask', { requestsMax: 100, hostsMax: 10 })).body as LeaseResponse
}

test('a station that cannot renew gives out no block, and ends what is out before it answers a beat', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await b.hello()
  await b.collect({ seeds: ['http://one.test/', 'http://two.test/'], scope: 'host', delayMs: 0 })
  await federation.pass(5_000)
  const worker = (await statusOf(b)).owned > 0 ? b : a
  await worker.hello()
  const { block } = await ask(worker)
  assert.ok(block)
  // Nothing is renewed in the meantime, as when the process was suspended or no station answered.
  await worker.clock.advance(LEASE_MS)
  assert.equal(worker.federation.mayDial(), false)
  assert.deepEqual(await ask(worker), { block: null, waitMs: 2_000, seenAddress: '127.0.0.1' })
  const beat = { progress: 1, fences: [block.fence] }
  assert.deepEqual((await worker.agent('beat', beat)).body, { ended: [block.fence] })
  await federation.pass(1_000)
  assert.equal(worker.federation.mayDial(), true)
})

test('a block that was leased just before the right to dial lapsed is not sent', async (t) => {
  const federation = new TestFederation()
  const [a] = (await federation.found(['Lima'])) as [TestStation]
  await a.hello()
  await a.collect({ seeds: ['http://one.test/'], scope: 'host', delayMs: 0 })
  await federation.pass(3_000)
  const call = a.store.call.bind(a.store)
  t.mock.method(a.store, 'call', async (...[name, args]: Parameters<typeof call>) => {
    const answer = await call(name, args)
    if (name === 'leaseToDevice') await a.clock.advance(LEASE_MS)
    return answer
  })
  assert.deepEqual(await ask(a), { block: null, waitMs: 2_000, seenAddress: '127.0.0.1' })
  t.mock.restoreAll()
  await federation.pass(3_000)
  assert.equal(a.federation.mayDial(), true)
  // The delay of its host must pass first: an agent may have received the block after all.
  await federation.pass(15_000)
  await a.hello()
  assert.ok((await ask(a)).block)
})

test('a station is lost when none of its agents can dial any more, not a moment before', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await federation.kill(b)
  await federation.pass(LEASE_MS + GRACE_MS - 2_500)
  assert.deepEqual(statesIn(await statusOf(a)), ['Lima active', 'Quito active'])
  await federation.pass(5_000)
  assert.deepEqual(statesIn(await statusOf(a)), ['Lima active', 'Quito lost'])
})

test('what a lost station had to fetch is fetched by the others, and it does nothing of it when it is back', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const web = linkedWeb(6, 3)
  await a.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
  const before = [...(await federation.work(a, web)), ...(await federation.work(b, web))]
  await federation.pass(3_000)
  await federation.kill(b)
  await federation.pass(LEASE_MS + GRACE_MS + 5_000)
  const done = await federation.workOut(web)
  assert.deepEqual(done.get(b), undefined)
  const pages = [...before, ...done.get(a)!].filter((url) => !url.endsWith('robots.txt'))
  assert.deepEqual(pages.toSorted(), Object.keys(web).toSorted())
  await federation.wake(b)
  assert.equal(b.federation.mayDial(), false)
  await federation.pass(6_000)
  assert.deepEqual(statesIn(await statusOf(a)), ['Lima active', 'Quito active'])
  assert.equal(b.federation.mayDial(), true)
  assert.deepEqual(await federation.work(b, web), [])
})

test('Representatives, failover: another station is promoted and URLs go on flowing, the former one follows when it is back', async () => {
  const federation = new TestFederation()
  const names = ['Lima', 'Quito', 'Cusco']
  const [a, b, c] = (await federation.found(names)) as [TestStation, TestStation, TestStation]
  const web = linkedWeb(9, 3)
  await b.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
  const before = await federation.work(b, web)
  await federation.pass(3_000)
  assertRefused(
    await b.post('/federation/promote', {}),
    '409 MINGA_REGISTRAR_ANSWERS',
    /^The registrar Lima answers, and only a lost one can be replaced/,
  )
  await federation.kill(a)
  await federation.pass(LEASE_MS + 1_000)
  assert.deepEqual([b.federation.mayDial(), c.federation.mayDial()], [false, false])
  const promoted = await act<Federated>(b, 'promote')
  assert.deepEqual([promoted.role, promoted.term], ['registrar', 2])
  await federation.pass(LEASE_MS + 6_000)
  const waiting = await statusOf(c)
  assert.deepEqual([waiting.term, waiting.mayDial, waiting.promotion?.name], [1, false, 'Quito'])
  await act(c, 'confirm', { station: 'Quito' })
  await federation.pass(LEASE_MS + GRACE_MS + 6_000)
  assert.deepEqual(statesIn(await statusOf(c)), ['Cusco active', 'Lima lost', 'Quito active'])
  assert.equal((await statusOf(c)).term, 2)
  const done = await federation.workOut(web)
  assert.ok(done.get(b)!.length > 0 && done.get(c)!.length > 0)
  const pages = [...before, ...done.get(b)!, ...done.get(c)!]
  const missing = Object.keys(web).filter((url) => !pages.includes(url))
  assert.deepEqual(missing, [])
  await federation.wake(a)
  await federation.pass(12_000)
  const former = await statusOf(a)
  assert.deepEqual([former.mayDial, former.promotion?.name], [false, 'Quito'])
  await act(a, 'confirm', { station: former.promotion!.registrar })
  await federation.pass(12_000)
  const back = await statusOf(a)
  assert.deepEqual([back.role, back.term, back.mayDial], ['member', 2, true])
  assert.deepEqual(statesIn(await statusOf(b)), ['Cusco active', 'Lima active', 'Quito active'])
})

test('a member makes neither another nor itself the registrar, whatever it says and signs', async () => {
  const federation = new TestFederation()
  const names = ['Lima', 'Quito', 'Cusco']
  const [a, b, c] = (await federation.found(names)) as [TestStation, TestStation, TestStation]
  const idOf = (station: TestStation): string => station.federation.requireView().self
  const [lima, quito, cusco] = [idOf(a), idOf(b), idOf(c)]
  const identity = await c.federation.identify()
  const signed = (registrar: string, term: number) => ({
    registrar,
    term,
    signature: identity.sign(promotionProof({ registrar, term })),
  })
  const tell = (to: string, message: object): Promise<Buffer> =>
    c.federation.calls.post(to, '/federation/promoted', packJson(message))
  for (const message of [
    { registrar: quito, term: 2 },
    { registrar: cusco, term: 2 },
    // Sent by another station than the one it names; of another term; of no station; of the present
    // term.
    signed(quito, 2),
    { ...signed(cusco, 2), term: 3 },
    signed('st_nobody', 2),
    signed(cusco, 0),
  ]) {
    for (const station of [lima, quito]) await tell(station, message)
  }
  assert.deepEqual([(await statusOf(a)).promotion, (await statusOf(b)).promotion], [null, null])
  // It did declare itself the registrar while the real one answers everyone: no station follows,
  // and nothing stops.
  for (const station of [lima, quito]) await tell(station, signed(cusco, 2))
  await federation.pass(15_000)
  for (const station of [a, b]) {
    const { registrar, promotion, mayDial } = await statusOf(station)
    const named = { registrar: cusco, name: 'Cusco', term: 2 }
    assert.deepEqual([registrar, promotion, mayDial], [lima, named, true])
  }
  // A registrar that starts again waits for its operator, and continues when that one rejects it.
  a.federation.closeRegistrar()
  await federation.pass(LEASE_MS + 3_000)
  assert.equal(a.federation.mayDial(), false)
  for (const station of [a, b]) await act(station, 'reject', { station: 'Cusco' })
  await tell(lima, signed(cusco, 3))
  await federation.pass(5_000)
  assert.deepEqual([a.federation.mayDial(), b.federation.mayDial()], [true, true])
  const unknown = await a.post('/federation/confirm', { station: 'Cusco' })
  assertRefused(unknown, '404 MINGA_NO_PROMOTION', /is waiting for a decision/)
})

test('a registrar that knew of no promotion when it started learns of it as soon as the promoted one answers', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await federation.kill(b)
  const { self } = b.federation.requireView()
  await b.store.call('promoteStation', { self, now: b.clock.now() })
  await b.federation.refresh()
  a.federation.closeRegistrar()
  await federation.pass(LEASE_MS)
  assert.equal(a.federation.mayDial(), true, 'no station has said otherwise')
  await federation.answerAgain(b)
  await federation.pass(LEASE_MS + 12_000)
  const { promotion, mayDial } = await statusOf(a)
  assert.deepEqual([promotion?.name, mayDial], ['Quito', false])
})

test('a registrar that starts again gives everyone their whole time', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  a.federation.closeRegistrar()
  await federation.kill(b)
  await federation.pass(LEASE_MS + GRACE_MS - 2_000)
  a.federation.closeRegistrar()
  await federation.pass(5_000)
  assert.deepEqual(statesIn(await statusOf(a)), ['Lima active', 'Quito active'])
})

test('a station leaves when others have everything it had, and collects alone', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const web = linkedWeb(6, 3)
  await a.collect({ seeds: ['http://site0.test/0'], scope: 'any', delayMs: 0 })
  const before = [...(await federation.work(a, web)), ...(await federation.work(b, web))]
  assertRefused(
    await a.post('/federation/leave', {}),
    '409 MINGA_REGISTRAR_ANSWERS',
    /cannot leave while the federation has other members/,
  )
  await act(b, 'leave')
  await federation.pass(40_000)
  assert.deepEqual(await statusOf(b), { isFederated: false, url: b.federation.url })
  assert.deepEqual(statesIn(await statusOf(a)), ['Lima active', 'Quito left'])
  federation.asleep.add(b)
  const done = await federation.workOut(web)
  const pages = [...before, ...done.get(a)!].filter((url) => !url.endsWith('robots.txt'))
  assert.deepEqual([...new Set(pages)].toSorted(), Object.keys(web).toSorted())
  await act(a, 'leave')
  assert.deepEqual(await statusOf(a), { isFederated: false, url: a.federation.url })
})

test('a station that joins gets its share of the hosts, and no more than twice that moves', async () => {
  const federation = new TestFederation()
  const [a] = (await federation.found(['Lima'])) as [TestStation]
  const seeds = Array.from({ length: 40 }, (_, i) => `http://many${i}.test/`)
  await a.collect({ seeds, scope: 'host', delayMs: 0 })
  await federation.pass(5_000)
  assert.equal((await statusOf(a)).owned, 40)
  const b = await federation.open()
  await federation.join(b, { name: 'Quito', at: a })
  await federation.pass(120_000)
  const [ours, theirs] = [await statusOf(a), await statusOf(b)]
  assert.equal(ours.owned + theirs.owned, 40)
  assert.ok(theirs.owned >= 16 && theirs.owned <= 24, `${theirs.owned} of 40`)
})

test('what an operator cannot do is said with what to do instead', async () => {
  const federation = new TestFederation()
  const alone = await federation.open()
  assertRefused(
    await alone.post('/federation/invite', {}),
    '409 MINGA_NOT_FEDERATED',
    /Found or join one/,
  )
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  assertRefused(
    await b.post('/federation/found', {}),
    '409 MINGA_FEDERATED_ALREADY',
    /Leave it first/,
  )
  assertRefused(
    await b.post('/federation/invite', {}),
    '503 MINGA_NOT_REGISTRAR',
    /is not the registrar/,
  )
  const url = a.federation.url!
  assertRefused(
    await alone.post('/federation/join', { url, token: 'made up' }),
    '401 MINGA_INVITE_REFUSED',
    /unknown, already used, or older than a day/,
  )
  assertRefused(
    await alone.post('/federation/join', { url: 'http://lima.example', token: 'x' }),
    '400 MINGA_BAD_STATION_URL',
    /over https/,
  )
})

test('of two stations that were promoted at the same moment one yields, and all have its map', async () => {
  const federation = new TestFederation()
  const names = ['Lima', 'Quito', 'Cusco']
  const [a, b, c] = (await federation.found(names)) as [TestStation, TestStation, TestStation]
  await b.collect({ seeds: ['http://one.test/', 'http://two.test/'], scope: 'host', delayMs: 0 })
  await federation.pass(5_000)
  await federation.kill(a)
  // Neither knows of the other yet.
  const now = b.clock.now()
  for (const station of [b, c]) {
    const { self } = station.federation.requireView()
    await station.store.call('promoteStation', { self, now })
    await station.federation.refresh()
  }
  await federation.pass(15_000)
  const waiting = [b, c].filter((station) => !station.federation.mayDial())
  assert.equal(waiting.length, 1, 'the one of the lesser id gives out no more rights')
  const { promotion } = await statusOf(waiting[0]!)
  await act(waiting[0]!, 'confirm', { station: promotion!.name })
  await federation.pass(LEASE_MS + GRACE_MS + 15_000)
  const [one, other] = [await statusOf(b), await statusOf(c)]
  assert.equal(one.registrar, other.registrar)
  assert.deepEqual([one.term, other.term], [2, 2])
  assert.deepEqual([one.role, other.role].toSorted(), ['member', 'registrar'])
  assert.deepEqual([one.mayDial, other.mayDial], [true, true])
  assert.equal(one.epoch, other.epoch)
  const owners = async ({ store }: TestStation): Promise<string[]> => {
    const { rows } = await store.call('mapSince', { epoch: 0 })
    return rows.map(({ host, station }) => `${host} ${station}`)
  }
  const map = await owners(b)
  assert.equal(map.length, 2)
  assert.deepEqual(await owners(c), map)
})
