/**
 * Real child processes for tests: started, heard, paused, killed, and never left behind.
 * Each leads a process group of its own, so that its children can be ended with it.
 */

import { spawn, type ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '@minga/protocol/clock'

import { ProcessTooSlow } from './errors.ts'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  pid: number
  stdout(): string
  stderr(): string
  /** Undefined while it runs. */
  exit(): Exit | undefined
  signal(name: NodeJS.Signals): void
  kill9(): void
  pause(): void
  resume(): void
  /** Kills −9 the process and everything in its process group. */
  killTree(): void
  /** Into its standard input. */
  write(text: string): void
  closeStdin(): void
  /** Rejects with `ProcessTooSlow` when it has not exited by then. */
  waitExit(timeoutMs: number): Promise<Exit>
  /** Resolves with the match in stdout or stderr, as soon as there is one. */
  waitOutput(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray>
}

export interface StartOptions {
  /** Added to this process's environment. */
  env?: Record<string, string>
  cwd?: string
  /** As another user; only root can. */
  uid?: number
  gid?: number
}

/** Also those that have exited, until their group is killed: they may have left children behind. */
const started = new Set<Child>()
/** Time to read what a dead process had written. */
const LAST_OUTPUT_MS = 100
/** As much of the output as an error message repeats. */
const LAST_WORDS_CHARACTERS = 2000

export async function startProcess(
  command: string,
  args: readonly string[],
  { env = {}, cwd, ...user }: StartOptions = {},
): Promise<Child> {
  const options = {
    env: { ...process.env, ...env },
    detached: true,
    ...user,
    ...(cwd === undefined ? {} : { cwd }),
  }
  const child = spawn(command, args, { ...options, stdio: 'pipe' })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', reject)
  })
  const handle = handleOf(child)
  started.add(handle)
  return handle
}

/** For the teardown of tests. */
export async function endAllProcesses(timeoutMs = 5000): Promise<void> {
  const children = [...started]
  for (const child of children) child.killTree()
  await Promise.all(children.map((child) => child.waitExit(timeoutMs)))
}

// A test runner that dies of an exception must not leave a crawl behind.
process.on('exit', () => {
  for (const child of started) child.killTree()
})

function handleOf(child: ChildProcess): Child {
  const pid = child.pid ?? 0
  const output = { stdout: '', stderr: '' }
  const news = new EventEmitter().setMaxListeners(0)
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      news.emit('news')
    })
  }
  // A child that is gone closes its input; writing to it later is no reason to fall over.
  child.stdin?.on('error', () => {})
  let exit: Exit | undefined
  const exited = (code: number | null, signal: NodeJS.Signals | null): void => {
    exit ??= { code, signal }
    news.emit('news')
  }
  // `close` means that all output has been read, but never comes while a grandchild holds the pipe.
  child.once('close', exited)
  child.once('exit', (code, signal) => {
    void systemClock.sleep(LAST_OUTPUT_MS).then(() => exited(code, signal))
  })

  const lastWords = (): string => `${output.stdout}\n${output.stderr}`.slice(-LAST_WORDS_CHARACTERS)
  const signal = (name: NodeJS.Signals): void => {
    if (exit === undefined) sendSignal(pid, name)
  }
  const handle: Child = {
    pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exit: () => exit,
    signal,
    kill9: () => signal('SIGKILL'),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    killTree: () => {
      if (started.delete(handle)) sendSignal(-pid, 'SIGKILL')
    },
    write: (text) => void child.stdin?.write(text),
    closeStdin: () => void child.stdin?.end(),
    waitExit: (timeoutMs) => soon(() => exit, { awaited: 'its exit', timeoutMs, lastWords, news }),
    waitOutput: (pattern, timeoutMs) =>
      soon(() => pattern.exec(output.stdout) ?? pattern.exec(output.stderr) ?? undefined, {
        awaited: String(pattern),
        timeoutMs,
        lastWords,
        news,
      }),
  }
  return handle
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Already gone: what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Looks again whenever there is output or an end: a loop would cost more than what it waits for. */
async function soon<T>(
  look: () => T | undefined,
  wait: { awaited: string; timeoutMs: number; lastWords: () => string; news: EventEmitter },
): Promise<T> {
  const over = new AbortController()
  const seen = new Promise<T>((resolve) => {
    const onNews = (): void => {
      const found = look()
      if (found !== undefined) resolve(found)
    }
    wait.news.on('news', onNews)
    over.signal.addEventListener('abort', () => wait.news.off('news', onNews))
    onNews()
  })
  const late = systemClock.sleep(wait.timeoutMs, over.signal).then((): T => {
    const found = look()
    if (found !== undefined) return found
    throw new ProcessTooSlow(wait.awaited, wait.timeoutMs, wait.lastWords())
  })
  try {
    return await Promise.race([seen, late])
  } finally {
    over.abort()
  }
}

export interface ListedProcess {
  pid: number
  role: string
}

/** What `DIR/processes.json` lists; nothing when it is absent or just being written. */
export function readProcesses(dataDir: string): ListedProcess[] {
  try {
    const listed: unknown = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8'))
    return Array.isArray(listed) ? listed.filter(isListedProcess) : []
  } catch {
    return []
  }
}

function isListedProcess(entry: unknown): entry is ListedProcess {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'pid' in entry &&
    typeof entry.pid === 'number' &&
    'role' in entry &&
    typeof entry.role === 'string'
  )
}
