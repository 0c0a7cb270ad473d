// Goal: what the owner of a machine says holds at once, and nothing that was lent to them is lost by
// it. Method: the whole pipeline with the owner's side, against a written station on a virtual clock,
// with requests that stay in the air until the test lets them end.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { decodeUpload, type Result } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import type { AgentCondition, VolunteerLimits } from './control.ts'
import type { Power } from '../system/os.ts'
import { runAgent } from '../pipeline.ts'
import {
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
  type StationServer,
} from '../../test/station/station-client-fixture.ts'
import { Volunteer } from './volunteer.ts'

const START = new Date(2026, 1, 10, 12).getTime()
const NOTHING: Reply = { json: { block: null, waitMs: 2_000 } }

/** A station that gives away one block after the other, each when the one before has come back. */
function answersWith(others: Record<string, (call: Call) => Reply> = {}): StationServer['answer'] {
  let fence = 0
  let results = 0
  return (call): Reply => {
    if (call.name === 'results') results += decodeUpload(call.body).manifest.results.length
    const other = others[call.name]
    if (other) return other(call)
    if (call.name === 'beat') return { json: { ended: [] } }
    if (call.name !== 'ask') return { json: { accepted: 1, stale: 0 } }
    return results < 6 * fence ? NOTHING : { json: { block: nextBlock(++fence), waitMs: 0 } }
  }
}

/** Three hosts with two pages each. */
function nextBlock(fence: number) {
  const hosts = ['a', 'b', 'c'].map((name, i) =>
    hostOf([`http://${name}.test/${fence}/1`, `http://${name}.test/${fence}/2`], {
      hostId: i + 1,
      delayMs: 1_000,
    }),
  )
  return blockOf(fence, hosts)
}

interface Lent {
  limits?: Partial<VolunteerLimits>
  others?: Record<string, (call: Call) => Reply>
  power?: Power
  data?: string
}

async function lend(t: TestContext, { limits = {}, others, power, data: given }: Lent = {}) {
  const server = await startStationServer(t, answersWith(others))
  const clock = createVirtualClock(START)
  const data = given ?? mkdtempSync(join(tmpdir(), 'minga-owner-'))
  const machine = testMachine(t, clock)
  const told = { power: power ?? { isOnBattery: null, isMetered: null } }
  const volunteer = await Volunteer.open({
    data,
    // All of this process's work would count, the test runner's as well.
    limits: { cpuShare: null, ...limits },
    station: server.url,
    name: 'tester',
    concurrency: null,
    clock,
    complain: () => {},
    power: async () => told.power,
  })
  const { control } = volunteer
  machine.ownerHooks = control
  const over = new AbortController()
  const house = volunteer.keepHouse(over.signal)
  const running = runAgent(stationAt(server.url), machine, control.finishing)
  running.catch(() => {})
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    over.abort()
    await house
    await volunteer.close()
  }
  t.after(async () => {
    control.stopNow()
    await clock.advance(3_000)
    await close()
    if (given === undefined) rmSync(data, { recursive: true })
  })
  return { server, clock, control, machine, fetcher: machine.fetcher, running, told, data, close }
}

const resultsOf = (server: StationServer): Result[] =>
  server.callsOf('results').flatMap(({ body }) => decodeUpload(body).manifest.results)
const typesOf = (server: StationServer): string[] =>
  resultsOf(server)
    .map(({ type }) => type)
    .toSorted()

test('a pause gives back at once what was not dialled, lets the rest arrive, and asks for nothing', async (t) => {
  const { server, clock, control, fetcher } = await lend(t)
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  assert.equal(control.view().condition, 'working')
  assert.equal(control.view().inFlight.length, 3)
  await control.pause()
  await until(() => typesOf(server).length === 3, 'what was not dialled is given back')
  assert.deepEqual(typesOf(server), ['returned', 'returned', 'returned'])
  assert.equal(control.view().condition, 'paused-by-owner')
  for (let i = 0; i < 3; i++) fetcher.release()
  await until(() => typesOf(server).length === 6, 'what was in the air is sent')
  const asked = server.callsOf('ask').length
  const beats = server.callsOf('beat').length
  await pauseBefore(clock, () => server.callsOf('beat').length === beats + 4)
  assert.equal(server.callsOf('ask').length, asked, 'it asks for nothing')
  assert.equal(fetcher.urls.length, 3, 'it dials nothing')
  assert.equal(server.callsOf('goodbye').length, 0, 'it stays connected')
  await control.resume()
  await pauseBefore(clock, () => fetcher.urls.length === 6)
  assert.equal(control.view().condition, 'working')
})

