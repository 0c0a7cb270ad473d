// Goal: as long as an agent lives the station receives its heartbeats, and what the station has
// taken back is left alone at once. Method: a real station server, a virtual clock, the other loops
// stuck on purpose.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { BEAT_EVERY_MS } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { askForBlocks } from '../fetch/ask.ts'
import { StationRefused } from '../errors.ts'
import { WorkBuffer } from '../fetch/work-buffer.ts'
import { sendResults } from '../record/send.ts'
import {
  beatHere,
  blockOf,
  hostOf,
  realMs,
  startStationServer,
  stationAt,
  testMachine,
  until,
  type Call,
  type Reply,
} from '../../test/station/station-client-fixture.ts'

const HEARD: Reply = { json: { ended: [] } }

async function startBeating(t: TestContext, answer: (call: Call) => Reply) {
  const server = await startStationServer(t, answer)
  const clock = createVirtualClock()
  const machine = testMachine(t, clock)
  const stop = new AbortController()
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  const station = stationAt(server.url)
  const over = { beats: 0 }
  const beating = beatHere({ station, buffer, clock, over }, stop.signal)
  t.after(() => {
    stop.abort()
    return beating.catch(() => {})
  })
  return { server, clock, machine, buffer, station, stop, beating, over }
}

type Beats = Awaited<ReturnType<typeof startBeating>>

/** Lets the time of one beat pass, and its answer arrive. */
async function passBeat({ clock, over }: Beats): Promise<void> {
  await clock.advance(BEAT_EVERY_MS)
  await ended(over, over.beats + 1)
}

async function ended(over: { beats: number }, beats: number): Promise<void> {
  await until(() => over.beats === beats, `beat ${beats} is over`)
  await realMs(1)
}

const urls = ['http://h.test/a', 'http://h.test/b', 'http://h.test/c']

test('a beat names the progress and every lease in progress or with results on their way', async (t) => {
  const beats = await startBeating(t, () => HEARD)
  const { buffer, machine, server, clock } = beats
  buffer.take(blockOf(11, [hostOf([urls[0]!], { hostId: 1 })]), clock.monotonicMs())
  buffer.take(blockOf(12, [hostOf([urls[1]!], { hostId: 2 })]), clock.monotonicMs())
  await until(() => machine.fetcher.urls.length === 2, 'both are in the air')
  await passBeat(beats)
  machine.fetcher.release()
  await until(() => buffer.requests === 1, 'the first has ended')
  await passBeat(beats)
  const batch = await machine.recorder.batch({ boot: 'boot-0001', bytesMax: 1_000_000 })
  machine.recorder.delivered(batch!)
  await passBeat(beats)
  assert.deepEqual(
    server.calls.map(({ message }) => [
      message['progress'],
      new Set(message['fences'] as number[]),
    ]),
    [
      [0, new Set([11, 12])],
      [1, new Set([11, 12])],
      [1, new Set([12])],
    ],
  )
})

test('beats go on while a question, an upload and a site all hang', async (t) => {
  const beats = await startBeating(t, ({ name }) => (name === 'beat' ? HEARD : 'hang'))
  const { buffer, machine, server, station, stop, clock } = beats
  const loops = [
    askForBlocks({ station, machine, buffer }, stop.signal),
    sendResults({ station, machine, buffer }, stop.signal),
  ]
  buffer.take(blockOf(1, [hostOf(urls)]), clock.monotonicMs())
  await until(() => machine.fetcher.urls.length === 1, 'a request is in the air')
  machine.fetcher.release()
  await until(() => server.callsOf('results').length === 1, 'an upload hangs')
  await until(() => machine.fetcher.urls.length === 2, 'a site hangs')
  for (let i = 0; i < 6; i++) await passBeat(beats)
  assert.equal(server.callsOf('beat').length, 6)
  assert.equal(server.callsOf('results').length, 1)
  assert.equal(server.callsOf('ask').length, 1)
  assert.ok(buffer.mayDial(1), 'fifteen seconds later the lease is still ours')
  stop.abort()
  server.release('reset')
  server.release('reset')
  await Promise.all(loops)
})

