// Goal: five queries give the answers of plain SQL, whatever is killed or stands still while they run, and leave
// nothing behind. Method: real commands on made-up books; strikes from printed seeds; eyes on the folder of the
// answers all the time. MINGA_LONG=1 makes it hundreds of runs; MINGA_SEED and MINGA_RUNS choose which.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { endAllProcesses, seededRandom, type Child } from '@minga/testkit'
import { LONG, newFolder } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES } from './databases.ts'
import { assertNothingLeft } from './lake-leaks.ts'
import {
  askedId,
  assertAnswers,
  newBookScene,
  openShop,
  startQuery,
  startStation,
  stationIsUp,
  underEyes,
  type BookShop,
} from './lake-scene.ts'
import { nameOf, OWN_WORKERS, planStrikes, runStruck, type StruckRun } from './lake-strikes.ts'

const SEED = Number(process.env['MINGA_SEED'] ?? 20)
const RUNS = process.env['MINGA_RUNS']
/** Enough for five tasks that read and as many that follow. */
const REVIEW_BYTES = 20_000_000
const STRIKES_MOST = 6

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-chaos-'))
let shop: BookShop

before(async () => {
  shop = await openShop({ folder, seed: 7, reviewBytes: REVIEW_BYTES })
})
after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

const runs = Number(RUNS ?? (LONG ? 100 : 1))
/** A single run each: with seeds whose strikes are many, soon, and together of every kind. */
const SERVED_SEED = Number(process.env['MINGA_SEED'] ?? (LONG ? SEED + 4 : 2_252))
const ONLY_LONG = 'only with MINGA_LONG=1: the other database has it'
/** Each way of asking meets one of the two databases, and both with MINGA_LONG=1. */
const ENGINES = [
  {
    name: 'SQLite',
    skipOwn: false,
    skipServed: !LONG && !NO_POSTGRES && ONLY_LONG,
    postgres: async () => undefined,
  },
  {
    name: 'PostgreSQL',
    skipOwn: NO_POSTGRES || (!LONG && ONLY_LONG),
    skipServed: NO_POSTGRES,
    postgres: newPostgres,
  },
] as const

for (const { name, skipOwn, skipServed, postgres } of ENGINES) {
  describe(`queries on ${name}`, () => {
    test(
      'Kill anything at any time: a command with all that it started, run again until it has its answers',
      { skip: skipOwn },
      async () => {
        const targets = ['worker', 'worker', 'coordinator', 'command', 'sleepers'] as const
        const series = { first: SEED, targets, isServed: false }
        await struckRuns({ ...series, postgres: await postgres() })
      },
    )

    test(
      'Kill anything at any time: a station, its workers and the clients that it serves',
      { skip: skipServed },
      async () => {
        const clients = ['worker', 'worker', 'coordinator', 'command'] as const
        const targets = [...clients, 'station', 'sleepers'] as const
        const series = { first: SERVED_SEED, targets, isServed: true }
        await struckRuns({ ...series, postgres: await postgres() })
      },
    )
  })
}

interface Series {
  /** The seed of the first run. */
  first: number
  targets: Parameters<typeof planStrikes>[1]['targets']
  isServed: boolean
  postgres: string | undefined
}

async function struckRuns({ first, targets, isServed, postgres }: Series): Promise<void> {
  const scene = newBookScene(newFolder(), shop, postgres)
  let station: Child | null = null
  let dealt = 0
  for (let seed = first; seed < first + runs; seed++) {
    if (isServed && station?.exit() !== undefined) station = null
    if (isServed && station === null) {
      station = await startStation(scene, 2)
      await stationIsUp(station)
    }
    const random = seededRandom(seed)
    const plan = planStrikes(random, { strikes: 1 + random.integer(STRIKES_MOST), targets })
    process.stderr.write(`seed ${seed}: ${plan.map(nameOf).join(' ')}\n`)
    const out = path.join(scene.data, '..', `answers-${seed}`)
    const begunMs = performance.now()
    const workers = station === null ? { workers: OWN_WORKERS } : {}
    const ask = (): Promise<Child> => startQuery(scene, { out, ...workers })
    const hasBegun = (): boolean => askedId(out) !== null
    const run: StruckRun = { scene, station, random, ask, hasBegun }
    const struck = await underEyes(out, shop, () => runStruck(run, plan))
    assertAnswers(out, shop)
    dealt += struck.dealt
    process.stderr.write(
      `  ${Math.round(performance.now() - begunMs)} ms, ${struck.dealt} of ${plan.length} fell\n`,
    )
    ;({ station } = struck)
  }
  assert.ok(dealt >= runs, `only ${dealt} strikes fell`)
  await assertNothingLeft(scene, station?.exit() === undefined ? station : null)
}
