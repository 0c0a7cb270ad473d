// Goal: what an agent keeps for its owner is on disk in time, and its pace follows the line.
// Method: a folder opened, used on a virtual clock and checked from outside, as after a kill.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import { toLeasedRequest } from '../fetch/leased-request.ts'
import { WorkBuffer } from '../fetch/work-buffer.ts'
import { readUsage } from './limits/limits-file.ts'
import {
  answerOf,
  blockOf,
  hostOf,
  realMs,
  testMachine,
  until,
} from '../../test/station/station-client-fixture.ts'
import { Volunteer, type VolunteerOptions } from './volunteer.ts'

function folder(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'minga-volunteer-'))
  t.after(() => rmSync(data, { recursive: true, force: true }))
  return data
}

async function openIn(data: string, more: Partial<VolunteerOptions> = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 1, 10))
  const volunteer = await Volunteer.open({
    data,
    limits: { cpuShare: null },
    station: 'https://station.test',
    name: 'tester',
    concurrency: null,
    clock,
    complain: () => {},
    power: async () => ({ isOnBattery: null, isMetered: null }),
    ...more,
  })
  const over = new AbortController()
  const house = volunteer.keepHouse(over.signal)
  const close = async (): Promise<void> => {
    over.abort()
    await house
    await volunteer.close()
  }
  return { clock, volunteer, control: volunteer.control, close }
}

/** Seconds in which files are really written. */
async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    // The housekeeping loop may still be writing.
    await until(() => clock.sleeping() > 0, 'it sleeps')
    await clock.advance(1_000)
    await realMs(5)
  }
}

const host = hostOf(['http://h.test/'])
const leased = toLeasedRequest(1, host, host.requests[0]!)

test('a kill takes away at most a second of the log and five of the count of bytes', async (t) => {
  const data = folder(t)
  const { clock, control, close } = await openIn(data)
  control.began(leased)
  control.ended(leased, answerOf('x'.repeat(1_000)))
  const written = (name: string): string =>
    existsSync(join(data, name)) ? readFileSync(join(data, name), 'utf8') : ''
  // The clock stands still from here: what follows is only the time that a disk takes.
  await pass(clock, 1)
  await until(() => written('activity.jsonl').endsWith('\n'), 'the line is written')
  assert.match(written('activity.jsonl'), /^\{"no":1,.*http:\/\/h\.test\//)
  await pass(clock, 4)
  await until(() => written('usage.json') !== '', 'the count is written')
  const { bytes } = (await readUsage(data))!
  assert.ok(bytes > 1_000 && bytes === control.view().monthBytes)
  control.uploading(500)
  await close()
  assert.equal((await readUsage(data))?.bytes, bytes + 500, 'an orderly end keeps all of it')
  const next = await openIn(data)
  assert.equal(next.control.view().monthBytes, bytes + 500)
  await next.close()
})

test('limits that cannot be used end the start with their name', async (t) => {
  const bad = { limits: { concurrencyMax: 0 } }
  const opening = openIn(folder(t), bad)
  await assert.rejects(opening, { code: 'MINGA_BAD_LIMITS', message: /concurrencyMax/ })
})

test('the networks of the machine are read at its start and every minute', async (t) => {
  let address = '62.1.1.7'
  const readNetworks = async () => [{ address, prefixBits: 24 }]
  const { clock, volunteer, close } = await openIn(folder(t), { readNetworks })
  t.after(close)
  assert.ok(volunteer.networks.has('62.1.1.1'))
  address = '62.2.2.7'
  await clock.advance(59_000)
  assert.ok(volunteer.networks.has('62.1.1.1'))
  await pass(clock, 2)
  await until(() => volunteer.networks.has('62.2.2.1'), 'it knows where it is now')
  assert.ok(!volunteer.networks.has('62.1.1.1'))
})

test('a log that cannot be written is complained about once and stops nothing', async (t) => {
  const data = join(folder(t), 'agent')
  const complaints: string[] = []
  const { clock, control, close } = await openIn(data, {
    complain: (line) => complaints.push(line),
  })
  await pass(clock, 1)
  rmSync(data, { recursive: true })
  writeFileSync(data, 'a file where the folder was')
  for (let i = 0; i < 3; i++) {
    control.began(leased)
    control.ended(leased, answerOf('page'))
    await pass(clock, 2)
  }
  await until(() => complaints.length > 0, 'it complains')
  await pass(clock, 3)
  assert.equal(complaints.length, 1, complaints.join('\n'))
  assert.equal(control.view().requests.captured, 3)
  await close()
})

/** Works off blocks of many hosts on a line that answers each request after 100 ms. */
async function workFor(t: TestContext, seconds: number, more: Partial<VolunteerOptions>) {
  const { clock, control, close } = await openIn(folder(t), more)
  t.after(close)
  const machine = testMachine(t, clock)
  machine.ownerHooks = control
  let [inFlight, most] = [0, 0]
  machine.fetcher.fetch = async () => {
    most = Math.max(most, ++inFlight)
    await clock.sleep(100)
    inFlight--
    return answerOf('page')
  }
  machine.recorder.put = () => {}
  const buffer = new WorkBuffer({ machine, signal: new AbortController().signal })
  control.watch(buffer, 'dev_1')
  let fence = 0
  for (let ms = 0; ms < seconds * 1_000; ms += 500) {
    buffer.heard(clock.monotonicMs())
    const hosts = Array.from({ length: 400 }, (_, i) =>
      hostOf([`http://h${i}.test/`], { hostId: fence * 400 + i }),
    )
    if (buffer.requests < 400) buffer.take(blockOf(++fence, hosts), clock.monotonicMs())
    control.stationSaid({ block: blockOf(fence, hosts), waitMs: 0 })
    await clock.advance(500)
    await realMs(2)
  }
  return { most, view: control.view(), machine }
}

test('on a line that bears it the lanes grow to what the owner allows, and no further', async (t) => {
  const limits = { cpuShare: null, concurrencyMax: 24 }
  const { most, view, machine } = await workFor(t, 30, { limits })
  assert.equal(view.concurrency, 24)
  assert.equal(machine.limits.concurrency, 24)
  assert.equal(most, 24)
})

test('a number of lanes that the owner gave is kept as it is', async (t) => {
  const { most, view } = await workFor(t, 15, { concurrency: 5 })
  assert.equal(view.concurrency, 5)
  assert.equal(most, 5)
})
