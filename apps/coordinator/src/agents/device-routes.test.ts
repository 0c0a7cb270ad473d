// Goal: what an owner may see and do with devices that are at work, and what a volunteer may never
// learn. Method: a whole station on virtual time, people with accounts, devices with real keys.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeviceView, RequestItem } from '@minga/fleet'
import type { LeaseResponse, BatchView, Block } from '@minga/protocol'
import type { InjectOptions } from 'fastify'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { People } from '../../test/accounts/people-fixture.ts'
import {
  assertRefused,
  openStation,
  TOKENS,
  uploadOf,
  type Said,
} from '../../test/station-fixture.ts'
import { TestDevice } from '../../test/agents/device-fixture.ts'
import type { SeenDevice } from './seen-devices.ts'

const OPERATOR = TOKENS.apiKey

/** A volunteer with a device that was invited and is connected. */
async function volunteerOf(people: People, name: string) {
  const { station } = people
  const person = await people.person(name, 'volunteer')
  const { token } = await people.ok<{ token: string }>(person.token, 'POST', '/join-tokens')
  const device = new TestDevice(station)
  await device.enrol(token, `${name}'s laptop`)
  await device.hello(`boot-of-${name}`)
  return { ...person, device }
}

for (const engine of ENGINES) {
  describe(`Devices of owners on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine })
    const people = new People(station)
    const ana = await volunteerOf(people, 'ana')
    const ben = await volunteerOf(people, 'ben')

    test('Multi-device ownership: owners see and change their own devices only', async () => {
      const devicesOf = (token: string): Promise<DeviceView[]> =>
        people.ok(token, 'GET', '/devices')
      assert.deepEqual(
        (await devicesOf(ana.token)).map(({ id, name }) => [id, name]),
        [[ana.device.id, "ana's laptop"]],
      )
      assert.equal((await devicesOf(OPERATOR)).length, 2)
      const path = `/devices/${ana.device.id}`
      for (const call of ['/pause', '/resume', '/revoke']) {
        assert.equal(
          await people.outcome(ben.token, 'POST', path + call),
          '404 MINGA_NO_SUCH_DEVICE',
        )
      }
      assert.equal(await people.outcome(ben.token, 'DELETE', path), '404 MINGA_NO_SUCH_DEVICE')
      const log = await people.outcome(ben.token, 'GET', `${path}/requests`)
      assert.equal(log, '404 MINGA_NO_SUCH_DEVICE')
      assert.match(await people.outcome(null, 'GET', '/devices'), /^401 /)
      const headers = { authorization: `Bearer ${ana.token}` }
      const payload = { name: 'In the attic' }
      await station.inject({ method: 'PATCH', url: `/api${path}`, headers, payload })
      assert.equal((await devicesOf(ana.token))[0]?.name, 'In the attic')
    })

    test('a device is seen alone as in the list, with its standing and what is held', async () => {
      const [listed] = await people.ok<SeenDevice[]>(ana.token, 'GET', '/devices')
      const path = `/devices/${ana.device.id}`
      assert.deepEqual(await people.ok(ana.token, 'GET', path), listed)
      assert.deepEqual(await people.ok(OPERATOR, 'GET', path), listed)
      assert.equal(listed!.trust?.standing.state, 'active')
      assert.equal(listed!.trust?.isProven, false)
      assert.equal(listed!.heldMicros, 0)
      assert.equal(await people.outcome(ben.token, 'GET', path), '404 MINGA_NO_SUCH_DEVICE')
    })

    test('Device facts: the owner sees system, host, country and whether it is at work', async () => {
      const [device] = await people.ok<DeviceView[]>(ana.token, 'GET', '/devices')
      const { os, osVersion, hostName, software, country, isConnected, isTrusted } = device!
      assert.deepEqual(
        { os, osVersion, hostName, software, country, isConnected, isTrusted },
        {
          os: 'TestOS',
          osVersion: '7.1',
          hostName: 'tester',
          software: 'test/1',
          country: 'PE',
          isConnected: true,
          isTrusted: false,
        },
      )
      assert.deepEqual(
        device?.places.map(({ networkPrefix }) => networkPrefix),
        ['127.0.0.0/24'],
      )
    })

    test('a paused device keeps its connection and gets no work until it is resumed', async () => {
      const path = `/devices/${ana.device.id}`
      await people.ok(ana.token, 'POST', `${path}/pause`)
      await station.collect({ seeds: ['http://paused.test/'], delayMs: 0 })
      const beat = await ana.device.call('beat', { progress: 0, fences: [] })
      assert.deepEqual(beat.body, { ended: [] })
      const paused = (await ana.device.ask(station.clock)) as Required<LeaseResponse>
      assert.equal(paused.block, null)
      assert.equal(paused.pause.code, 'MINGA_DEVICE_PAUSED')
      assert.ok(paused.waitMs >= 5_000 && paused.waitMs <= 30_000)
      await people.ok(ana.token, 'POST', `${path}/resume`)
      // Until then the work was meant for the other device; it is away now.
      await ben.device.call('goodbye', {})
      await ana.device.call('beat', { progress: 0, fences: [] })
      const { block } = await ana.device.ask(station.clock)
      assert.equal(block?.hosts[0]?.requests[0]?.url, 'http://paused.test/robots.txt')
      const upload = uploadOf(station.fetch(block, {}), 'boot-of-ana')
      assert.deepEqual((await ana.device.upload(upload)).body, { accepted: 1, stale: 0 })
    })

    test('save_data, summaries: every request is in the log of its device and in its counters', async () => {
      const path = `/devices/${ana.device.id}`
      const [device] = await people.ok<DeviceView[]>(ana.token, 'GET', '/devices')
      const log = await people.ok<RequestItem[]>(ana.token, 'GET', `${path}/requests`)
      assert.deepEqual(
        log.map(({ url, status, outcome }) => [url, status, outcome]),
        [['http://paused.test/robots.txt', 404, 'captured']],
      )
      assert.equal(device?.counters.n_4xx, 1)
      assert.equal(device?.counters.bytes, log[0]?.responseBytes)
    })

    test('a revoked device is out at once: session, leases and key', async () => {
      await ana.device.call('beat', { progress: 1, fences: [] })
      const { block } = await ana.device.ask(station.clock)
      const upload = uploadOf(station.fetch(block!, {}), 'boot-of-ana')
      await people.ok(ana.token, 'POST', `/devices/${ana.device.id}/revoke`)
      for (const said of [
        await ana.device.upload(upload),
        await ana.device.call('ask', { requestsMax: 1, hostsMax: 1 }),
        await ana.device.call('beat', { progress: 0, fences: [] }),
      ]) {
        assertRefused(said, '409 MINGA_UNKNOWN_AGENT', /send its hello again/)
      }
      const hello = await ana.device.hello('boot-of-return')
      assertRefused(hello, '403 MINGA_DEVICE_REVOKED', /was revoked/)
      const { token } = await people.ok<{ token: string }>(ana.token, 'POST', '/join-tokens')
      assertRefused(await ana.device.enrol(token), '403 MINGA_DEVICE_REVOKED', /was revoked/)
      // Its host is free once it surely knows: then the next device gets the page.
      const heir = new TestDevice(station)
      await heir.enrol()
      await heir.hello('boot-of-heir')
      assert.equal((await heir.ask(station.clock)).block, null)
      await heir.call('beat', { progress: 0, fences: [] })
      await station.clock.advance(6_000)
      const inherited = (await heir.ask(station.clock)).block
      const urlsOf = (given: Block | null): string[] =>
        (given?.hosts ?? []).flatMap(({ requests }) => requests.map(({ url }) => url))
      assert.deepEqual(urlsOf(inherited), urlsOf(block))
      await heir.call('goodbye', {})
    })

    test('a deleted device is gone from every list, and may be enrolled again', async () => {
      await people.ok(ben.token, 'DELETE', `/devices/${ben.device.id}`)
      assert.deepEqual(await people.ok(ben.token, 'GET', '/devices'), [])
      const gone = await ben.device.hello('boot-of-ghost')
      assertRefused(gone, '404 MINGA_UNKNOWN_DEVICE', /Enrol it/)
      const { token } = await people.ok<{ token: string }>(ben.token, 'POST', '/join-tokens')
      const former = ben.device.id
      assert.equal((await ben.device.enrol(token)).status, 200)
      assert.notEqual(ben.device.id, former)
    })
  })
}

test('Long-poll cap: the first idle agents wait on open questions, the next is asked to return', async () => {
  const station = await openStation({ waitingMax: 2 })
  const devices: TestDevice[] = []
  for (let n = 0; n < 3; n++) {
    const device = new TestDevice(station)
    await device.enrol()
    await device.hello(`boot-of-idler-${n}`)
    devices.push(device)
  }
  const ask = { requestsMax: 10, hostsMax: 1 }
  const waiting = devices.slice(0, 2).map((device) => device.call('ask', ask))
  for (let n = 0; station.clock.sleeping() < 2 && n < 4_000; n++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const sentAway = (await devices[2]!.call('ask', ask)).body
  // Half-way between 5 and 30 seconds, by the dice of the test.
  const seenAddress = '127.0.0.1'
  assert.deepEqual(sentAway, { block: null, waitMs: 17_500, seenAddress })
  await station.clock.advance(6_000)
  for (const said of await Promise.all(waiting)) {
    assert.deepEqual(said.body, { block: null, waitMs: 0, seenAddress })
  }
  // With places free again the next one waits as well.
  const third = devices[2]!.ask(station.clock)
  assert.deepEqual(await third, { block: null, waitMs: 0, seenAddress })
})

test('Client anonymity: no byte that an agent is sent names the client, the batch or a key', async () => {
  const station = await openStation()
  const people = new People(station)
  const client = await people.person('cassandra', 'client')
  const { secret, key } = await people.key(client.token)
  const spoken: string[] = []
  const inject = async (options: InjectOptions): Promise<Said> => {
    const response = await station.app.inject({
      ...options,
      headers: { host: 'localhost', ...options.headers },
    })
    spoken.push(JSON.stringify(response.headers), response.rawPayload.toString('latin1'))
    return { status: response.statusCode, body: response.json() }
  }
  const device = new TestDevice({ inject })
  await device.enrol()
  await device.hello('boot-of-curious')
  await station.store.call('topUp', {
    id: 'gift',
    at: station.clock.now(),
    client: client.id,
    micros: 1_000_000,
  })
  const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1']
  const idempotencyKey = 'order-of-cassandra-77'
  const batch = await people.ok<BatchView>(secret, 'POST', '/batches', {
    urls,
    key: idempotencyKey,
  })
  for (let rounds = 0; rounds < 20; rounds++) {
    await device.call('beat', { progress: rounds, fences: [] })
    const { block } = await device.ask(station.clock)
    if (block) await device.upload(uploadOf(station.fetch(block, {}), 'boot-of-curious'))
    const { open } = await people.ok<BatchView>(secret, 'GET', `/batches/${batch.id}`)
    if (open === 0) break
  }
  await device.call('goodbye', {})
  const all = spoken.join('\n')
  for (const url of urls) assert.ok(all.includes(url), 'the agent was asked for every page')
  const secrets = [client.id, 'cassandra', batch.id, secret, key.id, client.token, idempotencyKey]
  for (const named of [...secrets, TOKENS.apiKey]) {
    assert.equal(all.includes(named), false, `an agent received ${named}`)
  }
})