test('a lease that a beat names as ended is not dialled any more, others are', async (t) => {
  const beats = await startBeating(t, () => ({ json: { ended: [1] } }))
  const { buffer, machine, clock } = beats
  buffer.take(blockOf(1, [hostOf(urls, { hostId: 1 })]), clock.monotonicMs())
  buffer.take(blockOf(2, [hostOf(urls, { hostId: 2 })]), clock.monotonicMs())
  await until(() => machine.fetcher.urls.length === 2, 'one of each is in the air')
  await passBeat(beats)
  assert.equal(buffer.mayDial(1), false)
  assert.equal(buffer.mayDial(2), true)
  machine.fetcher.release()
  machine.fetcher.release()
  await until(() => machine.fetcher.urls.length === 3, 'the valid lease goes on')
  machine.fetcher.release()
  await until(() => machine.fetcher.urls.length === 4, 'to its end')
  machine.fetcher.release()
  await buffer.emptied()
  assert.equal(machine.fetcher.urls.length, 4, 'one of the lost lease and three of the other')
  assert.equal(machine.recorder.waiting, 6, 'what was not dialled is given back')
})

test('an absent station is beaten on, and its first answer gives back the right to dial', async (t) => {
  const beats = await startBeating(t, () => ({ status: 503 }))
  const { buffer, server, clock } = beats
  buffer.take(blockOf(1, [hostOf(urls)]), clock.monotonicMs())
  for (let i = 0; i < 3; i++) await passBeat(beats)
  assert.equal(buffer.mayDial(1), true, 'after 7.5 seconds of silence')
  await passBeat(beats)
  assert.equal(buffer.mayDial(1), false, 'after 10 seconds of silence')
  server.answer = () => HEARD
  await passBeat(beats)
  assert.equal(buffer.mayDial(1), true)
})

test('an answer counts from when its beat was sent', async (t) => {
  const { server, buffer, clock, over } = await startBeating(t, () => 'hang')
  buffer.take(blockOf(1, [hostOf(urls)]), clock.monotonicMs())
  await clock.advance(BEAT_EVERY_MS)
  await until(() => server.calls.length === 1, 'the beat arrived')
  await clock.advance(8_000)
  server.release(HEARD)
  await ended(over, 1)
  assert.equal(buffer.mayDial(1), true, 'sent 8 seconds ago')
  await clock.advance(1_500)
  assert.equal(buffer.mayDial(1), false, 'sent 9.5 seconds ago')
})

test('a beat that hangs is given up when its answer could renew nothing, and the next gets through', async (t) => {
  const { server, buffer, clock, over } = await startBeating(t, () => 'hang')
  buffer.take(blockOf(1, [hostOf(urls)]), clock.monotonicMs())
  await clock.advance(BEAT_EVERY_MS)
  await until(() => server.calls.length === 1, 'the beat arrived')
  server.answer = () => HEARD
  await clock.advance(10_000)
  await ended(over, 1)
  await clock.advance(BEAT_EVERY_MS)
  await ended(over, 2)
  assert.equal(buffer.mayDial(1), true)
})

test('a refusal ends the beating with its reason', async (t) => {
  const { beating, clock } = await startBeating(t, () => ({ status: 401, text: 'a wrong token' }))
  const refused = assert.rejects(beating, (error) => {
    assert.ok(error instanceof StationRefused)
    assert.match(error.message, /a wrong token/)
    return true
  })
  await clock.advance(BEAT_EVERY_MS)
  await refused
  assert.equal(clock.sleeping(), 0)
})

test('a stop ends the beating at once, also while an answer is out', async (t) => {
  const { server, beating, clock, stop } = await startBeating(t, () => 'hang')
  await clock.advance(BEAT_EVERY_MS)
  await until(() => server.calls.length === 1, 'the beat arrived')
  stop.abort()
  await beating
  assert.equal(clock.sleeping(), 0)
})
