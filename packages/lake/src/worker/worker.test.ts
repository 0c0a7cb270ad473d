// Goal: a worker does its tasks, and whatever kills, pauses or cuts it off changes no result and commits nothing twice.
// Method: real worker processes against a small station in this process, with leases of less than a second.
import {
  delayAt,
  faultsEnv,
  killAt,
  startProcess,
  type Child,
  type FaultPointName,
} from '@minga/testkit'
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TaskOutOfMemory } from '../errors.ts'
import type { Operation, StageOutput } from '../model.ts'
import { failureOf } from './run-worker.ts'
import { FakeStation } from '../../test/worker/station-fixture.ts'

const MAIN = path.join(import.meta.dirname, 'main.ts')
const PATIENCE_MS = 15_000

const OUTPUTS: StageOutput[] = [{ name: 'out', from: 't', format: 'csv', columns: ['n'] }]
const table = (sql: string): Operation[] => [{ op: 'table', as: 't', sql }]
const QUICK = table('SELECT 6 * 7 AS n')
/** Seconds on any machine, and interrupted at once. */
const SLOW = table('SELECT count(*) AS n FROM range(400000000) r(i) WHERE hash(i) <> 0')

const children: Child[] = []
after(() => {
  for (const child of children) child.killTree()
})

async function startWorker(
  station: FakeStation,
  { env = {}, data = station.folder }: { env?: Record<string, string>; data?: string | null } = {},
): Promise<Child> {
  const settings = {
    stationUrl: station.url,
    token: 't',
    data,
    name: 'w',
    memoryMb: 512,
    threads: 1,
    cacheFolder: data === null ? path.join(station.folder, 'elsewhere') : null,
  }
  const child = await startProcess(process.execPath, [MAIN], {
    env: { ...env, MINGA_WORKER: JSON.stringify(settings) },
  })
  children.push(child)
  return child
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !isSo(); await sleep(10)) {
    assert.ok(performance.now() < end, `it never happened: ${what}`)
  }
}

function resultsIn(station: FakeStation): string[] {
  return station.entries.map(({ done }) =>
    readFileSync(path.join(station.folder, done!.outputs[0]!.file), 'utf8'),
  )
}

const filesIn = (station: FakeStation): string[] =>
  readdirSync(path.join(station.folder, 'queries/q/s1')).toSorted()

test('a worker does one task after another, waits with one open request, and ends when it is stopped', async () => {
  const station = await new FakeStation().open()
  for (let n = 0; n < 3; n++) station.add({ program: QUICK, outputs: OUTPUTS })
  const worker = await startWorker(station)
  await until(() => station.isDone, 'all tasks are done')
  assert.deepEqual(resultsIn(station), ['n\n42\n', 'n\n42\n', 'n\n42\n'])
  const asked = (): number => station.calls.filter((call) => call.endsWith('/lease')).length
  await until(() => asked() === 4, 'it asks for a fourth')
  // On a busy machine the first task, with which DuckDB is loaded, may have taken long enough for a beat.
  const calls = station.calls.length
  await sleep(400)
  assert.equal(station.calls.length, calls)
  worker.signal('SIGTERM')
  assert.equal((await worker.waitExit(PATIENCE_MS)).code, 0, worker.stderr())
})

const POINTS: FaultPointName[] = [
  'task:after-lease',
  'task:before-write',
  'task:after-write',
  'task:before-commit',
  'task:after-commit',
]

test('Kill anything at any time: workers killed at every point of a task lose nothing and do nothing twice', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 300
  for (let n = 0; n < 7; n++) station.add({ program: QUICK, outputs: OUTPUTS })
  const env = faultsEnv(
    POINTS.map((point) => killAt(point)),
    path.join(station.folder, 'faults'),
  )
  for (let kills = 0; kills < POINTS.length; kills++) {
    const worker = await startWorker(station, { env })
    assert.equal((await worker.waitExit(PATIENCE_MS)).signal, 'SIGKILL', worker.stderr())
  }
  await startWorker(station, { env })
  await until(() => station.isDone, 'all tasks are done')
  assert.deepEqual(
    resultsIn(station),
    station.entries.map(() => 'n\n42\n'),
  )
  assert.equal(station.commits.filter(({ answer }) => answer === 'accepted').length, 7)
  assert.equal(station.failures.length, 0)
})

/** No test waits for the end of this one. */
const ENDLESS = table('SELECT count(*) AS n FROM range(900000000000) r(i) WHERE hash(i) <> 0')

test('a task that is aborted is given back at once', async () => {
  const station = await new FakeStation().open()
  station.add({ program: ENDLESS, outputs: OUTPUTS })
  const worker = await startWorker(station)
  await until(() => station.calls.some((call) => call.endsWith('/beat')), 'it works on it')
  worker.signal('SIGTERM')
  assert.equal((await worker.waitExit(PATIENCE_MS)).code, 0, worker.stderr())
  assert.equal(station.returned.length, 1)
  assert.deepEqual(filesIn(station), [])
})

