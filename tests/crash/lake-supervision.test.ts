// Goal: the processes that work on a query may die or hang, and the query goes on without waiting for leases to run out. Method:
// `minga up` with its real children, struck by signals in the middle of a query; answers are judged by an oracle.
import assert from 'node:assert/strict'
import { before, describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LONG, newFolder } from './crash-fixture.ts'
import {
  ask,
  assertAnswered,
  doneOf,
  isAlive,
  newBooks,
  pidsOf,
  startLakeStation,
  until,
  workersOf,
  type Books,
  type LakeStation,
} from './lake-station.ts'

const KILLS = LONG ? 40 : 2
const REVIEWS = 16_000
/** Four periods of a second, and the time that a busy machine takes to see it. */
const HANG_LEAST_MS = 3_000
const REPLACED_MOST_MS = 30_000

describe('a station whose processes die and hang', () => {
  const [folder, data] = [newFolder(), newFolder()]
  let books: Books
  let station: LakeStation

  before(async () => {
    books = await newBooks(folder, REVIEWS)
    station = await startLakeStation({ data, workers: 1 })
  })

  /** A query in the middle of its work. */
  async function underWay(): Promise<string> {
    const id = await ask(station, books)
    await until('a task is done', async () => (await doneOf(station, id)) > 0)
    return id
  }

  async function theOther(role: 'worker' | 'coordinator', pid: number): Promise<number> {
    return until(
      `another ${role}`,
      () => pidsOf(station, role).some((other) => other !== pid),
      REPLACED_MOST_MS,
    )
  }

  test('Supervision: a worker that is killed −9 is replaced, and its task does not wait for the end of its lease', async (t) => {
    const tookMs: number[] = []
    while (tookMs.length < KILLS) {
      const id = await underWay()
      const [pid] = pidsOf(station, 'worker')
      const [boot] = (await workersOf(station)).map((worker) => worker.boot)
      const done = await doneOf(station, id)
      process.kill(pid!, 'SIGKILL')
      const heardMs = await until('the station knows that it is dead', async () =>
        (await workersOf(station)).every((worker) => worker.boot !== boot),
      )
      const onMs = await until('work goes on', async () => (await doneOf(station, id)) > done)
      tookMs.push(heardMs + onMs)
      await assertAnswered(station, id, books)
    }
    tell(t, 'from SIGKILL of the only worker to the next task', tookMs)
  })

  test('Supervision: a worker that hangs is replaced after four heartbeats, not before, and a nap does no harm', async (t) => {
    const id = await underWay()
    const [pid] = pidsOf(station, 'worker')
    process.kill(pid!, 'SIGSTOP')
    await sleep(1_500)
    process.kill(pid!, 'SIGCONT')
    assert.deepEqual(pidsOf(station, 'worker'), [pid])

    const done = await doneOf(station, id)
    process.kill(pid!, 'SIGSTOP')
    const replacedMs = await theOther('worker', pid!)
    assert.ok(replacedMs > HANG_LEAST_MS, `${replacedMs} ms`)
    assert.equal(isAlive(pid!), false)
    const onMs = await until('work goes on', async () => (await doneOf(station, id)) > done)
    await assertAnswered(station, id, books)
    tell(t, 'from SIGSTOP of the only worker to the next task', [replacedMs + onMs])
  })

  test('Kill anything at any time: a coordinator that is killed −9 is back, and its workers lose nothing', async (t) => {
    const id = await underWay()
    const [pid] = pidsOf(station, 'coordinator')
    const workers = pidsOf(station, 'worker')
    process.kill(pid!, 'SIGKILL')
    const tookMs = await theOther('coordinator', pid!)
    const onMs = await until('it answers', async () => (await doneOf(station, id)) > 0)
    await assertAnswered(station, id, books)
    assert.deepEqual(pidsOf(station, 'worker'), workers)
    tell(t, 'from SIGKILL of the coordinator to its first answer', [tookMs + onMs])
  })

  test('Supervision: a coordinator that hangs is replaced', async (t) => {
    const id = await underWay()
    const [pid] = pidsOf(station, 'coordinator')
    process.kill(pid!, 'SIGSTOP')
    const tookMs = await theOther('coordinator', pid!)
    await assertAnswered(station, id, books)
    tell(t, 'from SIGSTOP of the coordinator to its successor', [tookMs])
  })

  test('Kill anything at any time: what a killed supervisor had started ends with it, and the query goes on with the next', async () => {
    const id = await underWay()
    const children = [...pidsOf(station, 'coordinator'), ...pidsOf(station, 'worker')]
    const [worker] = pidsOf(station, 'worker')
    process.kill(worker!, 'SIGSTOP')
    station.up.kill9()
    await until('the coordinator ends', () => !isAlive(children[0]!))
    process.kill(worker!, 'SIGCONT')
    await until('no process is left', () => children.every((pid) => !isAlive(pid)))
    station = await startLakeStation({ data, workers: 2 })
    await assertAnswered(station, id, books)
  })
})

function tell(t: TestContext, what: string, tookMs: readonly number[]): void {
  const sorted = tookMs.toSorted((a, b) => a - b).map((ms) => Math.round(ms))
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!
  t.diagnostic(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length}`)
}
