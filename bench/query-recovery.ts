/**
 * A worker dies: how long until the query goes on? A run is asked to answer, one of its workers is killed −9 while
 * tasks are in progress, and the time is taken until the station has one more committed task. One kill per run: the supervisor that
 * restarts workers waits longer when one keeps dying.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readStationFile } from '@minga/coordinator/station-file'
import type { BooksFacts } from '@minga/lake'
import { Random } from '@minga/partition'
import { systemClock, type QueryView } from '@minga/protocol'
import { readProcesses, startProcess, type Child } from '@minga/testkit'
import { fileInputs, runArgs } from './query-minga.ts'

export interface Recovery {
  workers: number
  /** Of each kill: until the next task was committed, by whomever. */
  ms: number[]
}

export interface RecoveryWish {
  folder: string
  books: BooksFacts
  queries: readonly string[]
  workers: number
  kills: number
}

const LOOK_MS = 10
const PATIENCE_MS = 120_000
/** Kills fall anywhere in this time after the first tasks are done. */
const WITHIN_MS = 1_000

export async function measureRecovery(wish: RecoveryWish): Promise<Recovery> {
  const random = new Random(7)
  const ms: number[] = []
  while (ms.length < wish.kills) {
    const taken = await oneKill(wish, { number: ms.length, waitMs: random.below(WITHIN_MS) })
    // The query was over before the kill fell.
    if (taken === null) continue
    ms.push(taken)
    console.error(`recovery, ${wish.workers} workers: ${taken.toFixed(0)} ms`)
  }
  return { workers: wish.workers, ms }
}

async function oneKill(
  { folder, books, queries, workers }: RecoveryWish,
  { number, waitMs }: { number: number; waitMs: number },
): Promise<number | null> {
  const data = join(folder, `recovery-${workers}-${number}-${waitMs}`)
  const out = join(data, 'answers')
  const asked = { data, out, workers, queries, inputs: fileInputs(books) }
  const run = await startProcess(process.execPath, runArgs(asked))
  try {
    const done = await stationView(run, data, out)
    await until(run, async () => (await done()) > 0)
    await systemClock.sleep(waitMs)
    const victim = readProcesses(data).find(({ role }) => role === 'worker')
    if (victim === undefined || run.exit() !== undefined) return null
    process.kill(victim.pid, 'SIGKILL')
    const killedMs = systemClock.monotonicMs()
    const before = await done()
    await until(run, async () => (await done()) > before)
    return run.exit() === undefined ? systemClock.monotonicMs() - killedMs : null
  } finally {
    await run.waitExit(PATIENCE_MS).catch(() => {})
    run.killTree()
  }
}

/** Ends early when the run has ended. */
async function until(run: Child, isSo: () => Promise<boolean>): Promise<void> {
  const limit = systemClock.monotonicMs() + PATIENCE_MS
  while (run.exit() === undefined && !(await isSo())) {
    if (systemClock.monotonicMs() > limit) throw new Error('The query stands still.')
    await systemClock.sleep(LOOK_MS)
  }
}

/** Asks how many tasks are committed; the first question waits until there is a station that knows the query. */
async function stationView(run: Child, data: string, out: string): Promise<() => Promise<number>> {
  const ask = async (): Promise<number> => {
    const station = await readStationFile(data)
    const id = queryId(out)
    if (station === null || id === null) return -1
    const answer = await fetch(`${station.url}/api/queries/${id}`, {
      headers: { authorization: `Bearer ${station.apiKey}` },
    }).catch(() => null)
    if (answer === null || !answer.ok) return -1
    return ((await answer.json()) as QueryView).tasks.done
  }
  await until(run, async () => (await ask()) >= 0)
  return ask
}

function queryId(out: string): string | null {
  try {
    const text = readFileSync(join(out, '.partial', 'query.json'), 'utf8')
    return (JSON.parse(text) as { id: string }).id
  } catch {
    return null // Not begun, or over.
  }
}
