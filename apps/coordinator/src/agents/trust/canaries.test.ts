// Goal: a device that forges results is found even when no other device may audit it, an honest
// device never suffers for a page that changed, and nothing distinguishes a canary from other work.
// Method: a whole station on virtual time whose own device fetches, leaves, and comes back to
// judge.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrustView } from '@minga/fleet'
import type { Block } from '@minga/protocol'
import type { TestDevice } from '../../../test/agents/device-fixture.ts'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { Web } from '../../../test/station-fixture.ts'
import {
  balance,
  bootOf,
  newFleet,
  sumOfLedger,
  type Fleet,
} from '../../../test/agents/trust/fleet-fixture.ts'

const SECRET = 'the secret of the test'
const KNOWN = 'http://a.test/known'
const WANTED = 'http://b.test/wanted'
const TRUTH: Web = {
  [KNOWN]: { body: '<p>the truth</p>' },
  [WANTED]: { body: '<p>what a client wants</p>' },
}
const LIE: Web = { [KNOWN]: { body: '<p>a forgery</p>' }, [WANTED]: { body: '<p>another</p>' } }

const openCanaries = ({ station: { store, clock } }: Fleet): Promise<number> =>
  store.call('openCanaries', { secret: SECRET, now: clock.now() })

const trustOf = (fleet: Fleet, device: TestDevice): Promise<TrustView> => fleet.trustOf(device)

/**
 * The station's own device has fetched a page and is away; a stranger serves a client, and no
 * device may audit it.
 */
async function aloneWithStranger(fleet: Fleet, web: Web) {
  const own = await fleet.trusted()
  await fleet.submit([KNOWN])
  await fleet.work(own, TRUTH)
  await own.call('goodbye', {})
  await fleet.station.clock.advance(301_000)
  const stranger = await fleet.stranger()
  const batch = await fleet.submit([WANTED])
  await fleet.work(stranger, web)
  const [line] = await fleet.results(batch)
  assert.equal(line?.verified, false, 'no device was available for an audit')
  return { own, stranger, batch }
}

for (const engine of ENGINES) {
  test(
    `Distrust probes: a forger that no device may audit is caught by a canary (${engine.name})`,
    { skip: engine.skip },
    async () => {
      const fleet = await newFleet({ engine })
      const { own, stranger: liar } = await aloneWithStranger(fleet, LIE)
      assert.equal(await openCanaries(fleet), 1)
      assert.equal(await openCanaries(fleet), 0, 'there is only one page that it has not met')
      assert.deepEqual(await fleet.work(liar, LIE), [KNOWN])
      assert.equal((await trustOf(fleet, liar)).standing.state, 'active', 'a difference is no lie')
      assert.equal(await fleet.body(KNOWN), '<p>the truth</p>', 'what it said is not kept')
      assert.equal(
        await balance(fleet, `held:${liar.id}`),
        1_400,
        'a canary is paid like a request',
      )
      await own.hello(bootOf(own))
      assert.equal((await fleet.work(own, TRUTH, 1))[0], KNOWN, 'the judge goes first')
      const { standing, isProven } = await trustOf(fleet, liar)
      assert.deepEqual([standing.state, standing.lies, isProven], ['quarantined', 1, false])
      await liar.hello(bootOf(liar))
      const { body } = await liar.call('ask', { requestsMax: 10, hostsMax: 10 })
      assert.match(JSON.stringify(body), /MINGA_DEVICE_QUARANTINED/)
      assert.equal(await balance(fleet, `held:${liar.id}`), 0)
      assert.equal(await sumOfLedger(fleet), 0)
    },
  )
}

test('a passed canary is an agreement, and a device is not tested twice with one page', async () => {
  const fleet = await newFleet()
  const { stranger } = await aloneWithStranger(fleet, TRUTH)
  await openCanaries(fleet)
  assert.deepEqual(await fleet.work(stranger, TRUTH), [KNOWN])
  assert.equal((await trustOf(fleet, stranger)).standing.agreements, 1)
  await fleet.submit(['http://b.test/2'])
  await fleet.work(stranger, TRUTH)
  assert.equal(await openCanaries(fleet), 0)
})

