// Goal: every result reaches the station, whatever happens on the way, and counts as waiting until
// then. Method: a real station server and the real recording thread; pauses on a virtual clock.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { decodeUpload } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { StationRefused } from '../errors.ts'
import { WorkBuffer } from '../fetch/work-buffer.ts'
import type { Finding } from './recorder.ts'
import { sendResults } from './send.ts'
import {
  answerOf,
  blockOf,
  hostOf,
  pauseBefore,
  realMs,
  startStationServer,
  stationAt,
  testMachine,
  until,
  type Call,
  type Reply,
} from '../../test/station/station-client-fixture.ts'

const TAKEN: Reply = { json: { accepted: 1, stale: 0 } }

async function startSending(t: TestContext, answer: (call: Call) => Reply) {
  const server = await startStationServer(t, answer)
  const clock = createVirtualClock()
  const machine = testMachine(t, clock, { concurrency: 2 })
  const stop = new AbortController()
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  const sending = sendResults({ station: stationAt(server.url), machine, buffer }, stop.signal)
  t.after(() => {
    stop.abort()
    return sending.catch(() => {})
  })
  return { server, clock, machine, buffer, stop, sending, recorder: machine.recorder }
}

function findingOf(hash: number, fence = 1): Finding {
  const request = { ...hostOf(['http://h.test/']).requests[0]!, hash }
  const leased = { fence, hostId: 1, collectionId: 1, request }
  return { leased, outcome: answerOf(`<p>page ${hash}</p>`), endedAtMs: 0 }
}

const hashesOf = ({ body }: Call): number[] =>
  decodeUpload(body).manifest.results.map(({ hash }) => hash)

test('an upload is repeated, byte for byte and ever more rarely, until the station has it', async (t) => {
  const replies: Reply[] = [{ status: 503 }, 'reset', { status: 500 }, { status: 429 }]
  replies.push({ text: 'not JSON' }, { status: 502 }, { status: 503 })
  const { server, clock, recorder } = await startSending(t, () => replies.shift() ?? TAKEN)
  recorder.put(findingOf(1, 11))
  recorder.put(findingOf(2, 12))
  await until(() => server.calls.length === 1, 'the first try arrived')
  const pauses: number[] = []
  for (let calls = 2; calls <= 8; calls++) {
    assert.deepEqual(recorder.fences, new Set([11, 12]), 'kept while the station is away')
    pauses.push(await pauseBefore(clock, () => server.calls.length === calls))
  }
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  await until(() => recorder.waiting === 0, 'all is delivered')
  assert.deepEqual(recorder.fences, new Set())
  assert.equal(recorder.waitingBytes, 0)
  for (const { body } of server.calls) assert.ok(body.equals(server.calls[0]!.body))
  assert.deepEqual(hashesOf(server.calls[0]!), [1, 2])
})

test('what comes while an upload is out leaves with the next, and nothing is lost or sent twice', async (t) => {
  let calls = 0
  const { server, recorder, clock } = await startSending(t, () =>
    ++calls % 3 === 0 ? TAKEN : { status: 503 },
  )
  const taken = (): number[] => server.calls.filter((_, i) => i % 3 === 2).flatMap(hashesOf)
  for (let hash = 1; hash <= 900; hash++) {
    recorder.put(findingOf(hash, hash % 7))
    if (hash % 50 !== 0) continue
    await realMs(1)
    await clock.advance(100)
  }
  await pauseBefore(clock, () => recorder.waiting === 0)
  assert.deepEqual(
    taken(),
    Array.from({ length: 900 }, (_, i) => i + 1),
  )
  assert.ok(server.calls.length > 3, 'it took several uploads')
})

