/**
 * Runs test files, each in a process of its own that may be ended as a whole: node's own
 * `--test` waits for ever for a file that left a server or timer behind, and names nobody.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './commands.ts'
import { processorTimes } from './idle-processors.ts'
import { RoomForMore } from './room-for-more.ts'

/** How often to see whether there is room for one more. */
const LOOK_MS = 500

export interface Totals {
  tests: number
  pass: number
  fail: number
  skipped: number
}

export interface TestRun {
  files: string[]
  filesAtOnce: number
  /** That many where processors stand idle. */
  filesMost: number
  /** For one file, from its start until its process has ended. */
  timeoutMs: number
  env: Record<string, string>
}

interface FileResult {
  file: string
  totals: Totals
  seconds: string
  output: string
}

/** Process groups under way, to be ended with this one. */
const groups = new Set<number>()
const stop = new AbortController()

export function emptyTotals(): Totals {
  return { tests: 0, pass: 0, fail: 0, skipped: 0 }
}

export function add(sum: Totals, more: Totals): void {
  sum.tests += more.tests
  sum.pass += more.pass
  sum.fail += more.fail
  sum.skipped += more.skipped
}

/**
 * One line per file as it ends, with everything it printed when something failed. What fails beside
 * others is tried once more alone, for all to see: stations and sites judge real time, and a
 * neighbour blurs it. What fails alone has failed.
 */
export async function runTestFiles(run: TestRun): Promise<Totals> {
  const sum = emptyTotals()
  const again: string[] = []
  await runAtOnce(run, async (file) => {
    const result = await runFile(file, run)
    report(result)
    if (result.totals.fail > 0 && run.filesMost > 1) again.push(file)
    else add(sum, result.totals)
  })
  const alone = { ...run, files: again, filesAtOnce: 1, filesMost: 1 }
  if (again.length > 0) add(sum, await runTestFiles(alone))
  return sum
}

async function runAtOnce(run: TestRun, work: (file: string) => Promise<void>): Promise<void> {
  const { filesAtOnce, filesMost } = run
  const now = (): number => performance.now()
  const room = new RoomForMore({ filesAtOnce, filesMost, now, times: processorTimes })
  const running = new Set<Promise<void>>()
  for (const file of run.files) {
    while (!room.isThere(running.size)) await Promise.race([...running, sleep(LOOK_MS)])
    if (stop.signal.aborted) break
    const ended = work(file).finally(() => running.delete(ended))
    running.add(ended)
    room.begun()
  }
  await Promise.all(running)
}

export function endTestProcesses(): void {
  stop.abort() // Else the end of one file would begin the next.
  for (const pid of groups) endGroup(pid)
}

async function runFile(file: string, { timeoutMs, env }: TestRun): Promise<FileResult> {
  const startedMs = performance.now()
  const args = ['--test-reporter=spec', `--test-timeout=${timeoutMs}`, file]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that the stations a test started end with it.
    detached: true,
  })
  if (child.pid !== undefined) groups.add(child.pid)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) endGroup(child.pid)
  }, timeoutMs)
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  clearTimeout(timer)
  if (child.pid !== undefined) groups.delete(child.pid)
  if (isLate) chunks.push(Buffer.from(`The file did not end within ${timeoutMs / 1000} s.\n`))
  const output = Buffer.concat(chunks).toString()
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  return { file, output, seconds, totals: totalsIn(output, code) }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself in the meantime.
  }
}

/** From the last lines of node's reporter. A test cancelled by its timeout has failed. */
function totalsIn(output: string, code: number | null): Totals {
  const count = (name: string): number =>
    Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const fail = count('fail') + count('cancelled')
  const totals = {
    tests: count('tests'),
    pass: count('pass'),
    fail,
    skipped: count('skipped') + count('todo'),
  }
  // A file that crashed, hung or could not be loaded counts as one failed test.
  if (code !== 0 && fail === 0) add(totals, { tests: 1, pass: 0, fail: 1, skipped: 0 })
  return totals
}

function report({ file, totals, seconds, output }: FileResult): void {
  const skipped = totals.skipped === 0 ? '' : `, ${totals.skipped} skipped`
  const counts = `${totals.pass} of ${totals.tests} passed${skipped}`
  const mark = totals.fail === 0 ? '✔' : '✖'
  process.stdout.write(`  ${mark} ${file}  ${counts}  ${seconds} s\n`)
  if (totals.fail > 0) process.stdout.write(`${output}\n`)
}
