// Goal: what workers say counts once, however often and however late it arrives, and a disk that is full for a while
// costs time and nothing else. Method: workers that reach their station through a network that repeats, loses and
// holds back messages; a small file system that is filled and emptied while a query runs.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endAllProcesses, seededRandom, type Child } from '@minga/testkit'
import { LONG, newFolder } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES, postgresWithin } from './databases.ts'
import { assertNothingLeft } from './lake-leaks.ts'
import {
  askedId,
  assertAnswers,
  NAMES,
  newBookScene,
  openShop,
  startQuery,
  startRemoteWorkers,
  startStation,
  stationFile,
  stationIsUp,
  underEyes,
  type BookShop,
  type BookScene,
} from './lake-scene.ts'
import { WildNetwork } from './wild-network.ts'

const SEED = Number(process.env['MINGA_SEED'] ?? 1)
const RUNS = Number(process.env['MINGA_RUNS'] ?? (LONG ? 25 : 1))
const REVIEW_BYTES = 20_000_000
const PATIENCE_MS = 180_000
const LOOK_MS = 20

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-delivery-'))
let shop: BookShop

before(async () => {
  shop = await openShop({ folder, seed: 8, reviewBytes: REVIEW_BYTES })
})
after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('Kill anything at any time: messages that come twice, late or without an answer count once', () =>
  deliverWildly(RUNS))

test(
  'Kill anything at any time: nor do they count twice with PostgreSQL',
  { skip: NO_POSTGRES || (!LONG && 'only with MINGA_LONG=1') },
  async () => deliverWildly(RUNS, await newPostgres()),
)

async function deliverWildly(runs: number, postgres?: string): Promise<void> {
  const scene = newBookScene(newFolder(), shop, postgres)
  const station = await startStation(scene, 0)
  await stationIsUp(station)
  for (let seed = SEED; seed < SEED + runs; seed++) {
    const network = await WildNetwork.start(() => stationFile(scene).url, seededRandom(seed))
    const workers = await startRemoteWorkers(scene, { url: network.url, count: 2 })
    try {
      const out = path.join(scene.data, '..', `answers-${seed}`)
      await underEyes(out, shop, () => askOnce(scene, { network, out }))
    } finally {
      await stopped(workers)
      network.close()
    }
  }
  await assertNothingLeft(scene, station)
}

async function askOnce(
  scene: BookScene,
  { network, out }: { network: WildNetwork; out: string },
): Promise<void> {
  const command = await startQuery(scene, { out })
  let id: string | null = null
  while (command.exit() === undefined) {
    id ??= askedId(out)
    await sleep(LOOK_MS)
  }
  const told = `${path.basename(out)}, ${JSON.stringify(network.troubles)}`
  assert.equal(command.exit()?.code, 0, `${told}\n${command.stderr()}`)
  assertAnswers(out, shop)
  const { twice, unanswered, lost } = network.troubles
  assert.ok(twice > 0 && unanswered > 0 && lost > 0, `the network was too tame: ${told}`)
  const answers = new Set(await network.repeatCommits())
  answers.delete('already')
  answers.delete('stale')
  assert.deepEqual([...answers], [], `what is done is done: ${told}`)
  await assertKept(scene, id!)
}

/** The answers at the station itself, after all the repetitions. */
async function assertKept(scene: BookScene, id: string): Promise<void> {
  const { url, apiKey } = stationFile(scene)
  for (const name of NAMES) {
    const headers = { authorization: `Bearer ${apiKey}` }
    const response = await fetch(`${url}/api/queries/${id}/results/${name}`, { headers })
    assert.equal(await response.text(), shop.expected[name], name)
  }
}

async function stopped(child: Child): Promise<void> {
  child.signal('SIGINT')
  await child.waitExit(PATIENCE_MS)
}

/** Full when the station is only just starting, instead of when tasks are at work. */
const EARLY_SHARE = 0.3
const FULL_AT_MS = 1_500
const FULL_MS = 3_000
const DISK_MB = 96

test('Kill anything at any time: a disk that is full for a while costs time and nothing else', (t) =>
  withSmallDisk(t, (small) => fillWhileAsked(small)))

test(
  'Kill anything at any time: nor does one that is full for PostgreSQL as well cost anything but time',
  { skip: NO_POSTGRES },
  (t) =>
    withSmallDisk(t, async (small) => {
      const database = path.join(small, 'database')
      fs.mkdirSync(database)
      const { url, drop } = await postgresWithin(database)
      try {
        await fillWhileAsked(small, url)
      } finally {
        await endAllProcesses()
        await drop()
      }
    }),
)

async function withSmallDisk(t: TestContext, use: (small: string) => Promise<void>): Promise<void> {
  const around = newFolder()
  // PostgreSQL runs as a user of its own.
  fs.chmodSync(around, 0o755)
  const small = path.join(around, 'small')
  fs.mkdirSync(small)
  const options = `size=${DISK_MB}m`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'minga-chaos', small])
  if (mounted.status !== 0) return t.skip('a small file system cannot be mounted here')
  try {
    await use(small)
  } finally {
    await endAllProcesses()
    spawnSync('umount', ['-l', small])
  }
}

async function fillWhileAsked(small: string, postgres?: string): Promise<void> {
  const scene = newBookScene(small, shop, postgres)
  const engine = postgres === undefined ? 'sqlite' : 'postgres'
  for (let seed = SEED; seed < SEED + RUNS; seed++) {
    const out = path.join(folder, `full-${engine}-${seed}`)
    await underEyes(out, shop, () => askOnFullDisk(scene, { small, out, seed }))
  }
  await assertNothingLeft(scene)
}

async function askOnFullDisk(
  scene: BookScene,
  { small, out, seed }: { small: string; out: string; seed: number },
): Promise<void> {
  const random = seededRandom(seed)
  const asking = { out, workers: 2 }
  const command = await startQuery(scene, asking)
  const isEarly = random.chance(EARLY_SHARE)
  const isTime = (): boolean => {
    const id = askedId(out)
    if (id === null) return false
    return isEarly || fs.existsSync(path.join(scene.data, 'lake', 'queries', id))
  }
  while (command.exit() === undefined && !isTime()) await sleep(LOOK_MS)
  await sleep(random.integer(FULL_AT_MS))
  const ballast = path.join(small, 'ballast')
  fill(ballast)
  await sleep(FULL_MS)
  fs.rmSync(ballast)
  // It waited and goes on, or said what was wrong and is asked again.
  const { code } = await command.waitExit(PATIENCE_MS)
  // A database without room for files of its own does not even let anybody in.
  assert.ok(code === 0 || code === 3 || code === 9, `seed ${seed}: ${code} ${command.stderr()}`)
  assert.doesNotMatch(command.stderr(), /\n\s+at /, 'no stack trace')
  if (code !== 0) {
    const again = await startQuery(scene, asking)
    assert.equal((await again.waitExit(PATIENCE_MS)).code, 0, `seed ${seed}: ${again.stderr()}`)
  }
  assertAnswers(out, shop)
}

/** To the last byte. */
function fill(file: string): void {
  const handle = fs.openSync(file, 'w')
  for (let bytes = 1_048_576; bytes >= 1;) {
    try {
      if (fs.writeSync(handle, Buffer.alloc(bytes)) === bytes) continue
    } catch {
      // Not so much at once any more.
    }
    bytes = Math.floor(bytes / 2)
  }
  fs.closeSync(handle)
}
