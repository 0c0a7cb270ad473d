/** A plan of kills and pauses, made from a seed before anything is struck, and its execution. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { readProcesses, type Child, type SeededRandom } from '@minga/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCrawl, type Crawl } from './crash-fixture.ts'

export interface Strike {
  /** Falls upon processes that may only just be starting, instead of on a crawl at work. */
  isHasty: boolean
  /** Let the crawl work for so long first. */
  waitMs: number
  deed: 'kill' | 'pause'
  /** `command` is the command alone, `all` the command with everything it started. */
  target: 'agent' | 'coordinator' | 'command' | 'all'
  pauseMs: number
}

export interface HavocSize {
  strikes: number
  /** Shares of pauses that outlast a lease. */
  longPauseShare: number
  /** Whether at least one agent sleeps through the end of its leases and wakes with its hands full. */
  hasLongPause: boolean
}

const HASTY_SHARE = 0.25
const WAIT_MIN_MS = 100
const WAIT_SPREAD_MS = 600
const PAUSE_SHARE = 0.25
const SHORT_PAUSE_MS = 1_500
/** Longer than the silence after which a lease ends. */
const LONG_PAUSE_MS = 12_000
/** The strike that is the long pause, if there is to be one, and every how many all are struck. */
const LONG_PAUSE_PLACE = 2
const ALL_EVERY = 5

export function planHavoc(random: SeededRandom, size: HavocSize): Strike[] {
  return Array.from({ length: size.strikes }, (_, place) => {
    const isLongPause = size.hasLongPause && place === LONG_PAUSE_PLACE
    const isHasty = random.chance(HASTY_SHARE) && !isLongPause
    const when = { isHasty, waitMs: WAIT_MIN_MS + random.integer(WAIT_SPREAD_MS) }
    if (isLongPause) return { ...when, deed: 'pause', target: 'agent', pauseMs: LONG_PAUSE_MS }
    if (place % ALL_EVERY === ALL_EVERY - 1) {
      return { ...when, deed: 'kill', target: random.pick(['all', 'command']), pauseMs: 0 }
    }
    const target = random.pick(['agent', 'coordinator'] as const)
    if (!random.chance(PAUSE_SHARE)) return { ...when, deed: 'kill', target, pauseMs: 0 }
    const isLong = random.chance(size.longPauseShare)
    const pauseMs = isLong ? LONG_PAUSE_MS : random.integer(SHORT_PAUSE_MS)
    return { ...when, deed: 'pause', target, pauseMs }
  })
}

/** An agent whose coordinator is away goes on until the requests in its hand are used up. */
const HAND_MS = 5_000
/** On average: a child that keeps dying is started again ever later, up to seconds. */
const RESTART_MS = 500

/**
 * How long a crawl can have been at work when the last strike of the plan falls. Machines differ
 * in how long they take to start processes, and then no process is at work but an agent whose
 * coordinator is being started.
 */
export function workMs(plan: readonly Strike[]): number {
  const each = plan.map(({ waitMs, target, pauseMs }) => {
    const isAgentAlone = target === 'coordinator'
    return waitMs + (isAgentAlone ? RESTART_MS + Math.min(pauseMs, HAND_MS) : 0)
  })
  return each.reduce((sum, ms) => sum + ms, 0)
}

/** Deals the whole plan, and gives back the command that is to finish the crawl. */
export async function wreak(crawl: Crawl, plan: readonly Strike[]): Promise<Child> {
  let child = await startCrawl(crawl)
  for (const [place, strike] of plan.entries()) {
    if (!strike.isHasty) await atWork(crawl, child)
    await sleep(strike.waitMs)
    const past = plan.slice(0, place).map(nameOf).join(' ')
    const context = `strike ${place + 1} of ${plan.length}, after ${past}`
    if (strike.target === 'agent' || strike.target === 'coordinator') {
      await strikeOne({ crawl, child, context }, strike)
    } else {
      assertRuns(child, context)
      child = await strikeCommand(crawl, child, strike)
    }
  }
  assertRuns(child, 'the last strike')
  return child
}

export function nameOf({ deed, target }: Strike): string {
  return `${deed}-${target}`
}

function assertRuns(child: Child, context: string): void {
  const said = `at ${context} the command had ended and said ${child.stdout()}${child.stderr()}`
  assert.equal(child.exit(), undefined, said)
}

/** Children are back within seconds, also on a slow machine. */
const LOOK_MS = 20
const LOOKS_MAX = 3_000

/** Resolves when the web is asked for something again. */
async function atWork({ web }: Crawl, child: Child): Promise<void> {
  const before = web.logBytes()
  for (let looks = 0; looks < LOOKS_MAX && child.exit() === undefined; looks++) {
    if (web.logBytes() > before) return
    await sleep(LOOK_MS)
  }
}

interface Scene {
  crawl: Crawl
  child: Child
  context: string
}

/** A strike counts only when it reached a living process of a crawl that has both of its kinds. */
async function strikeOne(scene: Scene, { deed, target, pauseMs }: Strike): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    assertRuns(scene.child, scene.context)
    const processes = readProcesses(scene.crawl.data)
    const roles = new Set(processes.map(({ role }) => role))
    const pid = processes.find(({ role }) => role === target)?.pid
    const isWhole = roles.has('agent') && roles.has('coordinator')
    if (isWhole && pid !== undefined && send(pid, deed === 'kill' ? 'SIGKILL' : 'SIGSTOP')) {
      if (deed === 'kill') return
      await sleep(pauseMs)
      send(pid, 'SIGCONT')
      return
    }
    await sleep(LOOK_MS)
  }
  assert.fail(`${scene.context}: there was no ${target} to strike. ${scene.child.stderr()}`)
}

/** Kills the command, with or without everything it started; then the same command again. */
async function strikeCommand(crawl: Crawl, child: Child, { target }: Strike): Promise<Child> {
  if (target === 'all') child.killTree()
  else child.kill9()
  await child.waitExit(10_000)
  // It lists children of the dead command, whose numbers may soon belong to other processes.
  fs.rmSync(path.join(crawl.data, 'processes.json'), { force: true })
  return startCrawl(crawl)
}

/** False when it died by itself in the meantime, or of an earlier strike. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}
