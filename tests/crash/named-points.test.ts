// Goal: a process that dies, or stands still for longer than its lease, at any named point loses
// nothing. Method: one small real crawl per point with MINGA_FAULTS, then the same proofs as under
// random strikes. With MINGA_LONG=1 also on PostgreSQL, and pauses: each takes the time of a lease.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { FAULT_POINTS, faultsEnv, killAt, pauseAt, type FaultPointName } from '@minga/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  assertSound,
  LONG,
  newFolder,
  newWeb,
  startCrawl,
  totalsOf,
  type Crawl,
} from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES } from './databases.ts'

const PAUSE_MS = 12_000
/** Several deaths in one crawl, each with a lease to run out, on a machine with other work. */
const PATIENCE_MS = 120_000

async function newCrawl(state: { postgres?: string } = {}): Promise<Crawl> {
  const web = await newWeb({
    hosts: 4,
    pagesPerHost: 16,
    bytesPerPage: 400,
    firstAddress: '127.0.71.1',
  })
  return { web, data: newFolder(), delayMs: 20, ...state }
}

/** Each in a crawl of its own with MINGA_LONG=1, else several to a crawl: they do not meet. */
const GROUP_SIZE = LONG ? 1 : 7

/** Those of watching, federations, maps, wikis, takedowns and the lake are never passed by a crawl: see
 * watch-kill.test.ts, federation.test.ts, takedown-kill.test.ts, archive-repair.test.ts, the coordinator's repartition.test.ts,
 * the wiki's fold-kill.test.ts, the lake's tables-kill.test.ts and the search's texts-kill.test.ts. */
const CRAWL_POINTS = FAULT_POINTS.filter(
  (point) => !/^(watch|federation|map|wiki|takedown|repair|lake|task|texts):/.test(point),
)

for (let from = 0; from < CRAWL_POINTS.length; from += GROUP_SIZE) {
  const points = CRAWL_POINTS.slice(from, from + GROUP_SIZE)
  test(`processes killed at ${points.join(', ')} lose nothing`, async () => {
    await assertKillsLoseNothing(await newCrawl(), points)
  })
  test(
    `nor do they with PostgreSQL, killed at ${points.join(', ')}`,
    { skip: NO_POSTGRES || (!LONG && 'only with MINGA_LONG=1') },
    async () => {
      await assertKillsLoseNothing(await newCrawl({ postgres: await newPostgres() }), points)
    },
  )
}

async function assertKillsLoseNothing(crawl: Crawl, points: FaultPointName[]): Promise<void> {
  const faults = points.map((point) => killAt(point, { passage: passageOf(point) }))
  const env = faultsEnv(faults, path.join(crawl.data, 'faults'))
  const child = await startCrawl(crawl, env)
  assert.equal((await child.waitExit(PATIENCE_MS)).code, 0, child.stderr())
  for (const fault of faults) assert.ok(child.stderr().includes(`fault: ${fault}`), fault)
  await assertSound(crawl, totalsOf(child), { faults: faults.length })
}

for (const point of CRAWL_POINTS) {
  test(
    `a process that stands still at ${point} for longer than its lease loses nothing`,
    { skip: !LONG && 'only with MINGA_LONG=1: it takes the time of a lease' },
    async () => {
      const crawl = await newCrawl()
      const env = faultsEnv(
        [pauseAt(point, { passage: passageOf(point) })],
        path.join(crawl.data, 'faults'),
      )
      const child = await startCrawl(crawl, env)
      const stopped = await child.waitOutput(/fault: pause@.* in process (\d+)/, PATIENCE_MS)
      await sleep(PAUSE_MS)
      process.kill(Number(stopped[1]), 'SIGCONT')
      assert.equal((await child.waitExit(PATIENCE_MS)).code, 0, child.stderr())
      await assertSound(crawl, totalsOf(child), { faults: 1 })
    },
  )
}

/** Not the first passage, when there is nothing yet to lose, but for what happens once. */
function passageOf(point: string): number {
  return point === 'coordinator:starting' ? 1 : 2
}
