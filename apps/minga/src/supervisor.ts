/**
 * Starts the programs of a station as child processes and starts them again when they die, or when
 * they have stopped beating: a process that hangs is worse than one that is gone.
 * Children hold a channel to this process and end when it closes, so nothing outlives us.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { BEAT, systemClock, type SettingsMessage } from '@minga/protocol'
import { childEnvironment } from './child-environment.ts'
import { ProcessNotes, endedNote, hungNote, replacedNote, restingNote } from './process-notes.ts'
import { ProcessesFile, type Role } from './processes.ts'

/** Pause before a dead child is started again; it grows while the child keeps dying. */
const RESTART_FIRST_MS = 100
const RESTART_MAX_MS = 5_000
/** A child that lived this long was healthy: its next death starts the pauses from the beginning. */
const HEALTHY_MS = 10_000
/** Shorter pauses pass before anybody reads of them. */
const NOTED_REST_MS = 1_000
/**
 * How long a graceful stop may take. Agents and workers finish what is in flight; one that hangs, is paused or cannot
 * deliver is killed, and what it had is fetched again. The coordinator writes the index of the whole archive; when a
 * signal stops the command, `Interrupts` leaves it less.
 */
const STOP_MS: Record<Role, number> = {
  agent: 2_000,
  worker: 2_000,
  coordinator: 60_000,
  store: 60_000,
}
const STOP_ORDER: readonly (readonly Role[])[] = [['agent', 'worker'], ['coordinator'], ['store']]
/** Between beats. A worker is nothing but its task, which waits while it hangs; others hold more. */
const BEAT_MS: Record<Role, number> = {
  worker: 1_000,
  coordinator: 2_500,
  agent: 2_500,
  store: 2_500,
}

export interface ChildPlan {
  role: Role
  /** Whose place it takes when it is started again. */
  name: string
  /** Its first message says that it is there; others are as soon as they run. */
  greets?: boolean
  /** A name such as `@minga/agent`'s main module. */
  module: URL
  /** Made again at every start, so that a restarted coordinator can keep its port. */
  env: () => Record<string, string>
  /** Sent as soon as they are known: a child loads its program while its station still starts. */
  settings?: () => Promise<unknown>
  /** Flags for Node itself. */
  flags?: readonly string[]
  onMessage?: (message: unknown, child: ChildProcess) => void
  /** Return true when the death is final and must not be answered by a restart. */
  onExit?: (code: number | null, stopping: AbortSignal) => boolean
}

interface Managed {
  plan: ChildPlan
  child: ChildProcess | null
  startedAtMs: number
  restartMs: number
  /** The one before, until another replaces it. */
  former: { pid: number; endedAtMs: number } | null
  /** In a row, without a healthy life between. */
  ends: number
  /** Killed by us; its end says nothing new. */
  isKilled: boolean
}

interface End {
  child: ChildProcess
  code: number | null
  signal: NodeJS.Signals | null
}

interface Watched {
  child: ChildProcess
  heartbeats: HeartbeatMonitor
  everyMs: number
}

export class Supervisor {
  readonly #processes: ProcessesFile
  readonly #isQuiet: boolean
  readonly #managed: Managed[] = []
  readonly #stopping = new AbortController()
  /** What happens to the children, for the log of the station. */
  readonly notes = new ProcessNotes(this.#stopping.signal)
  #writing: Promise<void> = Promise.resolve()

  /** `isQuiet`: nothing is printed, by no child either; what happens is in the station's log. */
  constructor(data: string, { isQuiet = false }: { isQuiet?: boolean } = {}) {
    this.#processes = new ProcessesFile(data)
    this.#isQuiet = isQuiet
  }

  start(plan: ChildPlan): void {
    const managed: Managed = {
      plan,
      child: null,
      startedAtMs: 0,
      restartMs: RESTART_FIRST_MS,
      former: null,
      ends: 0,
      isKilled: false,
    }
    this.#managed.push(managed)
    this.#spawn(managed)
  }

  #spawn(managed: Managed): void {
    const { plan } = managed
    const everyMs = BEAT_MS[plan.role]
    const facts = { MINGA_ROLE: plan.role, MINGA_BEAT_MS: String(everyMs) }
    const printed = this.#isQuiet ? 'ignore' : 2
    const child = fork(fileURLToPath(plan.module), [], {
      env: {
        ...childEnvironment(plan.role, process.env),
        ...compileCache(),
        ...plan.env(),
        ...facts,
      },
      execArgv: ['--disable-warning=ExperimentalWarning', ...(plan.flags ?? [])],
      // Data on stdout is ours alone; what a child prints is a message.
      stdio: ['ignore', printed, printed, 'ipc'],
    })
    managed.child = child
    // A child that is gone by then is started again, and asks again.
    plan.settings?.().then(
      (settings) => child.send({ settings } satisfies SettingsMessage, () => {}),
      () => {},
    )
    managed.startedAtMs = systemClock.monotonicMs()
    const heartbeats = new HeartbeatMonitor(everyMs)
    child.on('message', (message) => {
      if (message === BEAT) return heartbeats.heard()
      if (plan.greets && !isFailure(message)) this.#noteReplaced(managed, child)
      plan.onMessage?.(message, child)
    })
    child.once('exit', (code, signal) => void this.#ended(managed, { child, code, signal }))
    if (!plan.greets) this.#noteReplaced(managed, child)
    void this.#watch(managed, { child, heartbeats, everyMs })
    this.note()
  }

  /** Also while everything stops: a child that hangs then must not be waited for. */
  async #watch(managed: Managed, { child, heartbeats, everyMs }: Watched): Promise<void> {
    const exited = new AbortController()
    child.once('exit', () => exited.abort())
    for (;;) {
      await systemClock.sleep(everyMs, exited.signal)
      if (exited.signal.aborted) return
      if (!heartbeats.isSilent()) continue
      const { role, name } = managed.plan
      managed.isKilled = true
      const silentMs = heartbeats.silentMs
      this.notes.note(hungNote({ name, role, pid: child.pid ?? 0, silentMs }))
      if (!this.#isQuiet) {
        process.stderr.write(
          `minga: a ${role} (process ${child.pid}) hangs and is being replaced\n`,
        )
      }
      // Not SIGTERM: a stopped process would never hear it.
      child.kill('SIGKILL')
      return
    }
  }

