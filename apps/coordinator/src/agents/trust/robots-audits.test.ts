// Goal: one volunteer's device alone says nothing about a site's robots.txt, neither that it cannot be fetched nor where
// it is: rules bind the whole fleet. Method: a whole station on virtual time, a stranger that says so again and again, and
// a device of another owner that sees the site as it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { TestDevice } from '../../../test/agents/device-fixture.ts'
import { leasedRequestsOf, type Web } from '../../../test/station-fixture.ts'
import { failAll, newFleet, type Fleet } from '../../../test/agents/trust/fleet-fixture.ts'

const PAGE = 'http://a.test/page'
const ROBOTS = 'http://a.test/robots.txt'
const TRUTH: Web = { [PAGE]: { body: '<p>the truth</p>' } }
const DOWN: Web = { [ROBOTS]: { status: 503 } }
const MOVED: Web = {
  [ROBOTS]: { status: 301, headers: [['Location', 'http://b.test/robots.txt']] },
  'http://b.test/robots.txt': { body: 'User-agent: *\nDisallow: /closed', type: 'text/plain' },
}

/** Beyond every pause after a failed robots.txt, and of a host that answers with 503. */
const PAUSE_MS = 3_600_000
const REST_MS = 60_000
/** One more than close a host. */
const TIMES = 4

interface Robots {
  verdict: string
  attempts: number
}

async function robotsOf(fleet: Fleet): Promise<Robots | undefined> {
  const [robots] = await fleet.query<Robots>(
    `SELECT r.verdict, r.attempts FROM robots r JOIN hosts h ON h.id = r.host_id
     WHERE h.name = 'a.test'`,
  )
  return robots
}

async function pause(fleet: Fleet, ...devices: TestDevice[]): Promise<void> {
  await fleet.station.clock.advance(PAUSE_MS)
  await fleet.hello(...devices)
}

type Says = (fleet: Fleet, device: TestDevice) => Promise<unknown>

const UNFETCHED: [what: string, says: Says][] = [
  ['cannot be fetched', failAll],
  ['answers with 503', (fleet, device) => fleet.work(device, DOWN, 1)],
]

for (const [what, says] of UNFETCHED) {
  test(`a host is not closed because one stranger says again and again that its robots.txt ${what}`, async () => {
    const fleet = await newFleet()
    const stranger = await fleet.stranger()
    const other = await fleet.trusted()
    const batch = await fleet.submit([PAGE])
    for (let n = 0; n < TIMES; n++) {
      await says(fleet, stranger)
      await pause(fleet, stranger, other)
      assert.notEqual((await robotsOf(fleet))?.verdict, 'forbid-all')
      assert.equal((await robotsOf(fleet))?.attempts, 0)
    }
    for (let n = 0; n < TIMES; n++) {
      await fleet.work(other, TRUTH)
      await pause(fleet, other)
    }
    const [line] = await fleet.results(batch)
    assert.deepEqual([line?.outcome, line?.verified], ['captured', true])
  })

  test(`what a second device, a volunteer's too, sees of a robots.txt that ${what} to the first one counts`, async () => {
    const fleet = await newFleet()
    const stranger = await fleet.stranger()
    const proven = await fleet.stranger()
    await fleet.prove(proven)
    const batch = await fleet.submit([PAGE])
    await says(fleet, stranger)
    assert.deepEqual(await fleet.work(proven, TRUTH), [ROBOTS, PAGE])
    const [line] = await fleet.results(batch)
    assert.equal(line?.outcome, 'captured')
    const { standing } = await fleet.trustOf(stranger)
    assert.deepEqual([standing.state, standing.lies], ['active', 0], 'it may have been so')
  })

  test(`a host whose robots.txt ${what} to two devices each time is closed`, async () => {
    const fleet = await newFleet()
    const stranger = await fleet.stranger()
    const other = await fleet.trusted()
    await fleet.submit([PAGE])
    for (let n = 1; n < TIMES; n++) {
      await says(fleet, stranger)
      // The host rests, and the second opinion still waits.
      await fleet.station.clock.advance(REST_MS)
      await fleet.hello(stranger, other)
      await says(fleet, other)
      const verdict = n < TIMES - 1 ? 'waiting' : 'forbid-all'
      assert.equal((await robotsOf(fleet))?.verdict, verdict, `after ${n}`)
      await pause(fleet, stranger, other)
    }
  })
}

test('a proven device alone does not close a host either', async () => {
  const fleet = await newFleet()
  const proven = await fleet.stranger()
  await fleet.prove(proven)
  await fleet.trusted()
  await fleet.submit([PAGE])
  await failAll(fleet, proven)
  const robots = await robotsOf(fleet)
  assert.deepEqual([robots?.verdict, robots?.attempts], ['waiting', 0])
})

test('a robots.txt is not elsewhere because one stranger says so', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const other = await fleet.trusted()
  const batch = await fleet.submit([PAGE])
  await fleet.work(stranger, MOVED, 1)
  assert.deepEqual(await fleet.query(`SELECT url FROM urls WHERE url LIKE '%#robots-of:%'`), [])
  await fleet.work(other, TRUTH)
  const [line] = await fleet.results(batch)
  assert.equal(line?.outcome, 'captured')
})

for (const engine of ENGINES) {
  test(
    `rules that are elsewhere are learnt from there, also when strangers fetch all of it (${engine.name})`,
    { skip: engine.skip },
    async () => {
      const fleet = await newFleet({ engine })
      const stranger = await fleet.stranger()
      const other = await fleet.trusted()
      await fleet.submit([PAGE])
      for (let n = 0; n < 2; n++) {
        assert.equal((await fleet.work(stranger, MOVED, 1)).length, 1)
        assert.equal((await fleet.work(other, MOVED, 1)).length, 1)
      }
      assert.equal((await robotsOf(fleet))?.verdict, 'rules')
    },
  )
}

test('a device that says of another address that it cannot be fetched has said nothing', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  await fleet.trusted()
  await fleet.submit([PAGE])
  await failAll(fleet, stranger, (url) => url.replace('a.test', 'victim.test'))
  assert.deepEqual(await fleet.query('SELECT url FROM audits'), [])
  const { block } = await stranger.ask(fleet.station.clock)
  assert.equal(
    block === null ? null : leasedRequestsOf(block)[0]?.request.url,
    ROBOTS,
    'it is asked again',
  )
})