test('a pause and limits are remembered by the next start', async (t) => {
  const first = await lend(t)
  await first.control.setLimits({ concurrencyMax: 3, neverHosts: ['x.test'] })
  await first.control.pause()
  first.control.stopNow()
  await first.clock.advance(3_000)
  await first.running
  await first.close()
  const second = await lend(t, { data: first.data })
  const { condition, limits, concurrency } = second.control.view()
  assert.equal(condition, 'paused-by-owner')
  assert.deepEqual([limits.concurrencyMax, limits.neverHosts, concurrency], [3, ['x.test'], 3])
  await realMs(50)
  assert.equal(second.server.callsOf('ask').length, 0)
})

test('outside its hours an agent is silent, says when it goes on, and does', async (t) => {
  const { server, clock, control } = await lend(t, { limits: { hours: '12:05-13:00' } })
  const { condition, why } = control.view()
  assert.equal(condition, 'outside-hours')
  assert.match(why, /12:05/)
  await clock.advance(30_000)
  assert.equal(server.callsOf('ask').length, 0)
  clock.jumpWall(4 * 60_000)
  await pauseBefore(clock, () => server.callsOf('ask').length > 0)
  assert.ok(clock.now() >= START + 5 * 60_000)
})

for (const [what, power, condition] of [
  ['a battery', { isOnBattery: true, isMetered: null }, 'on-battery'],
  ['a metered line', { isOnBattery: null, isMetered: true }, 'on-metered-line'],
] as const) {
  test(`on ${what} an agent rests until that has changed`, async (t) => {
    const { server, clock, control, told } = await lend(t, { power })
    assert.equal(control.view().condition, condition satisfies AgentCondition)
    await clock.advance(10_000)
    assert.equal(server.callsOf('ask').length, 0)
    told.power = { isOnBattery: false, isMetered: false }
    assert.ok((await pauseBefore(clock, () => server.callsOf('ask').length > 0)) <= 30_000)
  })
}

test('when the bytes of the month are used up nothing more is dialled until the next month', async (t) => {
  const { server, clock, control, fetcher } = await lend(t, { limits: { bytesPerMonth: 500 } })
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  fetcher.release()
  fetcher.release()
  await until(() => control.view().condition === 'month-used-up', 'it is used up')
  fetcher.release()
  await clock.advance(1_000)
  await until(() => typesOf(server).length === 6, 'all is sent')
  assert.equal(fetcher.urls.length, 3)
  assert.ok(control.view().monthBytes >= 1_200)
  const days = (date: number): number => date * 24 * 60 * 60_000
  clock.jumpWall(days(20))
  const asked = server.callsOf('ask').length
  await pauseBefore(clock, () => server.callsOf('ask').length > asked)
  assert.ok(control.view().monthBytes < 500)
})

test('hosts that the owner does not want are given back, not failed, and not taken again at once', async (t) => {
  const { server, clock, control, fetcher } = await lend(t, {
    limits: { neverHosts: ['*.test'] },
  })
  await until(() => typesOf(server).length >= 6, 'all are given back')
  await pauseBefore(clock, () => server.callsOf('ask').length === 4)
  assert.ok(clock.monotonicMs() >= 250 + 500 + 1_000, `${clock.monotonicMs()} ms`)
  assert.deepEqual([...new Set(typesOf(server))], ['returned'])
  assert.equal(fetcher.urls.length, 0)
  await control.setLimits({ neverHosts: ['b.test'] })
  await pauseBefore(clock, () => fetcher.urls.length >= 2)
  assert.ok(!fetcher.urls.join(' ').includes('b.test'), fetcher.urls.join(' '))
})

test('what the station says when it gives no work is shown to the owner', async (t) => {
  let pause: object | undefined = { code: 'MINGA_DEVICE_BLOCKED', message: 'It served poorly.' }
  const ask = (): Reply => ({ json: { block: null, waitMs: 5_000, ...(pause ? { pause } : {}) } })
  const { clock, control, server } = await lend(t, { others: { ask } })
  await until(() => control.view().condition === 'paused-by-station', 'it heard')
  assert.equal(control.view().why, 'It served poorly.')
  pause = undefined
  await pauseBefore(clock, () => server.callsOf('ask').length === 2)
  await until(() => control.view().condition === 'waiting-for-work', 'it waits')
})

test('a station that is silent is named as the reason', async (t) => {
  const { clock, control } = await lend(t, { others: { beat: () => 'reset', ask: () => NOTHING } })
  await pauseBefore(clock, () => control.view().condition === 'station-away')
  assert.ok(control.view().lastHeardMsAgo! >= 9_500)
})