  async #ended(managed: Managed, { child, code, signal }: End): Promise<void> {
    managed.child = null
    this.note()
    const isFinal = managed.plan.onExit?.(code, this.#stopping.signal) ?? false
    if (isFinal || this.#stopping.signal.aborted) return
    this.#noteEnd(managed, { child, code, signal })
    await systemClock.sleep(managed.restartMs, this.#stopping.signal)
    managed.restartMs = Math.min(managed.restartMs * 2, RESTART_MAX_MS)
    if (!this.#stopping.signal.aborted) this.#spawn(managed)
  }

  #noteEnd(managed: Managed, { child, code, signal }: End): void {
    const { role, name } = managed.plan
    const nowMs = systemClock.monotonicMs()
    const wasHealthy = nowMs - managed.startedAtMs > HEALTHY_MS
    if (wasHealthy) managed.restartMs = RESTART_FIRST_MS
    managed.ends = wasHealthy ? 1 : managed.ends + 1
    const pid = child.pid ?? 0
    // One that never sent a greeting replaced no other: the place is empty since the one before.
    managed.former ??= { pid, endedAtMs: nowMs }
    const how = signal ?? `exit ${code}`
    if (!managed.isKilled) this.notes.note(endedNote({ name, role, pid, how }))
    managed.isKilled = false
    const { restartMs: restMs, ends } = managed
    if (restMs >= NOTED_REST_MS) this.notes.note(restingNote({ name, role, restMs, ends }))
  }

  #noteReplaced(managed: Managed, { pid = 0 }: ChildProcess): void {
    const { plan, former } = managed
    if (former === null) return
    managed.former = null
    const awayMs = Math.round(systemClock.monotonicMs() - former.endedAtMs)
    const { name, role } = plan
    this.notes.note(replacedNote({ name, role, pid, former: former.pid, awayMs }))
  }

  /** Stops agents first, so that the coordinator can take in what they still send. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const roles of STOP_ORDER) {
      const children = this.#managed.filter(({ plan }) => roles.includes(plan.role))
      await Promise.all(
        children.map(async ({ child, plan }) => child && stopChild(child, STOP_MS[plan.role])),
      )
    }
    await this.#writing
  }

  /** Ends everything at once. What was acknowledged is safe, the rest is fetched again. */
  kill(): void {
    this.#stopping.abort()
    for (const { child } of this.#managed) child?.kill('SIGKILL')
  }

  /** To be called again when a coordinator has the folder: another command that tried for it may
   * have written last. */
  note(): void {
    const list = this.#managed.flatMap(({ plan, child }) =>
      child?.pid === undefined ? [] : [{ pid: child.pid, role: plan.role }],
    )
    this.#writing = this.#writing.then(() => this.#processes.write(list))
  }
}

/** What a child says that could not begin. */
function isFailure(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'failed' in message
}

/** Children share this process's cache of compiled code, so that they start in half the time. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

async function stopChild(child: ChildProcess, withinMs: number): Promise<void> {
  const exited = new AbortController()
  child.once('exit', () => exited.abort())
  // One that has just died cannot receive it; its exit event is about to arrive.
  if (child.connected) child.send('stop', () => {})
  else child.kill('SIGTERM')
  await systemClock.sleep(withinMs, exited.signal)
  if (!exited.signal.aborted) child.kill('SIGKILL')
}

/** Too few restart healthy processes under load; too many only delay a replacement. */
const MISSED_MOST = 4
/** Until the first beat: code is loaded before any loop turns, and a busy machine takes its time. */
const START_MS = 60_000

/**
 * Whether a child's main loop still turns, judged by its beats. Time is counted in the watcher's own periods: one
 * that was stopped or slept itself wakes up to one missed period and not to four, and so does not report a child as hung.
 */
export class HeartbeatMonitor {
  readonly #everyMs: number
  readonly #startPeriods: number
  #wasHeard = false
  #hasBegun = false
  #missed = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
    this.#startPeriods = Math.ceil(START_MS / everyMs)
  }

  heard(): void {
    this.#wasHeard = true
    this.#hasBegun = true
  }

  /** For how long nothing was heard. */
  get silentMs(): number {
    return this.#missed * this.#everyMs
  }

  /** A period is over. Answers whether the child has been silent for too long. */
  isSilent(): boolean {
    this.#missed = this.#wasHeard ? 0 : this.#missed + 1
    this.#wasHeard = false
    return this.#missed >= (this.#hasBegun ? MISSED_MOST : this.#startPeriods)
  }
}