test('Refill/flush at x/2: the tail leaves at once; with work at hand a result waits for company, not long', async (t) => {
  const { server, recorder, clock, buffer, machine } = await startSending(t, () => TAKEN)
  recorder.put(findingOf(1))
  await until(() => recorder.waiting === 0, 'it is delivered without any time passing')
  assert.equal(clock.monotonicMs(), 0)

  buffer.take(blockOf(1, [hostOf(['http://h.test/a', 'http://h.test/b', 'http://h.test/c'])]), 0)
  await until(() => machine.fetcher.urls.length === 1, 'the lanes are at work')
  recorder.put(findingOf(2))
  setImmediate(() => recorder.put(findingOf(3)))
  assert.equal(await pauseBefore(clock, () => server.calls.length === 2), 100)
  assert.deepEqual(hashesOf(server.calls[1]!), [2, 3])
})

for (const [what, count, bytes] of [
  ['many', 250, 10],
  ['large', 5, 1_000_000],
] as const) {
  test(`a batch of ${what} results does not wait for more`, async (t) => {
    const { server, recorder, clock, buffer, machine } = await startSending(t, () => TAKEN)
    buffer.take(blockOf(1, [hostOf(['http://h.test/a', 'http://h.test/b'])]), 0)
    await until(() => machine.fetcher.urls.length === 1, 'the lanes are at work')
    for (let hash = 1; hash <= count; hash++) {
      recorder.put({ ...findingOf(hash), outcome: answerOf(Buffer.alloc(bytes)) })
    }
    await until(() => server.calls.length === 1, 'the upload left')
    assert.equal(clock.monotonicMs(), 0)
  })
}

for (const status of [401, 403]) {
  test(`an upload that is answered with ${status} ends the sending with the reason of the station`, async (t) => {
    const { server, recorder, sending } = await startSending(t, () => ({
      status,
      text: '{"error":{"code":"MINGA_DEVICE_REVOKED","message":"The device was revoked."}}',
    }))
    recorder.put(findingOf(1))
    await assert.rejects(sending, (error) => {
      assert.ok(error instanceof StationRefused)
      assert.match(error.message, /MINGA_DEVICE_REVOKED.*was revoked/)
      return true
    })
    assert.equal(server.calls.length, 1)
    assert.equal(recorder.waiting, 1, 'it is not treated as delivered')
  })
}

test('batches that are refused for their content are dropped one by one, ever more rarely', async (t) => {
  const { server, recorder, clock, machine } = await startSending(t, () => ({
    status: 413,
    text: '{"error":{"code":"MINGA_BAD_UPLOAD","message":"It is too large."}}',
  }))
  const complaints: string[] = []
  machine.complain = (line) => complaints.push(line)
  const pauses: number[] = []
  recorder.put(findingOf(1))
  await until(() => server.calls.length === 1, 'the first arrived')
  for (let calls = 2; calls <= 8; calls++) {
    recorder.put(findingOf(calls))
    pauses.push(await pauseBefore(clock, () => server.calls.length === calls))
  }
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000], 'no loop')
  assert.deepEqual(server.calls.map(hashesOf), [[1], [2], [3], [4], [5], [6], [7], [8]])
  await until(() => recorder.waiting === 0, 'none of them is kept')
  assert.deepEqual(recorder.fences, new Set(), 'their leases are not named any more')
  assert.equal(complaints.length, 8)
  assert.match(complaints[0]!, /MINGA_BAD_UPLOAD: It is too large/)
})

test('a stop while the station is away ends the sending, and what was not sent still counts', async (t) => {
  const { server, recorder, sending, stop } = await startSending(t, () => ({ status: 503 }))
  recorder.put(findingOf(1, 11))
  await until(() => server.calls.length === 1, 'the first try arrived')
  stop.abort()
  await sending
  assert.equal(recorder.waiting, 1)
  assert.deepEqual(recorder.fences, new Set([11]))
})

test('a stop with nothing to send ends the sending at once', async (t) => {
  const { server, sending, stop } = await startSending(t, () => TAKEN)
  stop.abort()
  await sending
  assert.equal(server.calls.length, 0)
})
