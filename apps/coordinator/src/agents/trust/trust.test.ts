// Goal: no forgery is served as verified, and honest strangers are believed once another device
// agrees. Method: a whole station on virtual time with one trusted device and strangers who enrol
// with tokens of other owners, each of which sees its own web.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlHash } from '@minga/frontier'
import type { Web } from '../../../test/station-fixture.ts'
import { balance, bootOf, newFleet, sumOfLedger } from '../../../test/agents/trust/fleet-fixture.ts'

const TRUTH: Web = { 'http://a.test/page': { body: '<p>the truth</p>' } }
const LIE: Web = { 'http://a.test/page': { body: '<p>a forgery</p>' } }

const PAGE = 'http://a.test/page'

test('an honest stranger is believed once a device of another owner has seen the same', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const trusted = await fleet.trusted()
  const batch = await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH)
  assert.deepEqual(await fleet.results(batch), [], 'its robots.txt waits for a second opinion')
  assert.deepEqual(await fleet.work(trusted, TRUTH, 1), ['http://a.test/robots.txt'])
  assert.deepEqual(await fleet.work(stranger, TRUTH), [PAGE])
  assert.deepEqual(await fleet.results(batch), [], 'and so does its page')
  assert.deepEqual(await fleet.work(trusted, TRUTH), [PAGE])
  const [line] = await fleet.results(batch)
  assert.equal(line?.outcome, 'captured')
  assert.equal(line.verified, true)
})

test('Distrust probes: a liar is found, stopped and unpaid, and the truth is fetched instead', async () => {
  const fleet = await newFleet()
  const liar = await fleet.stranger()
  const trusted = await fleet.trusted()
  const batch = await fleet.submit([PAGE])
  await fleet.work(liar, LIE)
  await fleet.work(trusted, TRUTH, 1)
  assert.deepEqual(await fleet.work(liar, LIE), [PAGE])
  // The audit, the judgement, and then the request itself once more.
  assert.deepEqual(await fleet.work(trusted, TRUTH), [PAGE, PAGE, PAGE])
  const [line] = await fleet.results(batch)
  assert.equal(line?.verified, true)
  assert.equal(await fleet.body(PAGE), '<p>the truth</p>')
  await liar.hello(bootOf(liar))
  const { status, body } = await liar.call('ask', { requestsMax: 10, hostsMax: 10 })
  assert.ok(status >= 400)
  assert.match(JSON.stringify(body), /MINGA_DEVICE_QUARANTINED/, 'it learns why it gets no work')
  const held = await balance(fleet, `held:${liar.id}`)
  assert.equal(held, 0)
  assert.equal(await sumOfLedger(fleet), 0)
})

test('Distrust probes: a forged header of a true page is a lie', async () => {
  const fleet = await newFleet()
  const liar = await fleet.stranger()
  const trusted = await fleet.trusted()
  const headers: [string, string][] = [['Refresh', '0; url=https://evil.example/']]
  const forged: Web = { [PAGE]: { ...TRUTH[PAGE], headers } }
  await fleet.submit([PAGE])
  await fleet.work(liar, forged)
  await fleet.work(trusted, TRUTH, 1)
  await fleet.work(liar, forged)
  await fleet.work(trusted, TRUTH)
  const { standing } = await fleet.trustOf(liar)
  assert.equal(standing.state, 'quarantined')
})

test('without anyone to ask, results go out at once and say that they are not verified', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const batch = await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH)
  const [line] = await fleet.results(batch)
  assert.equal(line?.outcome, 'captured')
  assert.equal(line.verified, false)
  assert.equal(await balance(fleet, `held:${stranger.id}`), 700, 'and its pay is held')
})

test('a second opinion that does not come in time does not delay a delivery for ever', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const trusted = await fleet.trusted()
  const batch = await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH)
  await fleet.work(trusted, TRUTH, 1)
  await fleet.work(stranger, TRUTH)
  assert.deepEqual(await fleet.results(batch), [])
  await fleet.station.clock.advance(61_000)
  await fleet.station.store.call('sweepTrust', { now: fleet.station.clock.now() })
  const [line] = await fleet.results(batch)
  assert.equal(line?.verified, false)
})

