// Goal: clients of one station do not feel each other, and a query needs no more memory for more data. Method: real
// commands on files of their own at the same time, one of them cancelled in the middle; the memory of workers as the
// system counts it, over inputs of different sizes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeBooks, type BooksFacts } from '@minga/lake'
import { endAllProcesses, readProcesses, type Child } from '@minga/testkit'
import { LONG, newFolder, startMinga } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES } from './databases.ts'
import { assertNothingLeft } from './lake-leaks.ts'
import {
  askedId,
  assertAnswers,
  newBookScene,
  openShop,
  startQuery,
  startStation,
  stationFile,
  stationIsUp,
  underEyes,
  type BookShop,
  type BookScene,
} from './lake-scene.ts'

const PATIENCE_MS = 180_000
const LOOK_MS = 20
const CLIENTS = 3
/** Two tasks that read and those that follow, for each of them. */
const REVIEW_BYTES = 9_000_000

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-clients-'))
const shops: BookShop[] = []

before(async () => {
  for (let seed = 1; seed <= CLIENTS; seed++) {
    const own = path.join(folder, String(seed))
    shops.push(await openShop({ folder: own, seed, reviewBytes: REVIEW_BYTES }))
  }
})
after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('Several clients at once', () => {
  for (const { name, skip, postgres } of [
    {
      name: 'SQLite',
      skip:
        !LONG && !NO_POSTGRES && 'only with MINGA_LONG=1: PostgreSQL has more that can conflict',
      postgres: async () => undefined,
    },
    { name: 'PostgreSQL', skip: NO_POSTGRES, postgres: newPostgres },
  ] as const) {
    test(
      `Several clients at once, isolated: each gets its own answers, and one that is cancelled takes nothing from the rest (${name})`,
      { skip },
      async () => askTogether(newBookScene(newFolder(), shops[0]!, await postgres())),
    )
  }
})

async function askTogether(scene: BookScene): Promise<void> {
  const station = await startStation(scene, 2)
  await stationIsUp(station)
  const outs = shops.map((_, place) => path.join(scene.data, '..', `answers-${place}`))
  const answered = shops.map((shop, place) =>
    underEyes(outs[place]!, shop, async () => {
      const client = await startQuery(scene, { out: outs[place]!, shop })
      assert.equal((await client.waitExit(PATIENCE_MS)).code, 0, client.stderr())
      assertAnswers(outs[place]!, shop)
    }),
  )
  await Promise.all([cancelOne(scene), ...answered])
  await assertNothingLeft(scene, station)
}

/** Its client hears of it, and neither it nor the station keeps anything. */
async function cancelOne(scene: BookScene): Promise<void> {
  const out = path.join(scene.data, '..', 'cancelled')
  const doomed = await startQuery(scene, { out })
  const id = await runningId(scene, { out, command: doomed })
  const cancel = await startMinga(['query', 'cancel', id, '--data', scene.data])
  assert.equal((await cancel.waitExit(PATIENCE_MS)).code, 0, cancel.stderr())
  const { code } = await doomed.waitExit(PATIENCE_MS)
  assert.notEqual(code, 0)
  assert.match(doomed.stderr(), /cancelled/)
  assert.deepEqual(fs.readdirSync(out), [])
  const left = path.join(scene.data, 'lake', 'queries', id)
  for (let waited = 0; waited < PATIENCE_MS && fs.existsSync(left); waited += LOOK_MS) {
    await sleep(LOOK_MS)
  }
  assert.equal(fs.existsSync(left), false, 'what it wrote is removed while the station runs')
}

async function runningId(
  scene: BookScene,
  { out, command }: { out: string; command: Child },
): Promise<string> {
  const { url, apiKey } = stationFile(scene)
  const headers = { authorization: `Bearer ${apiKey}` }
  for (;;) {
    assert.equal(command.exit(), undefined, command.stderr())
    const id = askedId(out)
    const asked = id === null ? null : await fetch(`${url}/api/queries/${id}`, { headers })
    if (asked?.ok && ((await asked.json()) as { state: string }).state === 'running') return id!
    await sleep(LOOK_MS)
  }
}

/** Longer than anybody waits for a sign of life, shorter than its supervisor does. */
const STANDSTILL_MS = 5_000

test('a client that comes while its station stands still is served by it', async () => {
  const scene = newBookScene(newFolder(), shops[0]!)
  const station = await startStation(scene, 1)
  await stationIsUp(station)
  const { pid } = readProcesses(scene.data).find(({ role }) => role === 'coordinator')!
  process.kill(pid, 'SIGSTOP')
  const out = path.join(scene.data, '..', 'answers')
  const client = await startQuery(scene, { out })
  await sleep(STANDSTILL_MS)
  process.kill(pid, 'SIGCONT')
  const { code } = await client.waitExit(PATIENCE_MS)
  assert.equal(code, 0, client.stderr())
  assertAnswers(out, scene.shop)
})

const MEMORY_MB = 200
/** Node, DuckDB's own code and what it does not count, row functions and their texts. */
const BESIDE_MB = 500
const GROWTH_MB = 150
/** Often enough to meet a process before it ends. */
const MEASURE_MS = 40

test('Bounded memory: many times the reviews need no more memory, and a worker stays within what it was given', async () => {
  const [small, large] = LONG ? [20_000_000, 300_000_000] : [9_000_000, 60_000_000]
  const peaks: number[] = []
  for (const reviewBytes of [small, large]) {
    const own = path.join(folder, `memory-${reviewBytes}`)
    fs.mkdirSync(own)
    const facts = await writeBooks({ folder: own, seed: 3, reviewBytes, popular: 40 })
    peaks.push(await peakOf(facts))
    fs.rmSync(own, { recursive: true })
  }
  const [little = 0, much = 0] = peaks
  process.stderr.write(`peak memory of a worker: ${little} MB, then ${much} MB\n`)
  assert.ok(much < MEMORY_MB + BESIDE_MB, `${much} MB`)
  assert.ok(much < little + GROWTH_MB, `${little} MB, then ${much} MB`)
})

/** Of the largest worker, in MB. */
async function peakOf(facts: BooksFacts): Promise<number> {
  const scene = newBookScene(newFolder(), { ...facts, expected: shops[0]!.expected })
  const out = path.join(scene.data, '..', 'answers')
  const command = await startQuery(scene, {
    out,
    workers: 2,
    more: ['--memory', String(MEMORY_MB)],
  })
  let peak = 0
  while (command.exit() === undefined) {
    const workers = readProcesses(scene.data).filter(({ role }) => role === 'worker')
    for (const { pid } of workers) peak = Math.max(peak, memoryOf(pid))
    await sleep(MEASURE_MS)
  }
  assert.equal(command.exit()?.code, 0, command.stderr())
  return Math.round(peak / 1024)
}

/** In kB, as the system counts it, on Linux the most that it ever had; 0 when it is gone. */
function memoryOf(pid: number): number {
  if (process.platform === 'linux')
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] ?? 0)
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(stdout.trim())
}

function statusOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
