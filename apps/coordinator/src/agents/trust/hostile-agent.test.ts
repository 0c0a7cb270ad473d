// Goal: whatever an agent does, it gets a clear refusal and no one else is affected. Method: a
// whole station, called by devices that deliberately break each rule; for floods and slow callers
// over real sockets. Proven elsewhere, and not again here:
//   wrong fence, host, collection or request   ../agent-routes.test.ts, packages/frontier/src/lease/lease.test.ts
//   another's lease, boot, key or signature    ../agents/device-authenticator.test.ts
//   forged manifests and records               check-results.test.ts, ../agent-routes.test.ts
//   truncated and random uploads               ../agent-routes.test.ts, packages/protocol/src/upload.test.ts
//   a liar found by audits, complaints         trust.test.ts
//   a liar found by canaries                   canaries.test.ts
//   lies at 5, 30 and 100 %, colluding pairs   packages/fleet/src/trust/simulate.test.ts
//   friends who would audit each other         packages/fleet/src/trust/verdict.test.ts, audits.test.ts
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CapturedResult } from '@minga/protocol'
import { TestDevice } from '../../../test/agents/device-fixture.ts'
import { assertRefused, openStation, uploadOf, UPLOAD_TYPE } from '../../../test/station-fixture.ts'
import { bootOf, newFleet, sumOfLedger } from '../../../test/agents/trust/fleet-fixture.ts'

const PAGE = 'http://a.test/page'
const TRUTH = { [PAGE]: { body: '<p>the truth</p>' } }

test('a bomb in the place of a record is not unpacked, ends nothing and is paid nothing', async () => {
  const fleet = await newFleet()
  const { station } = fleet
  const stranger = await fleet.stranger()
  const batch = await fleet.submit([PAGE])
  await fleet.work(stranger, TRUTH, 1)
  await station.clock.advance(2_000)
  await stranger.call('beat', { progress: 1, fences: [] })
  const { block } = await stranger.ask(station.clock)
  const [parcel] = station.fetch(block!, TRUTH)
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024))
  const result = { ...parcel!.result, members: [bomb.length] } as CapturedResult
  const before = process.memoryUsage().rss
  const upload = uploadOf([{ ...parcel!, result, members: [bomb] }], bootOf(stranger))
  assert.equal((await stranger.upload(upload)).status, 200)
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024)
  assert.deepEqual(await fleet.results(batch), [])
  assert.equal((await station.content(PAGE)).status, 404)
  await fleet.work(stranger, TRUTH)
  assert.equal((await fleet.results(batch)).length, 1, 'an honest device completed it')
  assert.equal(await sumOfLedger(fleet), 0)
})

test('what was sent and paid once is neither kept nor paid again, in whatever session it returns', async () => {
  const fleet = await newFleet()
  const { station } = fleet
  const own = await fleet.trusted()
  await fleet.submit([PAGE])
  await fleet.work(own, TRUTH, 1)
  await station.clock.advance(2_000)
  await own.call('beat', { progress: 1, fences: [] })
  const { block } = await own.ask(station.clock)
  const parcels = station.fetch(block!, TRUTH)
  const upload = uploadOf(parcels, bootOf(own))
  assert.deepEqual((await own.upload(upload)).body, { accepted: 1, stale: 0 })
  const captures = await station.captures()
  const paid = await station.store.call('trialBalance', {})
  assert.deepEqual((await own.upload(upload)).body, { accepted: 0, stale: 1 })
  await own.hello('boot of another day')
  assertRefused(await own.upload(upload), '400 MINGA_BAD_UPLOAD', /another boot than its session/)
  const renamed = uploadOf(parcels, 'boot of another day')
  assert.deepEqual((await own.upload(renamed)).body, { accepted: 0, stale: 1 })
  assert.deepEqual(await station.captures(), captures)
  assert.deepEqual(await station.store.call('trialBalance', {}), paid)
})

test('an agent that floods the station with questions is refused, and others are answered', async () => {
  const station = await openStation({ waitingMax: 20 })
  const [flooder, calm] = [new TestDevice(station), new TestDevice(station)]
  for (const device of [flooder, calm]) {
    await device.enrol()
    await device.hello(`boot of ${device.id}`)
  }
  const ask = { requestsMax: 1, hostsMax: 1 }
  const flood = Array.from({ length: 200 }, () => flooder.call('ask', ask))
  for (let n = 0; station.clock.sleeping() < 8 && n < 4_000; n++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal((await calm.call('beat', { progress: 1, fences: [] })).status, 200)
  const waiting = calm.ask(station.clock)
  assert.deepEqual(
    await waiting,
    { block: null, waitMs: 0, seenAddress: '127.0.0.1' },
    'there was a place for it',
  )
  await station.clock.advance(6_000)
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length, 192)
  assertRefused(
    refused[0]!,
    '429 MINGA_RATE_LIMITED',
    /The limit of calls at the same time is reached/,
  )
  assert.equal(
    (await flooder.call('beat', { progress: 1, fences: [] })).status,
    200,
    'it may go on',
  )
})

const sockets: Socket[] = []
after(() => sockets.forEach((socket) => socket.destroy()))

test('uploads that never end are few per agent, limited in time, and delay no other upload', async () => {
  const station = await openStation()
  await station.hello()
  await station.app.listen({ host: '127.0.0.1', port: 0 })
  const { server } = station.app
  const { port } = server.address() as { port: number }
  const answers: Promise<string>[] = []
  for (let n = 0; n < 50; n++) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.write(
      [
        'POST /agent/results HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${station.device.session}`,
        `Content-Type: ${UPLOAD_TYPE}`,
        `Content-Length: ${200 * 1024 * 1024}`,
        '\r\nx',
      ].join('\r\n'),
    )
    answers.push(once(socket, 'data').then(([data]) => String(data)))
  }
  const refused: string[] = []
  for (const answer of answers) void answer.then((text) => refused.push(text))
  for (let n = 0; refused.length < 46 && n < 4_000; n++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.equal(refused.length, 46)
  for (const text of refused) assert.match(text, /^HTTP\/1\.1 429 .*MINGA_RATE_LIMITED/s)
  const other = new TestDevice(station)
  await other.enrol()
  assert.equal((await other.hello('boot of another')).status, 200)
  assert.equal((await other.call('beat', { progress: 1, fences: [] })).status, 200)
  // Who is slow with the head of a request has a minute, with all of it half an hour.
  assert.ok(server.headersTimeout > 0 && server.headersTimeout <= 60_000)
  assert.ok(server.requestTimeout > 0 && server.requestTimeout <= 1_800_000)
  for (const socket of sockets) socket.destroy()
  for (let n = 0; n < 4_000; n++) {
    const { status } = await station.upload(Buffer.from('no upload'))
    // Let in, and then refused for what it is.
    if (status === 400) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.fail('calls that were given up still count')
})
