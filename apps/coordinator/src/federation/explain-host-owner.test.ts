// Goal: anyone can find out which station a host belongs to, since when and why, and a request that
// ended because of that says so. Method: whole stations that call each other over HTTP on virtual
// time; the registrar's operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BatchView, HostOwner, OwnerFacts, ResultLine } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { assertRefused, openStation, type TestStation } from '../../test/station-fixture.ts'
import { act, TestFederation } from '../../test/federation/federation-fixture.ts'
import { openRegistry, SELF } from '../../test/federation/registrar/registrar-fixture.ts'
import { GRACE_MS, LEASE_MS } from './timing.ts'

const KEY = { authorization: 'Bearer the key of writers' }

async function whose(station: TestStation, host: string): Promise<HostOwner> {
  const url = `/api/federation/host?host=${encodeURIComponent(host)}`
  const { status, body } = await station.inject({ url, headers: KEY })
  assert.equal(status, 200, JSON.stringify(body))
  return body as HostOwner
}

test('a station that collects alone says so, and what is no host is refused', async () => {
  const station = await openStation()
  const owner = await whose(station, 'https://Example.test/a?b')
  assert.deepEqual([owner.host, owner.rule, owner.isHere], ['example.test', 'alone', true])
  assert.equal(owner.sentence, 'This station collects alone, so example.test is its own.')
  const said = await station.inject({ url: '/api/federation/host?host=%20', headers: KEY })
  assertRefused(said, '400 MINGA_BAD_HOST', /is not a valid host name/)
})

test('a host without an owner is assigned by the hash of its name, or is held, and every station says the same', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  const [ours, theirs] = [await whose(a, 'new.test'), await whose(b, 'new.test')]
  assert.deepEqual([ours.rule, ours.epoch], ['hash', null])
  assert.deepEqual(ours.owner, theirs.owner)
  assert.match(
    ours.sentence,
    /^new\.test has no owner yet; by the hash of its name, .* asks the reg/,
  )
  await act(a, 'mode', { mode: 'hold' })
  await federation.pass(3_000)
  const held = await whose(b, 'new.test')
  assert.deepEqual([held.rule, held.owner], ['held', null])
})

test('a host that was claimed is listed with its station, its branch and its epoch, by others from their own map when the registrar is away', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await act(b, 'branch', { branch: 'ec/quito' })
  await b.collect({ seeds: ['http://site.test:8080/'], scope: 'host', delayMs: 0 })
  await federation.pass(5_000)
  const told = await whose(b, 'site.test:8080')
  assert.deepEqual([told.rule, told.knownBy], ['placed', 'registrar'])
  assert.ok(told.epoch! > 0)
  const ours = await whose(a, 'site.test:8080')
  assert.deepEqual([ours.owner, ours.isHere], [told.owner, !told.isHere])
  const isQuito = told.owner!.name === 'Quito'
  assert.deepEqual(told.branches, isQuito ? ['ec', 'ec/quito'] : [])
  await federation.kill(a)
  const alone = await whose(b, 'site.test:8080')
  assert.deepEqual([alone.owner, alone.rule, alone.knownBy], [told.owner, 'map', 'own-map'])
  assert.match(alone.sentence, /The registrar does not answer; this is what was known here last\.$/)
})

test('the filter of the station that is asked stands above the map, and the owner is named all the same', async () => {
  const filter = { otherwise: 'allow', rules: [{ effect: 'deny', domains: ['ads.test'] }] }
  const station = await openStation()
  const patched = await station.inject({
    method: 'PATCH',
    url: '/api/settings',
    headers: KEY,
    payload: { filter },
  })
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  const owner = await whose(station, 'x.ads.test')
  assert.equal(owner.isUnwanted, true)
  assert.match(owner.sentence, /The filter of this station does not want it/)
  assert.equal((await whose(station, 'other.test')).isUnwanted, false)
})

test('a request for a host of another station ends with a sentence that names the station', async () => {
  const federation = new TestFederation()
  const [a, b] = (await federation.found(['Lima', 'Quito'])) as [TestStation, TestStation]
  await a.collect({ seeds: SITES.map((host) => `http://${host}/`), scope: 'host', delayMs: 0 })
  await federation.pass(6_000)
  const owners = await Promise.all(SITES.map((host) => whose(a, host)))
  const { host, owner } = owners.find(({ isHere }) => isHere)!
  const { body } = await b.post('/batches', { urls: [`http://${host}/page`] })
  // It ends when an agent's lease meets it.
  await federation.work(b, {})
  const response = await b.app.inject({
    url: `/api/batches/${(body as BatchView).id}/results`,
    headers: { host: 'localhost', ...KEY },
  })
  const line = JSON.parse(response.body) as ResultLine
  assert.deepEqual([line.outcome, line.code], ['denied', 'MINGA_HOST_ELSEWHERE'])
  assert.equal(
    line.message,
    `The host ${host} belongs to the station Lima (${owner!.url}), and this request cannot move there; ask that station.`,
  )
})

const SITES = ['one.test', 'two.test', 'three.test', 'four.test', 'five.test', 'six.test']

for (const engine of ENGINES) {
  describe(`the rule of an owner on ${engine.name}`, { skip: engine.skip }, () => {
    test('is the claim, the plan or the loss of the epoch in which the host last changed', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim(SELF, [{ host: 'x', address: '1.1.1.1' }, { host: 'y' }])
      const ask = async (host: string): Promise<OwnerFacts> =>
        (await registry.store.call('hostOwner', { host }))!
      const claimed = await ask('x')
      assert.deepEqual([claimed.rule, claimed.address], ['placed', '1.1.1.1'])
      const from = claimed.station!
      const to = from === SELF ? 'st_b' : SELF
      const moves = [{ host: 'x', address: '1.1.1.1', from, to }]
      assert.equal(await registry.store.call('moveHosts', { moves, now: registry.now }), 1)
      const planned = await ask('x')
      assert.deepEqual([planned.rule, planned.station, planned.awaits], ['plan', to, from])
      assert.ok(planned.epoch! > claimed.epoch!)
      assert.equal((await ask('y')).rule, 'placed')
      registry.now += LEASE_MS + GRACE_MS
      assert.equal(await registry.lose('st_b'), true)
      await registry.reassign('st_b')
      const { rule, station } = await ask('x')
      assert.deepEqual([rule, station], ['handed-on', SELF])
      // A promoted registrar does not know the reasons of earlier changes of the map.
      await registry.store.call('promoteStation', { self: SELF, now: registry.now })
      assert.equal((await ask('x')).rule, 'map')
      await registry.claim(SELF, [{ host: 'z' }])
      assert.equal((await ask('z')).rule, 'placed')
    })
  })
}
