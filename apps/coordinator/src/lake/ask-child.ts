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
  clock: Clock
  timeoutMs: number
  /** Whoever asked has gone, or the station closes. */
  signal: AbortSignal
}

/** `late`: it took too long; `dead`: it ended without a word. */
export async function askChild<A extends object>(
  { module, folder }: ChildModule,
  question: object,
  { clock, timeoutMs, signal }: ChildLimits,
): Promise<A | 'late' | 'dead'> {
  const child = startChild(module, folder)
  const over = new AbortController()
  try {
    child.send(question)
    const either = AbortSignal.any([signal, over.signal])
    const late = clock.sleep(timeoutMs, either).then((): 'late' => 'late')
    const said = await Promise.race([answerOf<A>(child), late])
    if (said === 'late') signal.throwIfAborted()
    return said
  } finally {
    over.abort()
    child.kill('SIGKILL')
  }
}

/** Of the environment only what finds Node's own things: no tokens. */
function startChild(module: URL, folder: string): ChildProcess {
  const { PATH = '', HOME = folder } = process.env
  const compiled = getCompileCacheDir()
  return fork(module, {
    cwd: folder,
    env: { PATH, HOME, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }) },
    execArgv: ['--max-old-space-size=512'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

async function answerOf<A>(child: ChildProcess): Promise<A | 'dead'> {
  const ended = once(child, 'exit').then((): 'dead' => 'dead')
  const said = once(child, 'message').then(([message]) => message as A)
  return Promise.race([said, ended])
}
