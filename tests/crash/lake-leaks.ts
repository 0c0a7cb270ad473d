/** What queries leave behind when all of them have ended: their answers, for as long as these are kept, and nothing else. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '@minga/testkit'
import { openTables } from './databases.ts'
import { startStation, stationIsUp, type LakeScene } from './lake-scene.ts'

/** Rounds of tidying come every ten seconds, and leases of the dead run out before. */
const TIDY_MS = 60_000
const LOOK_MS = 500
const STOP_MS = 60_000

/** The scene's own station tidies up, or, where every command brought its own, one without workers; then it goes as well. */
export async function assertNothingLeft(scene: LakeScene, own: Child | null = null): Promise<void> {
  if (own === null) {
    assert.deepEqual(await processesLeft(scene), [], 'every process has ended with its command')
  }
  const station = own ?? (await startStation(scene, 0))
  await stationIsUp(station)
  let left: string[] = ['not looked']
  for (let waited = 0; waited < TIDY_MS && left.length > 0; waited += LOOK_MS) {
    await sleep(LOOK_MS)
    left = filesLeft(scene)
  }
  assert.deepEqual(left, [], 'what queries wrote is gone but for their answers')
  station.signal('SIGINT')
  await station.waitExit(STOP_MS)
  // Only now: while a station runs, its database is its own.
  assert.deepEqual(await rowsLeft(scene), [], 'no process runs, none holds anything')
  assert.deepEqual(await processesLeft(scene), [], 'every process has ended with its station')
  assert.deepEqual(fs.readdirSync(scene.temporary), [], 'nothing is left in the temporary folder')
}

function filesLeft({ data }: LakeScene): string[] {
  const folder = path.join(data, 'lake', 'queries')
  if (!fs.existsSync(folder)) return []
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(data, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/\/\d+-\d+-books-\d(\.csv|-rows\.parquet)$/.test(name))
}

async function rowsLeft(scene: LakeScene): Promise<string[]> {
  const tables = await openTables(scene)
  try {
    const counts = {
      'queries that run': `SELECT COUNT(*) AS n FROM lake_queries WHERE state = 'running'`,
      'leases of tasks': `SELECT COUNT(*) AS n FROM lake_tasks WHERE state = 'leased'`,
      'readers of tables': 'SELECT COUNT(*) AS n FROM lake_readers',
    }
    const left: string[] = []
    for (const [what, text] of Object.entries(counts)) {
      const [row] = await tables.all<{ n: number }>(text)
      if (row!.n > 0) left.push(`${row!.n} ${what}`)
    }
    return left
  } finally {
    await tables.close()
  }
}

/** Children notice the death of their parent within a moment. */
const LAST_BREATH_MS = 10_000

async function processesLeft(scene: LakeScene): Promise<string[]> {
  let left: string[] = []
  for (let waited = 0; waited < LAST_BREATH_MS; waited += LOOK_MS) {
    left = groupMembers(scene.started.map(({ pid }) => pid))
    if (left.length === 0) return []
    await sleep(LOOK_MS)
  }
  return left
}

function groupMembers(groups: readonly number[]): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pgid=,pid=,stat=,args='], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => {
      const [group, , state = 'Z'] = line.split(/\s+/)
      // A dead orphan that is not reaped yet still has a number; its state is Z.
      return groups.includes(Number(group)) && !state.startsWith('Z')
    })
}
