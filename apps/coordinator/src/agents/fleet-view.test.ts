// Goal: operators find, drain, message and follow devices, and owners see why theirs wait. Method: a whole station on
// virtual time on both databases; people with accounts, devices with real keys.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  helloProof,
  PROTOCOL_VERSION,
  type Challenge,
  type DeviceItem,
  type FleetMap,
  type SortedPage,
} from '@minga/protocol'
import type { Contributions, Rates } from '@minga/fleet'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { People } from '../../test/accounts/people-fixture.ts'
import { assertRefused, openStation, TOKENS, uploadOf } from '../../test/station-fixture.ts'
import type { SeenDevice } from './seen-devices.ts'
import { FACTS, TestDevice } from '../../test/agents/device-fixture.ts'

const OPERATOR = TOKENS.apiKey

async function openFleet(engine: (typeof ENGINES)[number]) {
  const station = await openStation({ engine, countryOf: () => 'PE', positionOf: () => null })
  const people = new People(station)
  const person = await people.person('ana', 'volunteer')
  const { token } = await people.ok<{ token: string }>(person.token, 'POST', '/join-tokens')
  const device = new TestDevice(station)
  await device.enrol(token, 'the attic')
  await device.hello('boot-of-attic')
  const seen = (): Promise<SeenDevice> => people.ok(person.token, 'GET', `/devices/${device.id}`)
  return { station, people, ana: person.token, device, seen }
}

const fleets = await Promise.all(
  ENGINES.map(async (engine) => (engine.skip ? null : openFleet(engine))),
)

