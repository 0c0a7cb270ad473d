// Goal: one volunteer's device alone cannot keep a page from clients by saying that there is nothing. Method: a whole
// station on virtual time with strangers of different owners, one of whom reports final failures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Web } from '../station-fixture.ts'
import type { TestDevice } from '../agents/device-fixture.ts'
import { failAll, newFleet, type Fleet } from './fleet-fixture.ts'

const PAGE = 'http://a.test/page'
const TRUTH: Web = { [PAGE]: { body: '<p>the truth</p>' } }
const FORBIDDEN: Web = { [PAGE]: { status: 403 } }

/** A fleet whose device has the page in its next block; robots.txt is settled. */
async function withPage(
  hasOther: boolean,
): Promise<{ fleet: Fleet; batch: string; device: TestDevice; other: TestDevice | null }> {
  const fleet = await newFleet()
  const device = await fleet.stranger()
  const other = hasOther ? await fleet.trusted() : null
  const batch = await fleet.submit([PAGE])
  await fleet.work(device, TRUTH, 1)
  if (other !== null) await fleet.work(other, TRUTH, 1)
  return { fleet, batch, device, other }
}

test('a final failure of a stranger is delivered when a device of another owner cannot fetch the page either', async () => {
  const { fleet, batch, device, other } = await withPage(true)
  assert.equal(await failAll(fleet, device), 1)
  assert.deepEqual(await fleet.results(batch), [], 'it waits for a second device')
  assert.equal(await failAll(fleet, other!), 1)
  const [line] = await fleet.results(batch)
  assert.deepEqual(
    [line?.outcome, line?.code, line?.verified],
    ['failed', 'MINGA_TLS_FAILED', true],
  )
})

for (const [what, refuse] of [
  ['a failure', failAll],
  ['a 403', (fleet: Fleet, device: TestDevice) => fleet.work(device, FORBIDDEN, 1)],
] as const) {
  test(`${what} that another device contradicts is not delivered: the page is fetched again`, async () => {
    const { fleet, batch, device, other } = await withPage(true)
    await refuse(fleet, device)
    assert.deepEqual(await fleet.results(batch), [], 'it waits for a second device')
    // The second opinion, and then the request itself.
    assert.deepEqual(await fleet.work(other!, TRUTH), [PAGE, PAGE])
    const [line] = await fleet.results(batch)
    assert.deepEqual([line?.outcome, line?.status, line?.verified], ['captured', 200, true])
  })
}

test('without another device a final failure is delivered at once and says that it is not verified', async () => {
  const { fleet, batch, device } = await withPage(false)
  assert.equal(await failAll(fleet, device), 1)
  const [line] = await fleet.results(batch)
  assert.deepEqual([line?.outcome, line?.verified], ['failed', false])
})

test('a second device that does not come delays a failure by a minute, not for ever', async () => {
  const { fleet, batch, device } = await withPage(true)
  await failAll(fleet, device)
  await fleet.station.clock.advance(61_000)
  await fleet.station.store.call('sweepTrust', { now: fleet.station.clock.now() })
  const [line] = await fleet.results(batch)
  assert.deepEqual([line?.outcome, line?.verified], ['failed', false])
})
