// Goal: an upload costs the station little, whatever a stranger puts into it, and the numbers in it are bounded.
// Method: a whole station and a volunteer's enrolled device that sends bombs and impossible numbers; the longest
// pause of the main loop is measured while the station checks them.
import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { encodeRecord, sha256Label } from '@minga/archive'
import {
  encodeUpload,
  systemClock,
  type CapturedResult,
  type EventPage,
  type Result,
} from '@minga/protocol'
import type { Parcel } from '../../../../agent/src/record/outbox.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import type { TestDevice } from '../../../test/agents/device-fixture.ts'
import {
  recordedCapture,
  START,
  TOKENS,
  uploadOf,
  type Said,
  type Web,
} from '../../../test/station-fixture.ts'
import { bootOf, newFleet, type Fleet } from '../../../test/agents/trust/fleet-fixture.ts'
import { LARGEST_UPLOAD_BYTES } from '../../http/request-limits/body-limits.ts'
import type { CheckedResults } from './check-results.ts'
import { UploadChecks, type Sent } from './upload-checks.ts'

/** A supervisor ends a coordinator whose main loop pauses for ten. */
const PAUSE_MAX_MS = 1_000

interface Volunteered {
  fleet: Fleet
  stranger: TestDevice
  /** What is leased to it, and what its web answers. */
  parcels: Parcel[]
}

/** One page of each of several hosts, so that all are leased together. */
async function volunteer(hosts: number, web: Web = {}): Promise<Volunteered> {
  const urls = Array.from({ length: hosts }, (_, n) => `http://h${n}.test/page`)
  const fleet = await newFleet()
  const { station } = fleet
  const stranger = await fleet.stranger()
  await fleet.submit(urls)
  await fleet.work(stranger, {}, 1)
  await station.clock.advance(2_000)
  await stranger.call('beat', { progress: 1, fences: [] })
  const { block } = await stranger.ask(station.clock)
  return { fleet, stranger, parcels: station.fetch(block!, web) }
}

/** Tests send their uploads in turn; the station stays responsive. */
const BOMBS = 4
const volunteering = volunteer(1 + BOMBS)

/** The answer to an upload, while the station continues to answer others. */
async function sendMeasured({ fleet, stranger }: Volunteered, upload: Buffer): Promise<Said> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  // It measures from its first turn on, and a pause is seen when the loop turns again.
  await systemClock.sleep(20)
  const sent = stranger.upload(upload)
  assert.equal((await fleet.station.get('/collections')).status, 200)
  const said = await sent
  await systemClock.sleep(20)
  delay.disable()
  const pauseMs = delay.max / 1_000_000
  assert.ok(pauseMs < PAUSE_MAX_MS, `the main loop stood still for ${Math.round(pauseMs)} ms`)
  return said
}

function uploadWith(head: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head])
}

test('manifests that unpack to gigabytes or to millions of values are refused, and the station stays responsive', async () => {
  const volunteered = await volunteering
  const boot = bootOf(volunteered.stranger)
  const zeros = uploadWith(zstdCompressSync(Buffer.alloc(100 * 1024 * 1024)))
  const values = '[],'.repeat(12_000_000)
  const text = `{"boot":"${boot}","results":[],"values":[${values}0]}`
  const crowd = uploadWith(zstdCompressSync(Buffer.from(text)))
  for (const bomb of [zeros, crowd]) {
    const { body } = await sendMeasured(volunteered, bomb)
    assert.match(JSON.stringify(body), /MINGA_BAD_UPLOAD|"accepted":0/)
  }
})

test('results of nothing that is leased are dropped without reading their collections, and the log says so', async () => {
  const { fleet, stranger, parcels } = await volunteering
  const { station } = fleet
  const calls: string[] = []
  const call: (typeof station)['store']['call'] = station.store.call.bind(station.store)
  after(() => Object.assign(station.store, { call }))
  station.store.call = (name, args) => {
    calls.push(name)
    return call(name, args)
  }
  const invented = Array.from({ length: 9_999 }, (_, n): Result => {
    return { type: 'returned', fence: n, collectionId: n + 1_000, hostId: n, hash: n }
  })
  const [{ result, members }] = parcels as [Parcel, ...Parcel[]]
  const boot = bootOf(stranger)
  const said = await stranger.upload(
    encodeUpload({ boot, results: [...invented, result] }, members),
  )
  assert.deepEqual(said.body, { accepted: 1, stale: 9_999 })
  const lookups = calls.filter((name) => name === 'collectionStatus')
  assert.ok(lookups.length <= 1, `${lookups.length} lookups`)
  await station.tick()
  const headers = { authorization: `Bearer ${TOKENS.apiKey}` }
  const log = await station.inject({ url: `/api/event-log?agent=${stranger.id}`, headers })
  const { events } = log.body as EventPage
  const dropped = events.find(({ code }) => code === 'agent:refused')
  assert.deepEqual(dropped?.details, { dropped: 9_999, refused: 0 })
})

