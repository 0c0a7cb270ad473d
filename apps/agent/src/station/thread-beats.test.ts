// Goal: heavy work in the main loop neither silences an agent nor lets it dial for a lease that
// ended in the meantime. Method: a station in a thread of its own, and a main loop that stands
// still for seconds.
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { BEAT_EVERY_MS, systemClock, type Heartbeat } from '@minga/protocol'
import type { AgentCondition } from '../owner/control.ts'
import { StationRefused } from '../errors.ts'
import { WorkBuffer } from '../fetch/work-buffer.ts'
import type { OwnerHooks } from '../owner/owner-hooks.ts'
import { beatFromThread } from './thread-beats.ts'
import {
  blockOf,
  hostOf,
  stationAt,
  testMachine,
  until,
  WELCOME,
} from '../../test/station/station-client-fixture.ts'
import { createVirtualClock } from '@minga/testkit'

/**
 * Answers heartbeats according to the first beat's number, while the test's own loop is blocked.
 */
const SERVER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:http').createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const name = request.url.replace('/agent/', '')
      const message = JSON.parse(Buffer.concat(chunks).toString())
      parentPort.postMessage({ name, message, session: request.headers.authorization })
      const reply = (workerData[name] ?? []).shift() ?? { json: { ended: [] } }
      response.writeHead(reply.status ?? 200)
      response.end(JSON.stringify(reply.json ?? {}))
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }))
`

interface Call {
  name: string
  message: Heartbeat
  session: string
}

type Replies = Record<string, { status?: number; json?: unknown }[]>

async function startBeating(t: TestContext, replies: Replies) {
  const server = new Worker(SERVER, { eval: true, workerData: replies })
  const calls: Call[] = []
  const port = await new Promise<number>((resolve) => {
    server.on('message', (said: Call & { port?: number }) => {
      if (said.port === undefined) calls.push(said)
      else resolve(said.port)
    })
  })
  const machine = testMachine(t, createVirtualClock())
  const stop = new AbortController()
  const buffer = new WorkBuffer({
    machine: { ...machine, clock: systemClock },
    signal: stop.signal,
  })
  const station = stationAt(`http://127.0.0.1:${port}`)
  const beating = beatFromThread({ station, buffer, clock: systemClock }, stop.signal)
  beating.catch(() => {})
  t.after(async () => {
    stop.abort()
    await beating.catch(() => {})
    await server.terminate()
  })
  const beats = (): Heartbeat[] =>
    calls.filter(({ name }) => name === 'beat').map(({ message }) => message)
  return { calls, beats, buffer, station, stop, beating, machine }
}

/** As a huge page would: nothing of this thread runs in the meantime. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** In long runs longer than silence may last: without beats nothing could be dialled after it. */
const STILL_MS = process.env['MINGA_LONG'] === '1' ? 12_000 : 6_000
const BEATS = Math.floor(STILL_MS / BEAT_EVERY_MS)

const slow = (hostId: number) => hostOf([`http://h${hostId}.test/`], { hostId })

test('beats go on while the main loop stands still, and what they brought counts before the next dial', async (t) => {
  const { buffer, beats } = await startBeating(t, {
    beat: [{ json: { ended: [] } }, { json: { ended: [2] } }],
  })
  buffer.take(blockOf(1, [slow(1)]), systemClock.monotonicMs())
  buffer.take(blockOf(2, [slow(2)]), systemClock.monotonicMs())
  assert.ok(buffer.mayDial(1) && buffer.mayDial(2))
  await until(() => beats().length > 0, 'the thread has started')
  const from = systemClock.monotonicMs()
  standStill(STILL_MS)
  assert.ok(systemClock.monotonicMs() - from >= STILL_MS - 1)
  assert.equal(buffer.mayDial(2), false, 'its end was reported while the loop was blocked')
  assert.equal(buffer.mayDial(1), true, 'the beats kept it')
  await until(() => beats().length >= BEATS, 'the beats are seen here too')
  for (const beat of beats()) {
    assert.deepEqual(new Set(beat.fences), new Set([1, 2]))
    assert.equal(beat.progress, 0, 'a loop that stands still makes no progress')
  }
})

describe('Side by side', { concurrency: true }, () => {
  test('a beat carries the progress of the main loop, and names a lease no longer when it is done', async (t) => {
    const { buffer, beats, machine } = await startBeating(t, {})
    buffer.take(blockOf(7, [slow(1)]), systemClock.monotonicMs())
    await until(() => machine.fetcher.urls.length === 1, 'the page is in the air')
    machine.fetcher.release()
    await until(() => buffer.requests === 0, 'it has ended')
    const batch = await machine.recorder.batch({ boot: 'boot-0001', bytesMax: 1_000 })
    machine.recorder.delivered(batch!)
    await until(() => beats().some(({ fences }) => fences.length === 0), 'it is not named any more')
    assert.equal(beats().at(-1)?.progress, 1)
  })

  test('a beat says that the owner lets the agent rest and why, and when that is over', async (t) => {
    let rest: AgentCondition | null = 'on-battery'
    const { beats, buffer } = await startBeating(t, {})
    buffer.machine.ownerHooks = { restsFor: () => rest } as OwnerHooks
    await until(() => beats().some(({ rests }) => rests === true), 'it says so')
    assert.equal(beats().at(-1)?.rest, 'on-battery')
    rest = null
    await until(() => beats().at(-1)?.rests === false, 'it says that it is over')
    assert.equal(beats().at(-1)?.rest, null)
  })

  test('a station that forgot the agent is said hello to by the main loop, and beats show the new session', async (t) => {
    const { calls, beats } = await startBeating(t, {
      beat: [{ status: 409, json: { error: { code: 'MINGA_UNKNOWN_AGENT', message: '' } } }],
      challenge: [{ json: { nonce: 'a-nonce' } }],
      hello: [{ json: { ...WELCOME, session: 'the-second' } }],
    })
    await until(() => beats().length === 2, 'it beats on')
    assert.deepEqual(
      calls.map(({ name, session }) => [name, session]),
      [
        ['beat', 'Bearer'],
        ['challenge', undefined],
        ['hello', undefined],
        ['beat', 'Bearer the-second'],
      ],
    )
  })

  test('a refusal in the thread ends the beating with its reason', async (t) => {
    const { beating } = await startBeating(t, {
      beat: [{ status: 403, json: { error: { code: 'MINGA_X', message: 'Because.' } } }],
    })
    await assert.rejects(beating, (error) => {
      assert.ok(error instanceof StationRefused)
      assert.match(error.message, /MINGA_X: Because\./)
      return true
    })
  })

  test('a stop ends the thread at once', async (t) => {
    const { beating, stop } = await startBeating(t, {})
    stop.abort()
    await beating
  })
})
