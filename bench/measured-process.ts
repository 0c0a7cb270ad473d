/**
 * Runs a command and measures it from outside: seconds, processor time and memory of the whole
 * tree of processes it starts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { systemClock } from '@minga/protocol'
import { startProcess } from '@minga/testkit'

export interface Measured {
  seconds: number
  /** User and system time of the command and of every descendant that was waited for. */
  cpuSeconds: number
  /** Highest sum of resident memory seen, shared pages counted once per process. */
  peakRssBytes: number
  stdout: string
}

export interface Command {
  program: string
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
  timeoutMs: number
}

/** Often enough to see peaks that last, rarely enough not to disturb two cores. */
const SAMPLE_MS = 200
const PAGE_BYTES = 4096
const LAST_WORDS_CHARACTERS = 2000

/** The shell waits for the command, so its `times` are the kernel's own sums, exact at the end. */
const WRAPPER = '"$@"; code=$?; times >&2; exit $code'

export async function measure(command: Command): Promise<Measured> {
  const startedMs = systemClock.monotonicMs()
  const { env, cwd } = command
  const child = await startProcess('sh', ['-c', WRAPPER, 'sh', command.program, ...command.args], {
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  })
  let peakRssBytes = 0
  const over = new AbortController()
  const sampling = sampleUntil(over.signal, () => {
    peakRssBytes = Math.max(peakRssBytes, sessionRssBytes(child.pid))
  })
  try {
    const { code } = await child.waitExit(command.timeoutMs)
    const seconds = (systemClock.monotonicMs() - startedMs) / 1000
    if (code !== 0) {
      const words = `${child.stdout()}\n${child.stderr()}`.slice(-LAST_WORDS_CHARACTERS)
      throw new Error(`${command.program} ended with code ${code}: ${words}`)
    }
    return { seconds, cpuSeconds: cpuSeconds(child.stderr()), peakRssBytes, stdout: child.stdout() }
  } finally {
    over.abort()
    await sampling
    child.killTree()
  }
}

async function sampleUntil(signal: AbortSignal, sample: () => void): Promise<void> {
  while (!signal.aborted) {
    sample()
    await systemClock.sleep(SAMPLE_MS, signal)
  }
}

/** `startProcess` makes the shell the leader of a session; its descendants stay in it. */
function sessionRssBytes(session: number): number {
  let pages = 0
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null
    if (stat?.session === session) pages += stat.rssPages
  }
  return pages * PAGE_BYTES
}

function statOf(pid: string): { session: number; rssPages: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the last parenthesis may contain anything; proc(5) counts from after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { session: Number(fields[3]), rssPages: Number(fields[21]) }
  } catch {
    return null // It ended while we looked.
  }
}

/** The second line of `times`: user and system time of the children, as `0m1.230s`. */
function cpuSeconds(stderr: string): number {
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  const parts = [...last.matchAll(/(\d+)m([\d.]+)s/g)]
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}