for (const [i, engine] of ENGINES.entries()) {
  describe(`The fleet as it is seen on ${engine.name}`, { skip: engine.skip }, () => {
    const { station, people, ana, device, seen } = fleets[i]!
    const path = `/devices/${device.id}`

    test('a device without work says which kind of want it is, and why it rests', async () => {
      assert.deepEqual([(await seen()).doing, (await seen()).whyIdle], ['idle', 'no-collection'])
      await device.call('beat', { progress: 1, fences: [], rests: true, rest: 'on-battery' })
      assert.deepEqual([(await seen()).doing, (await seen()).whyIdle], ['resting', 'on-battery'])
      await device.call('beat', { progress: 1, fences: [], rests: true })
      assert.equal((await seen()).whyIdle, 'resting')
      await device.call('beat', { progress: 2, fences: [] })
      assert.equal((await seen()).doing, 'idle')
    })

    test('work in progress on a device is listed by address, with its speed', async () => {
      await station.collect({ seeds: ['http://work.test/'], delayMs: 0 })
      await device.call('beat', { progress: 3, fences: [] })
      const { block } = await device.ask(station.clock)
      const items = await people.ok<DeviceItem[]>(ana, 'GET', `${path}/work`)
      assert.deepEqual(
        items.map(({ host, url }) => [host, url]),
        [['work.test', null]],
        'first its robots.txt',
      )
      const { doing, whyIdle, lease } = await seen()
      assert.deepEqual([doing, whyIdle, lease?.requests], ['working', null, 1])
      const body = uploadOf(station.fetch(block!, {}), 'boot-of-attic')
      assert.equal((await device.upload(body)).status, 200)
      const rates = await people.ok<Rates>(ana, 'GET', `${path}/rates?minutes=5`)
      assert.equal(rates.requests.at(-1), 1)
      assert.equal(rates.upBytes.at(-1), body.length)
      assert.equal((await seen()).rates.upBytes.at(-1), body.length)
    })

    test('a drained device gets no more, learns why and what the operator says, until it is undrained', async () => {
      assert.match(await people.outcome(ana, 'POST', `${path}/drain`), /^403 /)
      await people.ok(OPERATOR, 'POST', `${path}/drain`, { note: 'moving house' })
      await people.ok(OPERATOR, 'POST', `${path}/message`, { text: 'Back at\u0007noon. ' })
      await device.call('beat', { progress: 4, fences: [] })
      const told = await device.ask(station.clock)
      assert.equal(told.block, null)
      assert.equal(told.pause?.code, 'MINGA_DEVICE_DRAINED')
      assert.equal(told.message?.text, 'Back at noon.')
      assert.deepEqual([(await seen()).doing, (await seen()).whyIdle], ['drained', 'drained'])
      await people.ok(ana, 'POST', `${path}/resume`)
      assert.equal((await seen()).doing, 'drained', 'an owner does not end it')
      const { log } = await people.ok<{ log: { action: string; note: string | null }[] }>(
        ana,
        'GET',
        `${path}/trust`,
      )
      assert.deepEqual(
        log.slice(0, 2).map(({ action, note }) => [action, note]),
        [
          ['told', 'Back at noon.'],
          ['drained', 'moving house'],
        ],
      )
      await people.ok(OPERATOR, 'POST', `${path}/undrain`)
      await people.ok(OPERATOR, 'POST', `${path}/message`, { text: '' })
      assert.equal((await seen()).message, null)
      await device.call('beat', { progress: 5, fences: [] })
      const { block, message } = await device.ask(station.clock)
      assert.equal(block?.hosts[0]?.requests[0]?.url, 'http://work.test/')
      assert.equal(message, undefined)
      await device.upload(uploadOf(station.fetch(block, {}), 'boot-of-attic'))
    })

    test('the list is found by words, state and owner, and wrong questions are refused', async () => {
      const find = (who: string, query: string): Promise<SortedPage<SeenDevice>> =>
        people.ok(who, 'GET', `/devices/page${query}`)
      assert.equal((await find(OPERATOR, '?text=ATTIC&doing=idle,working')).total, 1)
      assert.equal((await find(OPERATOR, '?doing=revoked')).total, 0)
      assert.equal((await find(OPERATOR, '?country=PE&sort=-bytes')).rows[0]?.id, device.id)
      const { token } = await people.person('ben', 'volunteer')
      assert.equal((await find(token, '')).total, 0)
      for (const query of ['?sort=secret', '?doing=nothing', '?cursor=!!', '?limit=0']) {
        assert.match(await people.outcome(OPERATOR, 'GET', `/devices/page${query}`), /^400 /, query)
      }
      assert.match(await people.outcome(token, 'GET', `${path}/rates`), /^404 /)
      assert.match(await people.outcome(token, 'GET', `${path}/work`), /^404 /)
    })

    test('on the map stands what its reader may see', async () => {
      const map = await people.ok<FleetMap>(ana, 'GET', '/devices/map')
      assert.deepEqual(
        map.dots.map(({ country, names }) => [country, names.join()]),
        [['PE', 'the attic']],
      )
      const ben = await people.logIn('ben')
      assert.deepEqual((await people.ok<FleetMap>(ben, 'GET', '/devices/map')).dots, [])
    })

    test('contributors are counted without names until they choose one', async () => {
      const view = (): Promise<Contributions> =>
        people.ok(OPERATOR, 'GET', '/leaderboard/days?days=7')
      const [unnamed] = (await view()).volunteers
      assert.deepEqual([unnamed?.name, unnamed?.requests], [null, 2])
      await people.ok(ana, 'POST', '/me/board-name', { name: 'Ana' })
      assert.deepEqual(
        (await view()).volunteers.map(({ name, streakDays }) => [name, streakDays]),
        [['Ana', 1]],
      )
    })

    test('a program that is too old is refused, and only the device itself can have been', async () => {
      const say = async (signer: TestDevice) => {
        const asked = await device.call('challenge', { device: device.id })
        const { nonce } = asked.body as Challenge
        const proven = { device: device.id, boot: 'boot-of-old', nonce }
        const signature = signer.sign(helloProof(proven))
        const protocol = PROTOCOL_VERSION - 1
        return device.call('hello', { protocol, ...proven, facts: FACTS, signature })
      }
      await device.call('goodbye', {})
      const wrong = ['400 MINGA_WRONG_PROTOCOL', /uses protocol version/] as const
      assertRefused(await say(new TestDevice(station)), ...wrong)
      assert.equal((await seen()).whyIdle, 'not-connected')
      assertRefused(await say(device), ...wrong)
      assert.equal((await seen()).whyIdle, 'too-old')
      await device.hello('boot-of-new')
      assert.notEqual((await seen()).whyIdle, 'too-old')
    })
  })
}
