/**
 * A question that a process of its own answers: whatever is in it, the station goes on. The process is ended when it
 * has answered, when it takes too long, and when nobody waits for it any more.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import type { Clock } from '@minga/protocol'

export interface ChildModule {
  module: URL
  /** Where it stands. */
  folder: string
}

export interface ChildLimits {
  clock: Pick<Clock, 'sleep'>
  timeoutMs: number
  /** Whoever asked has gone, or the station closes. */
  signal: AbortSignal
}

/** `late`: it took too long; `dead`: it ended without a word. */
export async function askChild<A extends object>(
  { module, folder }: ChildModule,
  question: object,
  limits: ChildLimits,
): Promise<A | 'late' | 'dead'> {
  const child = startChild(module, folder)
  try {
    return await askRunning<A>(child, question, limits)
  } finally {
    child.kill('SIGKILL')
  }
}

/**
 * The same of a process that answers one question after another; the caller ends it when it is late. Without a
 * question its first word is waited for.
 */
export async function askRunning<A extends object>(
  child: ChildProcess,
  question: object | null,
  { clock, timeoutMs, signal }: ChildLimits,
): Promise<A | 'late' | 'dead'> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  child.ref()
  child.channel?.ref()
  try {
    const answered = answerOf<A>(child, either)
    if (question !== null) child.send(question, () => {})
    const late = clock.sleep(timeoutMs, either).then((): 'late' => 'late')
    const said = await Promise.race([answered, late])
    if (said === 'late') signal.throwIfAborted()
    return said
  } finally {
    over.abort()
    // Between two questions it keeps no process alive.
    child.unref()
    child.channel?.unref()
  }
}

/** Of the environment only what finds Node's own things: no tokens. */
export function startChild(module: URL, folder: string): ChildProcess {
  const { PATH = '', HOME = folder } = process.env
  const compiled = getCompileCacheDir()
  return fork(module, {
    cwd: folder,
    env: { PATH, HOME, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }) },
    execArgv: ['--max-old-space-size=512'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** A process that ended between two questions says so at once. */
async function answerOf<A>(child: ChildProcess, signal: AbortSignal): Promise<A | 'dead'> {
  if (child.exitCode !== null || child.signalCode !== null) return 'dead'
  const ended = once(child, 'exit', { signal }).then((): 'dead' => 'dead')
  const said = once(child, 'message', { signal }).then(([message]) => message as A)
  const first = Promise.race([said, ended])
  // When nobody waits any more both are aborted, and that is no error.
  for (const each of [said, ended, first]) each.catch(() => {})
  return first
}