test('a worker that slept longer than its lease wakes up, commits nothing and leaves no file', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 1_500
  station.add({ program: SLOW, outputs: OUTPUTS })
  const sleeper = await startWorker(station)
  await until(() => station.calls.some((call) => call.endsWith('/beat')), 'it works on it')
  sleeper.pause()
  await sleep(1_700)
  await startWorker(station)
  await until(() => station.isDone, 'the other has done it')
  const asked = (): number => station.calls.filter((call) => call.endsWith('/lease')).length
  await until(() => asked() === 3, 'the other asks for the next')
  sleeper.resume()
  await until(() => asked() === 4, 'the sleeper asks for the next')
  // One that was nearly done when it fell asleep may offer its result before its next beat, without
  // success.
  const accepted = station.commits.filter(({ answer }) => answer === 'accepted')
  assert.equal(accepted.length, 1)
  assert.notEqual(station.entries[0]?.committedBy, 1)
  assert.equal(filesIn(station).length, 1)
})

test('a commit that comes too late is refused, and its files are removed', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 60_000
  station.add({ program: QUICK, outputs: OUTPUTS })
  const env = faultsEnv([delayAt('task:before-commit', { delayMs: 400 })])
  await startWorker(station, { env })
  await until(() => station.entries[0]!.fence === 1, 'it has the task')
  // Another worker gets the task in the meantime.
  station.entries[0]!.fence = 2
  station.entries[0]!.expiresAt = Infinity
  await until(() => station.commits.length === 1, 'it commits')
  assert.equal(station.commits[0]?.answer, 'stale')
  await until(() => filesIn(station).length === 0, 'its files are gone')
})

test('Supervision: a main loop that stands still is not beaten for, and its task goes to another', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 200
  station.add({ program: QUICK, outputs: OUTPUTS })
  // The thread that beats continues; the main loop does not turn for two seconds.
  const env = faultsEnv(
    [delayAt('task:before-write', { delayMs: 2_000 })],
    path.join(station.folder, 'f'),
  )
  await startWorker(station, { env })
  await until(() => station.calls.some((call) => call.endsWith('/beat')), 'it beats')
  await startWorker(station, { env })
  await until(() => station.isDone, 'the other has done it')
  assert.notEqual(station.entries[0]?.committedBy, 1)
})

test('results wait for a station that is away, and count once when it heard them and could not say so', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 60_000
  station.add({ program: QUICK, outputs: OUTPUTS })
  const env = faultsEnv([delayAt('task:before-commit', { delayMs: 300 })])
  await startWorker(station, { env })
  await until(() => station.entries[0]!.fence === 1, 'it has the task')
  station.isAway = true
  await sleep(700)
  station.isAway = false
  await until(() => station.isDone, 'it is committed')
  assert.deepEqual(resultsIn(station), ['n\n42\n'])
})

test('a task that cannot succeed is reported with its statement, and the worker goes on', async () => {
  const station = await new FakeStation().open()
  station.add({ program: table('SELECT nonsense'), outputs: OUTPUTS })
  station.add({ program: QUICK, outputs: OUTPUTS })
  await startWorker(station)
  await until(() => station.isDone, 'both are over')
  const [failure] = station.failures
  assert.equal(failure?.error.code, 'MINGA_TASK_REFUSED')
  assert.equal(failure.error.retry, 'never')
  assert.match(failure.error.sql ?? '', /nonsense/)
})

test('a worker on another machine gets its files from the station and sends its own there, over bad lines', async () => {
  const station = await new FakeStation().open()
  station.leaseMs = 60_000
  const rows = 700_000
  const parquet: StageOutput[] = [{ name: 'out', from: 't', format: 'parquet' }]
  station.add({
    program: table(`SELECT md5(i::VARCHAR) AS m FROM range(${rows}) r(i)`),
    outputs: parquet,
  })
  await startWorker(station, { data: null })
  station.cuts = 2
  await until(() => station.isDone, 'the first is done')
  const [written] = station.entries[0]!.done!.outputs
  assert.ok(written!.bytes > 8 * 1024 * 1024, 'several parts')
  station.cuts = 2
  const files = [{ at: 'lake' as const, name: written!.file, bytes: written!.bytes }]
  const reads = [{ as: 'r', kind: 'parquet' as const, files, columns: null, withRow: false }]
  const program = table('SELECT count(DISTINCT m) AS n FROM r')
  station.add({ reads, program, outputs: OUTPUTS })
  station.add({ reads, program, outputs: OUTPUTS })
  await until(() => station.isDone, 'the others are done')
  assert.equal(resultsIn(station)[2], `n\n${rows}\n`)
  assert.equal(resultsIn(station)[1], `n\n${rows}\n`)
  const fetched = station.calls.filter((call) => call.startsWith('GET /worker/files/')).length
  assert.equal(fetched, 3, 'once, gone on with twice, and then from its own copy')
})

test('a failure over a statement of any length is one that the station takes', () => {
  const failure = failureOf(new TaskOutOfMemory(512, 'x'.repeat(1_000_000)))
  assert.equal(failure.code, 'MINGA_TASK_OUT_OF_MEMORY')
  assert.ok(failure.sql !== undefined && failure.sql.length <= 100_000)
})