const CHANGES: [what: string, seen: Web, judged: Web][] = [
  ['changed before it was asked', { [KNOWN]: { body: 'news' } }, { [KNOWN]: { body: 'news' } }],
  ['changed twice', { [KNOWN]: { body: 'news' } }, { [KNOWN]: { body: 'more news' } }],
  ['is gone', {}, {}],
  ['is gone since', { [KNOWN]: { body: 'the last news' } }, {}],
  ['was refused to it alone', { [KNOWN]: { status: 403 } }, TRUTH],
  ['was in trouble for a moment', { [KNOWN]: { status: 503 } }, TRUTH],
]
for (const [what, seen, judged] of CHANGES) {
  test(`an honest device whose canary ${what} is left in peace`, async () => {
    const fleet = await newFleet()
    const { own, stranger } = await aloneWithStranger(fleet, TRUTH)
    await openCanaries(fleet)
    const asked = await fleet.work(stranger, seen)
    assert.equal(asked[0], KNOWN)
    await own.hello(bootOf(own))
    await fleet.work(own, judged)
    const { standing } = await trustOf(fleet, stranger)
    assert.deepEqual([standing.state, standing.lies], ['active', 0])
  })
}

test('Distrust probes: a new device that no other may audit meets several canaries, each once, none of its own pages', async () => {
  const fleet = await newFleet()
  const own = await fleet.trusted()
  const web: Web = {}
  for (let i = 0; i < 40; i++) web[`http://k${i % 8}.test/${i}`] = { body: `<p>${i}</p>` }
  await fleet.submit(Object.keys(web))
  await fleet.work(own, web)
  await own.call('goodbye', {})
  await fleet.station.clock.advance(301_000)
  const stranger = await fleet.stranger()
  const mine: Web = {}
  for (let i = 0; i < 12; i++) mine[`http://m${i % 4}.test/${i}`] = { body: `<p>mine ${i}</p>` }
  await fleet.submit(Object.keys(mine))
  await fleet.work(stranger, mine)
  const tested: string[] = []
  for (let round = 0; round < 4; round++) {
    await openCanaries(fleet)
    tested.push(...(await fleet.work(stranger, { ...web, ...mine })))
  }
  assert.ok(tested.length >= 3, `${tested.length} canaries for a newcomer's 12 results`)
  assert.ok(tested.every((url) => url in web))
  assert.equal(new Set(tested).size, tested.length)
})

/** What a block looks like, whatever its numbers are. */
const shapeOf = (block: Block): string =>
  JSON.stringify(block)
    .replaceAll(/"address":"[^"]*"/g, '"address":""')
    .replaceAll(/\d+/g, '0')

async function nextBlock({ station }: Fleet, device: TestDevice): Promise<Block> {
  await station.clock.advance(2_000)
  await device.call('beat', { progress: station.clock.now(), fences: [] })
  const { block } = await device.ask(station.clock)
  assert.ok(block, 'there is work')
  return block
}

test('byte for byte a canary is a block like any other', async () => {
  const tested = await newFleet()
  const { stranger } = await aloneWithStranger(tested, TRUTH)
  await openCanaries(tested)
  const canary = await nextBlock(tested, stranger)
  const usual = await newFleet()
  const own = await usual.trusted()
  await usual.submit(['http://a.test/else'])
  await usual.work(own, TRUTH)
  await own.call('goodbye', {})
  const other = await usual.stranger()
  await usual.submit([KNOWN])
  const ordinary = await nextBlock(usual, other)
  assert.equal(shapeOf(canary), shapeOf(ordinary))
  const [host] = canary.hosts
  assert.equal(host!.requests[0]!.url, KNOWN)
  assert.doesNotMatch(JSON.stringify(canary), /aud_|#|canary/)
})

test('a canary of a page that a crawl found says where it was found, as the crawl did', async () => {
  const fleet = await newFleet()
  const own = await fleet.trusted()
  const web: Web = { ...TRUTH, 'http://a.test/': { body: `<a href="${KNOWN}">known</a>` } }
  await fleet.station.collect({ seeds: ['http://a.test/'], delayMs: 1_000 })
  await fleet.work(own, web)
  await own.call('goodbye', {})
  await fleet.station.clock.advance(301_000)
  const stranger = await fleet.stranger()
  await fleet.submit([WANTED])
  await fleet.work(stranger, web)
  const found = new Map([
    ['http://a.test/', [0, null]],
    [KNOWN, [1, 'http://a.test/']],
  ])
  await openCanaries(fleet)
  const { hosts } = await nextBlock(fleet, stranger)
  const [request] = hosts[0]!.requests
  assert.deepEqual([request!.depth, request!.via], found.get(request!.url))
  assert.equal(request!.kind, 'page')
})