test('requests per second hold over all hosts, and what would outlast its lease is given back', async (t) => {
  const others = {
    ask: (): Reply => {
      const hosts = Array.from({ length: 40 }, (_, i) =>
        hostOf([`http://h${i}.test/`], { hostId: i + 1 }),
      )
      const isFirst = (askedFor += 1) === 1
      return isFirst ? { json: { block: blockOf(1, hosts, 10_000), waitMs: 0 } } : NOTHING
    },
  }
  let askedFor = 0
  const { server, clock, fetcher } = await lend(t, { limits: { requestsPerSecond: 2 }, others })
  await until(() => fetcher.urls.length > 0, 'the first is dialled')
  const dials: number[] = []
  for (let ms = 0; ms < 12_000; ms += 100) {
    await clock.advance(100)
    await realMs(1)
    while (dials.length < fetcher.urls.length) dials.push(clock.monotonicMs())
    fetcher.release()
  }
  await pauseBefore(clock, () => typesOf(server).length === 40)
  assert.ok(dials.length >= 17 && dials.length <= 22, `${dials.length} dials in 10 s`)
  for (let i = 4; i < dials.length; i++) {
    assert.ok(dials[i]! - dials[i - 4]! >= 1_700, 'four more take two seconds')
  }
})

test('a page that used up the line for long is waited for without taking and giving back blocks', async (t) => {
  const { server, clock, control, fetcher } = await lend(t, { limits: { bytesPerSecond: 1_000 } })
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  // As if an answer of a megabyte had come: a quarter of an hour of this line.
  control.uploading(1_000_000)
  for (let i = 0; i < 3; i++) fetcher.release()
  await pauseBefore(clock, () => control.view().requests.returned === 3)
  const asked = server.callsOf('ask').length
  for (let second = 0; second < 60; second++) {
    await clock.advance(1_000)
    await realMs(1)
  }
  assert.ok(server.callsOf('ask').length <= asked + 1, 'one question may have been open')
  const { condition, why } = control.view()
  assert.equal(condition, 'waiting-for-work')
  assert.match(why, /your limits.* in \d+ s\.$/)
})

test('every URL that was fetched is in the log, newest first, with what came of it', async (t) => {
  const { control, fetcher, server } = await lend(t)
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  for (const host of ['b.test', 'a.test', 'c.test']) fetcher.release(host)
  await until(() => typesOf(server).length === 3, 'all is sent')
  const lines = await control.activity({ limit: 10 })
  assert.deepEqual(
    lines.map(({ url, status, code }) => [url, status, code]),
    ['c', 'a', 'b'].map((name) => [`http://${name}.test/1/1`, 200, null]),
  )
  const { requests, bytes, monthBytes } = control.view()
  assert.equal(requests.captured, 3)
  assert.ok(bytes.down > 1_200 && bytes.up > 0)
  assert.equal(monthBytes, bytes.down + bytes.up)
})

test('an end at once gives up what is in the air without a word and gives back the rest', async (t) => {
  const { server, clock, control, fetcher, running } = await lend(t)
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  control.stopNow()
  assert.equal(control.view().condition, 'finishing')
  await running
  assert.equal(clock.monotonicMs(), 0, 'no caller waited')
  // Those in the air were asked: their hosts rest from the goodbye, as after any lease that ended unseen.
  assert.deepEqual(typesOf(server), ['returned', 'returned', 'returned'])
  assert.equal(server.calls.at(-1)?.name, 'goodbye')
})

test('an end at once does not wait for a station that does not answer', async (t) => {
  const hang = (): Reply => 'hang'
  const { clock, control, fetcher, running } = await lend(t, {
    others: { results: hang, goodbye: hang },
  })
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  control.stopNow()
  await realMs(50)
  await clock.advance(2_000)
  await realMs(50)
  await clock.advance(250)
  await running
})

test('finishing lets arrive what is in the air, sends it, and says goodbye', async (t) => {
  const { server, control, fetcher, running } = await lend(t)
  await until(() => fetcher.urls.length === 3, 'three hosts are asked')
  control.finish()
  await realMs(20)
  assert.equal(server.callsOf('goodbye').length, 0)
  for (let i = 0; i < 3; i++) fetcher.release()
  await running
  assert.equal(server.calls.at(-1)?.name, 'goodbye')
  assert.deepEqual(typesOf(server), [
    'captured',
    'captured',
    'captured',
    'returned',
    'returned',
    'returned',
  ])
})

test('bad limits are refused with their name and change nothing', async (t) => {
  const { control } = await lend(t)
  const before = control.view().limits
  await assert.rejects(control.setLimits({ hours: 'night' }), {
    code: 'MINGA_BAD_LIMITS',
    message: /hours/,
  })
  assert.deepEqual(control.view().limits, before)
})
