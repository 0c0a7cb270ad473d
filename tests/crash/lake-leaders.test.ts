// Goal: coordinators that share a PostgreSQL serve one lake, and one of them acts for all. Method: two real stations
// over one database and one folder; one is stopped, wakes up, is killed; judged by the table of leaders and an oracle.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES, openTables, type Tables } from './databases.ts'
import {
  ask,
  assertAnswered,
  call,
  doneOf,
  isAlive,
  newBooks,
  pidsOf,
  startLakeStation,
  until,
  type Books,
  type LakeStation,
} from './lake-station.ts'

const REVIEWS = 12_000
/** The lease of a leader and a little more: a process that would take the lead back has done so by then. */
const LEASE_MS = 12_000

test(
  'Supervision: only one leader acts, one that was stopped and wakes up changes nothing, and a query whose coordinator is gone for good ends at another',
  { skip: NO_POSTGRES },
  async (t) => {
    const data = newFolder()
    const postgres = await newPostgres()
    const books = await newBooks(newFolder(), REVIEWS)
    const first = await startLakeStation({ data, workers: 1, args: ['--postgres', postgres] })
    const tables = await openTables({ data, postgres })
    await until('the first leads', async () => (await leaderIn(tables)) !== null)
    const args = ['--postgres', postgres, '--beside', 'second']
    const second = await startLakeStation({ data, workers: 1, args })

    const tookMs = await wakeUpLate(first, tables)
    t.diagnostic(`from SIGSTOP of the leader to the next: ${Math.round(tookMs)} ms`)
    await assertAnswered(first, await ask(first, books), books)
    await killForGood(first, second, books)
    await tables.close()
  },
)

/** The leader is stopped, another leads, and the first goes on as if nothing had happened. */
async function wakeUpLate(first: LakeStation, tables: Tables): Promise<number> {
  const former = (await leaderIn(tables))!
  const [pid] = pidsOf(first, 'coordinator')
  // Its supervisor too, which would replace it.
  first.up.pause()
  process.kill(pid!, 'SIGSTOP')
  const isNext = async (): Promise<boolean> => (await leaderIn(tables))?.fence !== former.fence
  const tookMs = await until('the second leads', isNext)
  const next = (await leaderIn(tables))!
  assert.notEqual(next.holder, former.holder)
  process.kill(pid!, 'SIGCONT')
  first.up.resume()
  await until('the first answers', async () => (await call(first, '/queries')).ok)
  await sleep(LEASE_MS)
  assert.deepEqual(await leaderIn(tables), next)
  return tookMs
}

async function killForGood(first: LakeStation, second: LakeStation, books: Books): Promise<void> {
  const id = await ask(first, books)
  await until('a task is done', async () => (await doneOf(first, id)) > 0)
  const [coordinator] = pidsOf(first, 'coordinator')
  first.up.killTree()
  await until('its coordinator is dead', () => !isAlive(coordinator!))
  await assertAnswered(second, id, books)
}

async function leaderIn(tables: Tables): Promise<{ holder: string; fence: number } | null> {
  const query = 'SELECT holder, fence FROM leaders'
  const [row] = await tables.all<{ holder: string; fence: number }>(query)
  return row ?? null
}
