// Goal: the work buffer is refilled in time, and a station that is away or has nothing is not hammered.
// Method: a real station server on loopback; all pauses on a virtual clock, measured exactly.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { askForBlocks } from './ask.ts'
import { StationRefused } from '../errors.ts'
import { WorkBuffer } from './work-buffer.ts'
import {
  blockOf,
  hostOf,
  pauseBefore,
  realMs,
  startStationServer,
  stationAt,
  testMachine,
  until,
  type Reply,
} from '../../test/station/station-client-fixture.ts'

const NOTHING: Reply = { json: { block: null, waitMs: 7_000 } }

async function startAsking(t: TestContext, answer: () => Reply, isHeard = true) {
  const server = await startStationServer(t, answer)
  const clock = createVirtualClock()
  const machine = testMachine(t, clock)
  const stop = new AbortController()
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  // Its beats are answered, however long the test lasts.
  if (isHeard) buffer.heard(Number.MAX_SAFE_INTEGER)
  const asking = askForBlocks({ station: stationAt(server.url), machine, buffer }, stop.signal)
  t.after(() => {
    stop.abort()
    return asking.catch(() => {})
  })
  return { server, clock, machine, buffer, stop, asking }
}

const urls = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://h.test/${i}`)

test('Refill/flush at x/2: the next question comes when half of what may be in progress is done', async (t) => {
  let fence = 0
  const { server, machine, buffer } = await startAsking(t, () => {
    fence++
    // Each request is another host's, so that all of them are in reach of the eight lanes.
    const hosts = urls(60).map((url, i) => hostOf([url], { hostId: fence * 100 + i }))
    return { json: { block: blockOf(fence, hosts), waitMs: 0 } }
  })
  await until(() => buffer.requests === 60, 'the block is in progress')
  assert.deepEqual(server.calls[0]?.message['requestsMax'], 100)
  for (let left = 59; left >= 50; left--) {
    machine.fetcher.release()
    await until(() => buffer.requests === left, `${left} are left`)
  }
  await realMs(20)
  assert.equal(server.calls.length, 1, 'half of a hundred is enough to go on with')
  machine.fetcher.release()
  await until(() => server.calls.length === 2, 'the next question came')
  assert.equal(server.calls[1]?.message['requestsMax'], 51)
})

test('an answer without work is accepted: the agent comes back at the given time, not before', async (t) => {
  const { server, clock } = await startAsking(t, () => NOTHING)
  assert.equal(await pauseBefore(clock, () => server.calls.length === 2), 7_000)
  assert.equal(await pauseBefore(clock, () => server.calls.length === 3), 7_000)
})

test('a station that is away is tried ever more rarely, and as soon as ever once it was back', async (t) => {
  const { server, clock } = await startAsking(t, () => ({ status: 503 }))
  const pauses: number[] = []
  for (let calls = 2; calls <= 8; calls++) {
    pauses.push(await pauseBefore(clock, () => server.calls.length === calls))
  }
  assert.deepEqual(pauses, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  server.answer = () => NOTHING
  await pauseBefore(clock, () => server.calls.length === 9)
  server.answer = () => 'reset'
  await pauseBefore(clock, () => server.calls.length === 10)
  assert.equal(await pauseBefore(clock, () => server.calls.length === 11), 250)
})

test('a refusal ends the asking with its reason', async (t) => {
  const { asking, server } = await startAsking(t, () => ({ status: 401, text: 'a wrong token' }))
  await assert.rejects(asking, (error) => {
    assert.ok(error instanceof StationRefused)
    assert.match(error.message, /a wrong token/)
    return true
  })
  assert.equal(server.calls.length, 1)
})

for (const [what, answer] of [
  ['an open question', 'hang'],
  ['the pause that the station asked for', NOTHING],
  ['the pause after a failure', { status: 503 }],
  ['a full buffer', { json: { block: blockOf(1, [hostOf(urls(90))]), waitMs: 0 } }],
] as const) {
  test(`a stop does not wait for ${what}`, async (t) => {
    const { asking, server, stop } = await startAsking(t, () => answer)
    await until(() => server.calls.length === 1, 'the question arrived')
    await realMs(20)
    stop.abort()
    await asking
    assert.equal(server.calls.length, 1)
  })
}

test('the time of a block runs from the question: an answer that came too late is not dialled', async (t) => {
  const { server, clock, machine, buffer } = await startAsking(t, () => 'hang')
  await until(() => server.calls.length === 1, 'the question arrived')
  // Beats are answered in the meantime: it is the age of this answer alone that counts.
  await clock.advance(9_900)
  buffer.heard(clock.monotonicMs())
  server.release({ json: { block: blockOf(1, [hostOf(urls(3))]), waitMs: 0 } })
  await until(() => machine.recorder.waiting === 3, 'all three are given back')
  assert.deepEqual(machine.fetcher.urls, [])
})

test('while beats go unanswered nothing is asked for, and as soon as one is answered, it is', async (t) => {
  const { server, clock, buffer } = await startAsking(t, () => NOTHING, false)
  await pauseBefore(clock, () => server.calls.length === 2)
  await realMs(20)
  for (let i = 0; i < 40; i++) await clock.advance(500)
  await realMs(20)
  assert.equal(server.calls.length, 2, 'a deaf agent does not take blocks only to give them back')
  buffer.heard(clock.monotonicMs())
  await clock.advance(500)
  await until(() => server.calls.length === 3, 'it asks once it is heard')
})
