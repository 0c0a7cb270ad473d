// Goal: one volunteer's device alone cannot keep a page from clients by saying that there is nothing. Method: a whole
// station on virtual time with strangers of different owners, one of whom reports final failures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CollectionStatus, Result } from '@minga/protocol'
import { leasedRequestsOf, uploadOf, type Web } from '../../../test/station-fixture.ts'
import type { TestDevice } from '../../../test/agents/device-fixture.ts'
import { bootOf, failAll, newFleet, type Fleet } from '../../../test/agents/trust/fleet-fixture.ts'

const PAGE = 'http://a.test/page'
const TRUTH: Web = { [PAGE]: { body: '<p>the truth</p>' } }

/** The device sends what it captured for other addresses than those it was given. */
async function forgeAll({ station }: Fleet, device: TestDevice): Promise<string[]> {
  await station.clock.advance(2_000)
  await device.call('beat', { progress: station.clock.now(), fences: [] })
  const { block } = await device.ask(station.clock)
  if (block === null) return []
  const leased = leasedRequestsOf(block)
  const parcels = leased.map((one) => {
    const url = `${one.request.url}/other`
    const parcel = station.record({ ...one, request: { ...one.request, url } }, { body: 'forged' })
    return { ...parcel, result: { ...parcel.result, url: one.request.url } as Result }
  })
  const said = await device.upload(uploadOf(parcels, bootOf(device)))
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return leased.map(({ request }) => request.url)
}

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

type Refuses = (fleet: Fleet, device: TestDevice) => Promise<unknown>

const answersWith =
  (status: number): Refuses =>
  (fleet, device) =>
    fleet.work(device, { [PAGE]: { status } }, 1)

/** As often as it is tried: twice more, with pauses. */
const troubledWith =
  (status: number): Refuses =>
  async (fleet, device) => {
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await fleet.work(device, { [PAGE]: { status } }, 1), [PAGE])
      await rest(fleet, device)
    }
  }

/** Longer than a host rests after an error, while its request waits for a second device. */
async function rest({ station }: Fleet, ...devices: TestDevice[]): Promise<void> {
  await station.clock.advance(50_000)
  for (const device of devices) await device.hello(bootOf(device))
}

const REFUSALS: [what: string, refuses: Refuses][] = [
  ['a failure', failAll],
  ...[400, 401, 403, 404, 410, 451].map((status): [string, Refuses] => [
    `a ${status}`,
    answersWith(status),
  ]),
  ...[429, 503].map((status): [string, Refuses] => [
    `a ${status} that outlasts the retries`,
    troubledWith(status),
  ]),
]

for (const [what, refuses] of REFUSALS) {
  test(`${what} that another device contradicts is not delivered: the page is fetched again`, async () => {
    const { fleet, batch, device, other } = await withPage(true)
    await refuses(fleet, device)
    assert.deepEqual(await fleet.results(batch), [], 'it waits for a second device')
    // The second opinion, the judgement where it is needed, and then the request itself.
    for (let n = 0; n < 3; n++) {
      await fleet.work(other!, TRUTH)
      await rest(fleet, other!)
    }
    const [line] = await fleet.results(batch)
    assert.deepEqual([line?.outcome, line?.status, line?.verified], ['captured', 200, true])
  })
}

test('a page that fails for one device is captured by another before its crawl is over, also when the operator invited the first', async () => {
  const fleet = await newFleet()
  const device = await fleet.stranger('operator')
  const { id } = await fleet.station.collect({ seeds: [PAGE], delayMs: 0 })
  await fleet.work(device, TRUTH, 1)
  const other = await fleet.trusted()
  assert.equal(await failAll(fleet, device), 1)
  await fleet.station.tick()
  for (let n = 0; n < 3; n++) {
    await fleet.work(other, TRUTH)
    await rest(fleet, other)
    await fleet.station.tick()
  }
  const { state, pages, failed } = (await fleet.station.get(`/collections/${id}`))
    .body as CollectionStatus
  assert.deepEqual({ state, pages }, { state: 'finished', pages: 1 }, `${failed} failed`)
})

test('records that do not hold use up no attempts of their page', async () => {
  const fleet = await newFleet()
  const device = await fleet.stranger()
  await fleet.station.collect({ seeds: [PAGE], delayMs: 0 })
  await fleet.work(device, TRUTH, 1)
  for (let n = 0; n < 3; n++) {
    assert.deepEqual(await forgeAll(fleet, device), [PAGE])
    await rest(fleet, device)
  }
  const other = await fleet.trusted()
  assert.deepEqual(await fleet.work(other, TRUTH), [PAGE], 'it is fetched, and fetched once')
})

test('a page of which no device has a valid record ends as failed', async () => {
  const fleet = await newFleet()
  const device = await fleet.stranger()
  const batch = await fleet.submit([PAGE])
  await fleet.work(device, TRUTH, 1)
  for (let n = 0; n < 10 && (await forgeAll(fleet, device)).length > 0; n++) {
    await fleet.station.clock.advance(600_000)
    await fleet.hello(device)
  }
  const [line] = await fleet.results(batch)
  assert.deepEqual([line?.outcome, line?.code], ['failed', 'MINGA_BAD_RECORD'])
})

test('a device whose records do not hold gets no more work for a time', async () => {
  const fleet = await newFleet()
  const device = await fleet.stranger()
  const urls = Array.from({ length: 60 }, (_, n) => `http://a.test/${n}`)
  await fleet.station.collect({ seeds: urls, delayMs: 0 })
  await fleet.work(device, {}, 1)
  const sent: string[] = []
  for (let idle = 0; idle < 3; idle++) {
    const asked = await forgeAll(fleet, device)
    sent.push(...asked)
    if (asked.length > 0) idle = 0
    await rest(fleet, device)
  }
  assert.ok(sent.length >= 50 && sent.length < 60, `${sent.length} were sent`)
  const { standing, sentence } = await fleet.trustOf(device)
  assert.deepEqual([standing.state, standing.reason], ['blocked', 'failing'])
  assert.match(sentence!, /failed the checks/)
})

test('a 503 that outlasts the retries is delivered when a second device meets it as well', async () => {
  const { fleet, batch, device, other } = await withPage(true)
  await troubledWith(503)(fleet, device)
  await rest(fleet, other!)
  await troubledWith(503)(fleet, other!)
  const [line] = await fleet.results(batch)
  assert.deepEqual([line?.outcome, line?.code, line?.verified], ['failed', 'MINGA_HTTP_503', true])
})

test('a page that is never the same twice does not end by the 404 of one device', async () => {
  const { fleet, batch, device, other } = await withPage(true)
  await fleet.query(
    `INSERT INTO audit_patterns (host_id, pattern, agreed, dynamic, noted_at)
     SELECT id, '/page', 0, 2, ? FROM hosts WHERE name = 'a.test' RETURNING host_id`,
    [fleet.station.clock.now()],
  )
  await answersWith(404)(fleet, device)
  assert.deepEqual(await fleet.results(batch), [], 'it waits for a second device')
  for (let n = 0; n < 6; n++) {
    await fleet.work(other!, { [PAGE]: { body: `<p>look ${'abcdef'[n]}</p>` } }, 1)
  }
  const [line] = await fleet.results(batch)
  assert.deepEqual([line?.outcome, line?.status], ['captured', 200])
})

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
