/**
 * Runs test files in processes that may be ended as a whole: node's own `--test` waits for ever for a
 * file that left a server or timer behind, and names nobody. What fails has failed: nothing is run again.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { ROOT } from '../commands.ts'
import { FILES_VARIABLE, type GroupMessage } from './group-messages.ts'
import type { Job } from './plan-jobs.ts'
import { add, emptyTotals, type Totals } from './totals.ts'

const GROUP_MAIN = path.join(import.meta.dirname, 'group-main.ts')

/** How many test processes run at a time, of all stages together; they take turns in the order they ask. */
export class ProcessSlots {
  readonly count: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.count = count
    this.#free = count
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

export interface TestRun {
  slots: ProcessSlots
  /** For one file, from its start until its end. */
  timeoutMs: number
  env: Record<string, string>
}

export interface FileResult {
  file: string
  totals: Totals
  seconds: number
  /** Of the file's own processes, without those of a database that all share. */
  processorSeconds: number
  /** Shown when something failed. */
  output: string
}

/** Process groups under way, to be ended with this one. */
const groups = new Set<number>()
const stop = new AbortController()

export function endTestProcesses(): void {
  stop.abort() // Else the end of one file would begin the next.
  for (const pid of groups) endGroup(pid)
}

/** One line per file as it ends, with everything it printed when something failed. */
export async function runJobs(jobs: readonly Job[], run: TestRun): Promise<FileResult[]> {
  const results: FileResult[] = []
  const queue = [...jobs]
  const work = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const files = job
      results.push(...(await run.slots.run(() => runJob(files, run))))
    }
  }
  await Promise.all(Array.from({ length: run.slots.count }, work))
  return results
}

export function totalOf(results: readonly FileResult[]): Totals {
  const sum = emptyTotals()
  for (const { totals } of results) add(sum, totals)
  return sum
}

/** Each failed file with what it said first and last. */
export function failuresOf(results: readonly FileResult[]): string[] {
  return results
    .filter(({ totals }) => totals.fail > 0)
    .map(({ file, output }) => `${file}\n${shortened(output)}`)
}

const shortened = (text: string): string =>
  text.length <= 2000 ? text : `${text.slice(0, 1500)}\n…\n${text.slice(-500)}`

async function runJob(files: Job, run: TestRun): Promise<FileResult[]> {
  if (stop.signal.aborted) return []
  const results: FileResult[] = []
  // A file that hangs or ends the process is named, and those behind it get another process.
  for (let rest = files; rest.length > 0 && !stop.signal.aborted;) {
    const ended = await runProcess(rest, run)
    results.push(...ended)
    rest = rest.filter((file) => !ended.some((result) => result.file === file))
  }
  return results
}

/** Answers at least one file, or it would be asked for ever. */
async function runProcess(files: readonly string[], run: TestRun): Promise<FileResult[]> {
  const child = start(files, run)
  const timer = new LateFile(child, run.timeoutMs)
  const results: FileResult[] = []
  let current = files[0]!
  child.process.on('message', (message: GroupMessage) => {
    if (message.type === 'test') return timer.name(message.name)
    timer.again()
    if (message.type === 'began') current = message.file
    else results.push(report(resultOf(message)))
  })
  const { code, output } = await child.ended
  timer.clear()
  const isUnheard = !results.some(({ file }) => file === current)
  const hasFailed = totalOf(results).fail > 0
  if (isUnheard || (code !== 0 && !hasFailed))
    results.push(report(broken(current, output + timer.sentence)))
  // What a failed file and its stations printed; among many files nobody could say whose it was.
  else if (hasFailed && files.length === 1) process.stdout.write(`${output}\n`)
  return results
}

function resultOf(message: GroupMessage & { type: 'ended' }): FileResult {
  const { type: _, failures, ...result } = message
  return { ...result, output: failures.join('\n') }
}

/** It took its process with it, or never came to its end. */
function broken(file: string, output: string): FileResult {
  const totals = { tests: 1, pass: 0, fail: 1, skipped: 0 }
  return { file, totals, seconds: 0, processorSeconds: 0, output }
}

interface Started {
  process: ChildProcess
  ended: Promise<{ code: number | null; output: string }>
}

/** Tests make much garbage: a twenty-fifth less of their processor time goes to collecting it. */
const FLAGS = ['--max-semi-space-size=64']

function start(files: readonly string[], run: TestRun): Started {
  const child = spawn(process.execPath, [...FLAGS, GROUP_MAIN, String(run.timeoutMs)], {
    cwd: ROOT,
    env: { ...process.env, ...run.env, [FILES_VARIABLE]: JSON.stringify(files) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A group of its own, so that the stations a test started end with it.
    detached: true,
  })
  if (child.pid !== undefined) groups.add(child.pid)
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  }).then((code) => {
    if (child.pid !== undefined) groups.delete(child.pid)
    return { code, output: Buffer.concat(chunks).toString() }
  })
  return { process: child, ended }
}

/** Ends a process whose file takes too long. */
class LateFile {
  readonly #timer: NodeJS.Timeout
  #test = ''
  sentence = ''

  constructor({ process: child }: Started, timeoutMs: number) {
    this.#timer = setTimeout(() => {
      this.sentence = `The file did not end within ${timeoutMs / 1000} s.${this.#test}\n`
      if (child.pid !== undefined) endGroup(child.pid)
    }, timeoutMs)
  }

  again(): void {
    this.#test = ''
    this.#timer.refresh()
  }

  name(test: string): void {
    this.#test = ` The last test to begin: ${test}.`
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself in the meantime.
  }
}

function report(result: FileResult): FileResult {
  const { file, totals, seconds, processorSeconds, output } = result
  const skipped = totals.skipped === 0 ? '' : `, ${totals.skipped} skipped`
  const counts = `${totals.pass} of ${totals.tests} passed${skipped}`
  const mark = totals.fail === 0 ? '✔' : '✖'
  const times = `${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of a processor`
  process.stdout.write(`  ${mark} ${file}  ${counts}  ${times}\n`)
  if (totals.fail > 0) process.stdout.write(`${output}\n`)
  return result
}
