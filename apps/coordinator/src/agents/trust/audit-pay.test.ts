// Goal: an audit earns nothing when no client pays for the audited request. Method: a whole station
// on virtual time; clients whose sites turn away all but friends, or forbid everything, or only
// redirect, and the pay of the auditing devices.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestDevice } from '../../../test/agents/device-fixture.ts'
import type { Web } from '../../../test/station-fixture.ts'
import { balance, failAll, newFleet, type Fleet } from '../../../test/agents/trust/fleet-fixture.ts'

const PAGE = 'http://a.test/page'
const ROBOTS = 'http://a.test/robots.txt'
const TRUTH: Web = { [PAGE]: { body: '<p>the truth</p>' } }
const FORBIDDEN: Web = { [PAGE]: { status: 403 } }

/** What the platform earned, less what it paid for second opinions. */
const earned = (fleet: Fleet): Promise<number> => balance(fleet, 'platform')

/** A stranger, and a proven one who is its friend. */
async function twoFriends(): Promise<{ fleet: Fleet; stranger: TestDevice; friend: TestDevice }> {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const friend = await fleet.stranger()
  await fleet.prove(friend)
  return { fleet, stranger, friend }
}

test('a second opinion is paid where a client pays for the first', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH, 1)
  assert.deepEqual(await fleet.work(friend, TRUTH, 1), [ROBOTS])
  await fleet.work(stranger, TRUTH, 1)
  assert.equal(await earned(fleet), 0, 'a robots.txt earns nothing')
  assert.deepEqual(await fleet.work(friend, TRUTH, 1), [PAGE])
  assert.equal(await balance(fleet, `held:${stranger.id}`), 700)
  assert.equal(await balance(fleet, 'volunteer:acct_1'), 700)
  assert.equal(await earned(fleet), -400, 'more than its share of the price')
})

test('a second opinion that proves nothing is paid nothing', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH, 1)
  await fleet.work(friend, TRUTH, 1)
  await fleet.work(stranger, TRUTH, 1)
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await fleet.work(friend, { [PAGE]: { status: 503 } }, 1), [PAGE])
    await fleet.station.clock.advance(30_000)
    await fleet.hello(friend)
  }
  assert.equal(await balance(fleet, 'volunteer:acct_1'), 0)
})

test('a second opinion that comes after the delivery is paid as well', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH, 1)
  await fleet.work(friend, TRUTH, 1)
  await fleet.work(stranger, TRUTH, 1)
  await fleet.station.clock.advance(61_000)
  await fleet.hello(friend)
  await fleet.station.store.call('sweepTrust', { now: fleet.station.clock.now() })
  assert.equal(await balance(fleet, 'volunteer:acct_1'), 0)
  await fleet.work(friend, TRUTH, 1)
  assert.equal(await balance(fleet, 'volunteer:acct_1'), 700)
})

const REFUSALS: [what: string, refuses: (fleet: Fleet, device: TestDevice) => Promise<unknown>][] =
  [
    ['cannot be reached', failAll],
    ['answers with 403', (fleet, device) => fleet.work(device, FORBIDDEN, 1)],
  ]

for (const [what, refuses] of REFUSALS) {
  test(`a site that ${what} for all but its friends pays them nothing for second opinions`, async () => {
    const { fleet, stranger, friend } = await twoFriends()
    await fleet.submit([PAGE])
    await fleet.work(stranger, TRUTH, 1)
    await fleet.work(friend, TRUTH, 1)
    await refuses(fleet, stranger)
    assert.deepEqual(await fleet.work(friend, TRUTH, 1), [PAGE])
    assert.equal(await earned(fleet), 0)
    assert.equal(await balance(fleet, 'volunteer:acct_1'), 0)
  })
}

test('sites of which there is only a robots.txt earn nothing', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  const hosts = Array.from({ length: 6 }, (_, n) => `http://h${n}.test/`)
  const web: Web = {}
  for (const host of hosts) {
    web[`${host}robots.txt`] = { body: 'User-agent: *\nDisallow: /', type: 'text/plain' }
  }
  const batch = await fleet.submit(hosts)
  await fleet.work(stranger, web)
  assert.equal((await fleet.work(friend, web)).length, hosts.length)
  await fleet.work(stranger, web)
  const lines = await fleet.results(batch)
  assert.deepEqual(new Set(lines.map(({ outcome }) => outcome)), new Set(['denied']))
  assert.equal(await earned(fleet), 0)
  assert.deepEqual(
    await fleet.query('SELECT canaries_due FROM device_trust WHERE canaries_due > 0'),
    [],
  )
})

test('pages that only redirect earn nothing', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  const web: Web = { [PAGE]: { status: 302, headers: [['Location', 'http://a.test/next']] } }
  await fleet.submit([PAGE])
  await fleet.work(stranger, web, 1)
  await fleet.work(friend, web, 1)
  assert.deepEqual(await fleet.work(stranger, web, 1), [PAGE])
  assert.deepEqual(await fleet.work(friend, web, 1), [PAGE])
  assert.equal(await earned(fleet), 0)
})

test('pages of a crawl, for which no client pays, earn nothing', async () => {
  const { fleet, stranger, friend } = await twoFriends()
  await fleet.station.collect({ seeds: [PAGE], scope: 'page' })
  await fleet.work(stranger, TRUTH, 1)
  await fleet.work(friend, TRUTH, 1)
  await fleet.work(stranger, TRUTH, 1)
  assert.deepEqual(await fleet.work(friend, TRUTH, 1), [PAGE])
  assert.equal(await earned(fleet), 0)
})