const BOMB = Buffer.alloc(70 * 1024 * 1024)
const BOMB_DIGEST = sha256Label([BOMB])

/** A whole record of megabytes of zeros, with all digests right. */
function bombOf({ result }: Parcel): Parcel {
  const { url, capturedAt } = result as CapturedResult
  const member = encodeRecord({
    type: 'response',
    headers: [
      ['WARC-Target-URI', url],
      ['WARC-Date', new Date(capturedAt).toISOString()],
      ['WARC-Payload-Digest', BOMB_DIGEST],
    ],
    block: [Buffer.from('HTTP/1.1 404 Not Found\r\n\r\n'), BOMB],
  })
  const captured = { ...(result as CapturedResult), digest: BOMB_DIGEST, members: [member.length] }
  return { result: captured, members: [member], endedAtMs: 0, weightBytes: 0 }
}

test('of records that unpack to more than an upload may, the first count and the others become failures', async () => {
  const volunteered = await volunteering
  const { fleet, stranger, parcels } = volunteered
  const bombs = parcels.slice(1).map(bombOf)
  const said = await sendMeasured(volunteered, uploadOf(bombs, bootOf(stranger)))
  assert.deepEqual(said.body, { accepted: BOMBS, stale: 0 })
  const captures = await fleet.station.captures()
  const kept = captures.filter(({ digest }) => digest === BOMB_DIGEST)
  assert.equal(kept.length, BOMBS - 1, 'three times 70 MiB fit into the budget')
})

/** What a stranger sends of these pages, without the station around the checks. */
function sentOf(urls: readonly string[], said: Partial<CapturedResult> = {}): Sent {
  const parcels = urls.map((url) => {
    const kind = url.endsWith('/robots.txt') ? 'robots' : 'page'
    return recordedCapture({ url, kind }, { body: '<a href="/next">next</a>' })
  })
  return {
    results: parcels.map(({ result }) => ({ ...(result as CapturedResult), ...said })),
    members: Buffer.concat(parcels.flatMap(({ members }) => members)),
    openedAt: urls.map(() => START),
    dropped: 0,
    unpackedBytes: 0,
    device: 'dev_1',
    trust: { isTrusted: false, isProven: false, auditProbability: 0 },
  }
}

async function checkedBy(
  sent: Sent,
  parts: Partial<ConstructorParameters<typeof UploadChecks>[0]>,
): Promise<CheckedResults> {
  const checks = new UploadChecks({
    store: null as never,
    secret: '',
    machineClock: systemClock,
    thread: new URL('../../../test/agents/trust/check-thread-fixture.ts', import.meta.url),
    ...parts,
  })
  const checked = await checks.check(sent, { views: new Map(), now: START })
  await checks.close()
  return checked
}

const outcomeOf = (result: Result): unknown =>
  result.type === 'captured' ? [result.unread ?? null, ...result.links] : result

const DEADLINES = { checkMs: 2_000, resultMs: 2_000, oneByOneMs: 60_000 }

test('a page that hangs or breaks the check is kept without links, and all others of its upload as ever', async () => {
  const robots = 'http://e.test/robots.txt'
  const urls = ['http://a.test/', 'http://b.test/hangs', 'http://c.test/breaks', 'http://d.test/']
  const sent = sentOf([...urls, robots])
  const checked = await checkedBy(sent, { deadlines: DEADLINES })
  assert.equal(checked.refused, 0)
  assert.deepEqual(checked.members, sent.members)
  assert.deepEqual(checked.results.map(outcomeOf), [
    [null, 'http://a.test/next'],
    ['page:too-slow'],
    ['page:unreadable'],
    [null, 'http://d.test/next'],
    [null],
  ])
})

test('what its agent could not read is not read again, but for the rules of a site', async () => {
  const sent = sentOf(['http://b.test/hangs', 'http://e.test/robots.txt'], {
    unread: 'page:too-slow',
    title: 'said without reading',
  })
  const [page, robots] = (await checkedBy(sent, { deadlines: DEADLINES })).results
  assert.deepEqual(outcomeOf(page!), ['page:too-slow'])
  assert.equal(page?.type === 'captured' && page.title, null)
  assert.ok(robots?.type === 'captured' && robots.body !== null && robots.unread === null)
})

test('when the time of an upload is over, what is left of it are failures that another device may repeat', async () => {
  // Every deadline is over at once.
  const machineClock = { ...systemClock, sleep: async () => {} }
  const pages = sentOf(['http://a.test/', 'http://b.test/'])
  const late = [
    await checkedBy(pages, { machineClock }),
    await checkedBy(sentOf(['http://a.test/hangs', 'http://b.test/']), {
      deadlines: { checkMs: 500, resultMs: 500, oneByOneMs: 0 },
    }),
  ]
  for (const checked of late) {
    assert.deepEqual([checked.members.length, checked.refused], [0, 2])
    for (const failed of checked.results) {
      assert.equal(failed.type === 'failed' && failed.code, 'MINGA_WORKER_TOO_SLOW')
      assert.equal(failed.type === 'failed' && failed.retry, 'later')
    }
  }
})