test('a volunteer who agrees often enough is proven: its pay is released and audits grow rare', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const trusted = await fleet.trusted()
  const web: Web = {}
  for (let i = 0; i < 240; i++) web[`http://h${i % 5}.test/${i}`] = { body: `<p>page ${i}</p>` }
  const urls = Object.keys(web)
  await fleet.submit(urls.slice(0, 120))
  await fleet.work(stranger, web)
  await fleet.work(trusted, web, 1)
  await fleet.work(stranger, web)
  assert.equal((await fleet.work(trusted, web)).length, 120, 'at first all is fetched twice')
  const { isProven } = await fleet.trustOf(stranger)
  assert.equal(isProven, true)
  assert.equal(await balance(fleet, `held:${stranger.id}`), 0)
  const second = await fleet.submit(urls.slice(120))
  await fleet.work(stranger, web)
  const again = await fleet.work(trusted, web)
  assert.ok(again.length < 60, `${again.length} of 120 audited`)
  const lines = await fleet.results(second)
  assert.equal(lines.length, 120)
  assert.ok(lines.every(({ verified }) => verified))
  assert.equal(await sumOfLedger(fleet), 0)
})

test('a second opinion looks like any other request: same kind, no number that tells', async () => {
  const fleet = await newFleet()
  const stranger = await fleet.stranger()
  const trusted = await fleet.trusted()
  await fleet.station.collect({ seeds: [PAGE], delayMs: 250, bytesPerSecondPerHost: 77_000 })
  await fleet.work(stranger, TRUTH)
  await fleet.work(trusted, TRUTH, 1)
  await fleet.work(stranger, TRUTH)
  await fleet.station.clock.advance(2_000)
  await trusted.call('beat', { progress: 1, fences: [] })
  const { block } = await trusted.ask(fleet.station.clock)
  const [host] = block!.hosts
  assert.deepEqual([host!.delayMs, host!.bytesPerSecond], [250, 77_000], 'the pauses of its crawl')
  assert.deepEqual(
    host!.requests.map(({ url, kind, via, previous }) => ({ url, kind, via, previous })),
    [{ url: PAGE, kind: 'page', via: null, previous: null }],
  )
  assert.notEqual(host!.requests[0]!.hash, urlHash(PAGE))
  const ids = (await fleet.station.get('/collections')).body as { id: number }[]
  assert.ok(!ids.some(({ id }) => id === host!.collectionId))
  assert.doesNotMatch(JSON.stringify(block), /aud|#/)
})

test('Client complaint: a complaint has the page fetched again, and tells a liar from an honest device', async () => {
  const fleet = await newFleet()
  const liar = await fleet.stranger()
  const batch = await fleet.submit([PAGE])
  await fleet.work(liar, LIE)
  const [line] = await fleet.results(batch)
  assert.equal(line?.verified, false, 'no other device was available')
  const trusted = await fleet.trusted()
  const complaint = `/batches/${batch}/results/0/complaint`
  const said = await fleet.station.post(complaint, { note: 'this is not what the site says' })
  assert.deepEqual(said.body, { isNew: true })
  assert.deepEqual((await fleet.station.post(complaint)).body, { isNew: false })
  await fleet.work(trusted, TRUTH)
  const { body } = await liar.call('ask', { requestsMax: 10, hostsMax: 10 })
  assert.match(JSON.stringify(body), /MINGA_(DEVICE_QUARANTINED|UNKNOWN_AGENT)/)
  const { store, clock } = fleet.station
  await store.call('closeBatch', { id: batch, client: 'operator', now: clock.now() })
  assert.equal(await balance(fleet, 'client:operator'), 0, 'the client has its money back')
  assert.equal(await sumOfLedger(fleet), 0)
})
