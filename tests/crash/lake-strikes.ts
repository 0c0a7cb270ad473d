/** Kills and pauses of the processes that work on a query, planned from a seed, and their execution. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProcesses, type Child, type SeededRandom } from '@minga/testkit'
import { startStation, type LakeScene } from './lake-scene.ts'

/**
 * `command`: the command of the client, with all that it started when it has its own station. `station`: what
 * supervises coordinator and workers. `sleepers`: a worker and its supervisor, which therefore does not replace it;
 * its lease runs out, another does its task, and it wakes with the old lease in its hand.
 */
type Target = 'worker' | 'coordinator' | 'command' | 'station' | 'sleepers'

interface LakeStrike {
  /** Falls while processes may only just be starting. */
  isHasty: boolean
  waitMs: number
  deed: 'kill' | 'pause'
  target: Target
  pauseMs: number
}

const HASTY_SHARE = 0.2
const WAIT_SPREAD_MS = 1_200
const PAUSE_SHARE = 0.3
const SHORT_PAUSE_MS = 2_500
/** Longer than a lease of a task. */
const LONG_PAUSE_MS = 7_500

export function planStrikes(
  random: SeededRandom,
  { strikes, targets }: { strikes: number; targets: readonly Target[] },
): LakeStrike[] {
  return Array.from({ length: strikes }, () => {
    const target = random.pick(targets)
    const when = { isHasty: random.chance(HASTY_SHARE), waitMs: random.integer(WAIT_SPREAD_MS) }
    if (target === 'sleepers') return { ...when, deed: 'pause', target, pauseMs: LONG_PAUSE_MS }
    const deed = random.chance(PAUSE_SHARE) ? 'pause' : 'kill'
    return { ...when, deed, target, pauseMs: random.integer(SHORT_PAUSE_MS) }
  })
}

export const nameOf = ({ deed, target, waitMs }: LakeStrike): string =>
  `${deed}-${target}@${waitMs}`

/** One question under strikes, or one import. */
export interface StruckRun {
  scene: LakeScene
  /** The station that serves the folder; null: the command brings its own. */
  station: Child | null
  random: SeededRandom
  /** The command, the same each time: again after it was killed. */
  ask: () => Promise<Child>
  /** From when on strikes fall, but for hasty ones. */
  hasBegun: () => boolean
}

export const OWN_WORKERS = 2
/** A run of seconds; strikes make it a minute on a busy machine, and a station that is killed is waited for. */
const PATIENCE_MS = 180_000

/** Deals what the run's time allows of the plan; answers how much that was, and the station at the end. */
export async function runStruck(
  run: StruckRun,
  plan: readonly LakeStrike[],
): Promise<{ dealt: number; station: Child | null }> {
  let { station } = run
  let command = await run.ask()
  let dealt = 0
  for (const strike of plan) {
    if (!strike.isHasty) await begun(run, command)
    await sleep(strike.waitMs)
    if (command.exit() !== undefined) break
    ;({ command, station } = await deal({ ...run, station }, command, strike))
    dealt += 1
  }
  const { code } = await command.waitExit(PATIENCE_MS)
  assert.equal(code, 0, `${command.stderr()}\nstation: ${station?.stderr()}`)
  return { dealt, station }
}

const LOOK_MS = 20
const BEGIN_MS = 30_000

async function begun({ hasBegun }: StruckRun, command: Child): Promise<void> {
  for (let waited = 0; waited < BEGIN_MS && command.exit() === undefined; waited += LOOK_MS) {
    if (hasBegun()) return
    await sleep(LOOK_MS)
  }
}

interface Players {
  command: Child
  station: Child | null
}

async function deal(run: StruckRun, command: Child, strike: LakeStrike): Promise<Players> {
  const { scene, station } = run
  const supervisor = station ?? command
  switch (strike.target) {
    case 'command':
      return { command: await strikeCommand(run, command, strike), station }
    case 'station':
      return { command, station: await strikeStation(scene, supervisor, strike) }
    case 'sleepers':
      await strikePids([supervisor.pid, ...pick(run, 'worker')], strike)
      return { command, station }
    default:
      await strikePids(pick(run, strike.target), strike)
      return { command, station }
  }
}

async function strikeCommand(run: StruckRun, command: Child, strike: LakeStrike): Promise<Child> {
  await strikePids([command.pid], strike)
  if (strike.deed === 'pause') return command
  const { code } = await command.waitExit(PATIENCE_MS)
  // It may have ended just before: a client that has the answer does not ask again, and an import would add its rows again.
  return code === 0 ? command : run.ask()
}

/** Its supervisor restarts it at once. */
async function strikeStation(scene: LakeScene, station: Child, strike: LakeStrike): Promise<Child> {
  await strikePids([station.pid], strike)
  if (strike.deed === 'pause') return station
  await station.waitExit(PATIENCE_MS)
  return startStation(scene, OWN_WORKERS)
}

/** One of those who have that role now and are ours: a number may belong to another process by now. */
function pick({ scene, random }: StruckRun, role: string): number[] {
  const groups = new Set(scene.started.map(({ pid }) => pid))
  const pids = readProcesses(scene.data).flatMap((one) =>
    one.role === role && groups.has(groupOf(one.pid)) ? [one.pid] : [],
  )
  return pids.length === 0 ? [] : [random.pick(pids)]
}

function groupOf(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(stdout.trim() || Number.NaN)
}

async function strikePids(pids: readonly number[], strike: LakeStrike): Promise<void> {
  if (strike.deed === 'kill') return signal(pids, 'SIGKILL')
  signal(pids, 'SIGSTOP')
  await sleep(strike.pauseMs)
  signal(pids, 'SIGCONT')
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It ended in this very moment.
    }
  }
}