test('uploads count per owner for volunteers and per boot for the station’s own devices', () => {
  const concurrencyLimit = new ConcurrencyLimit()
  const enter = (owner: string, boot: string, isTrusted: boolean): (() => void) =>
    concurrencyLimit.enter({ boot, owner, isTrusted }, { uploadBytes: 1 })
  const leave = ['a', 'b', 'c', 'd'].map((boot) => enter('volunteer', boot, false))
  assert.throws(() => enter('volunteer', 'e', false), /The limit of /)
  enter('another', 'f', false)
  leave[0]!()
  enter('volunteer', 'e', false)
  for (const boot of ['g', 'h', 'i', 'j', 'k']) enter('operator', boot, true)
})

test('concurrent uploads share a limit of bytes, which no single agent can exhaust', () => {
  const MB = 1024 * 1024
  const concurrencyLimit = new ConcurrencyLimit()
  const enter = (owner: string, megabytes: number, isTrusted = false): (() => void) =>
    concurrencyLimit.enter({ boot: owner, owner, isTrusted }, { uploadBytes: megabytes * MB })
  const leave = enter('a', 200)
  assert.throws(() => enter('a', 57), /The limit of /, 'an owner has room for one of the largest')
  enter('a', 56)
  enter('b', 256)
  enter('c', 256)
  assert.throws(() => enter('d', 1), /The limit of /, 'volunteers leave room for own devices')
  enter('own', 256, true)
  assert.throws(() => enter('own', 1, true), { code: 'MINGA_RATE_LIMITED', retryAfterS: 1 })
  leave()
  enter('d', 100)
  enter('own', 100, true)
})

test('an upload that would be too much together with others is refused with 429 before it is received', async () => {
  const { fleet } = await volunteering
  const { app } = fleet.station
  await app.listen({ host: '127.0.0.1', port: 0 })
  after(() => app.close())
  const { port } = app.server.address() as { port: number }
  const stranger = await fleet.stranger()
  await stranger.call('beat', { progress: 1, fences: [] })
  const begin = (): Socket => {
    const socket = connect(port, '127.0.0.1')
    after(() => socket.destroy())
    const lines = [
      'POST /agent/results HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/vnd.minga.upload',
      `Content-Length: ${LARGEST_UPLOAD_BYTES}`,
      `Authorization: Bearer ${stranger.session}`,
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return socket
  }
  const received = once(app.server, 'request')
  begin()
  await received
  // What is known of a session is looked up first.
  await systemClock.sleep(100)
  const [answer] = (await once(begin(), 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1\.1 429 .*retry-after: 1/is)
})

const TRUE_PAGE = { body: '<p>the truth</p>' }

/** A record of any time, or a revisit of any payload, as a device can make it that knows the format. */
function forgedOf(
  { result }: Parcel,
  lies: Partial<Pick<CapturedResult, 'capturedAt' | 'digest' | 'record'>>,
): Parcel {
  const forged = { ...(result as CapturedResult), ...lies }
  const { url, capturedAt, digest, record } = forged
  const body = Buffer.from(record === 'revisit' ? '' : TRUE_PAGE.body)
  const member = encodeRecord({
    type: record,
    headers: [
      ['WARC-Target-URI', url],
      ['WARC-Date', new Date(capturedAt).toISOString()],
      ['WARC-Payload-Digest', digest],
      ['WARC-Record-ID', '<urn:uuid:00000000-0000-4000-9000-000000000001>'],
    ],
    block: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'), body],
  })
  const members = [member.length]
  return { result: { ...forged, members }, members: [member], endedAtMs: 0, weightBytes: 0 }
}

test('captures of the year 3000 and revisits of payloads that their URLs never had are not kept', async () => {
  const web = { 'http://h0.test/page': TRUE_PAGE, 'http://h1.test/page': TRUE_PAGE }
  const { fleet, stranger, parcels } = await volunteer(3, web)
  const [future, honest, never] = parcels as [Parcel, Parcel, Parcel]
  const { digest } = honest.result as CapturedResult
  const boot = bootOf(stranger)
  await stranger.upload(uploadOf([honest], boot))
  const forged = [
    forgedOf(future, { capturedAt: Date.UTC(3000, 0) }),
    forgedOf(never, { digest, record: 'revisit' }),
  ].map(({ result, ...parcel }) => ({ ...parcel, result: { ...result, status: 200 } as Result }))
  const said = await stranger.upload(uploadOf(forged, boot))
  assert.deepEqual(said.body, { accepted: 2, stale: 0 })
  const urls = (await fleet.station.captures()).map(({ url }) => url)
  assert.deepEqual(
    urls.filter((url) => url.endsWith('/page')),
    ['http://h1.test/page'],
  )
  assert.equal((await fleet.station.content('http://h2.test/page')).status, 404)
})
