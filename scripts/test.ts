/**
 * Everything `npm test` checks: the machine is set up, then come the cheap checks side by side, then
 * the tests. All stages run even after a failure, so that one run shows everything that is wrong.
 *
 *   --long       full counts of crash, chaos, fuzz and trend tests (MINGA_LONG=1), longer timeouts
 *   --only NAME  one stage
 *   --changed    only the test files that the changes since the main branch can affect
 *   --json FILE  the table of stages, for programs
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { capture, ROOT } from './commands.ts'
import { startPostgres } from './postgres.ts'
import { ensureSystemPackages, findChromium, findPostgres } from './system-packages.ts'
import { chooseChanged } from './test-run/choose-changed.ts'
import { busySeconds, processorTimes } from './test-run/busy-processors.ts'
import { planJobs } from './test-run/plan-jobs.ts'
import {
  endTestProcesses,
  failuresOf,
  ProcessSlots,
  runJobs,
  totalOf,
} from './test-run/run-jobs.ts'
import { stageTable, type StageLine } from './test-run/stage-table.ts'
import { filesOfStage, readTestFiles, type TestStage } from './test-run/test-stages.ts'
import { add, emptyTotals, type Totals } from './test-run/totals.ts'

/** For one file: what takes longer hangs. */
const FILE_MS = 8 * 60_000
const LONG_FILE_MS = 180 * 60_000
const FAILURES_SAID_AGAIN = 10
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const MEMORY_LEAST = 4 * 2 ** 30

interface Outcome {
  ok: boolean
  /** One line next to the stage's name: what was skipped, how many tests ran. */
  note?: string
  /** Shown when the stage failed and did not print as it went. */
  output?: string
  totals?: Totals
  /** What failed, to be said once more at the end: where only the end of a log is kept, it would be lost. */
  failures?: string[]
}

interface Stage {
  name: string
  run: () => Promise<Outcome>
}

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string' },
    changed: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

/** What a machine needs once, and what tests start: built once rather than by each of them. */
const SET_UP: Stage[] = [
  { name: 'system', run: systemPackages },
  { name: 'build', run: () => tool(process.execPath, ['scripts/build-program.ts', '--if-stale']) },
]
/** In several threads each would check for itself the types that files share: half as much work again. */
const TYPES = ['--noEmit', '--singleThreaded']
const CHECKS: Stage[] = [
  { name: 'format', run: () => tool('oxfmt', ['--check', '.']) },
  { name: 'lint', run: () => tool('oxlint', ['--type-aware', '--deny-warnings']) },
  { name: 'types', run: () => tool('tsc', TYPES) },
  { name: 'page', run: () => tool('tsc', [...TYPES, '-p', 'apps/dashboard']) },
  { name: 'unused', run: () => tool('knip', []) },
]
/** At the same time: tests of stations and browsers leave processors idle that unit tests can use. */
const TESTS: Stage[] = [
  { name: 'waiting', run: () => runTests('waiting') },
  { name: 'e2e', run: () => runTests('e2e') },
  { name: 'crash', run: () => runTests('crash') },
  { name: 'unit', run: () => runTests('unit') },
]
const NAMES = [...SET_UP, ...CHECKS, ...TESTS].map(({ name }) => name)
/** One more than there are processors, because most tests of stations wait half of their time. */
const slots = new ProcessSlots(availableParallelism() + 1)
/** Of their own: tests that mostly wait would keep those from running that use what they leave idle. */
const waitingSlots = new ProcessSlots(2)

const scratch = scratchFolder()
const lines: StageLine[] = []
const totals = emptyTotals()
const failures: string[] = []
let processorSeconds = 0
let postgres: ReturnType<typeof startPostgres> | undefined
let chosen: ReadonlySet<string> | undefined

// Tests run in groups of their own, which Ctrl-C does not reach.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endTestProcesses()
    void cleanUp().finally(() => process.exit(11))
  })
}

process.exitCode = await main()

async function main(): Promise<number> {
  if (options.only !== undefined && !NAMES.includes(options.only)) {
    say(`There is no stage ${options.only}; choose one of ${NAMES.join(', ')}.`)
    return 2
  }
  try {
    if (options.changed) chosen = await chooseChanged(say)
    await inTurn(SET_UP, 'set-up')
    const before = processorTimes()
    await sideBySide(CHECKS, 'check')
    await sideBySide(TESTS, 'test')
    processorSeconds = busySeconds(before, processorTimes())
  } finally {
    await cleanUp()
  }
  return summarise()
}

function isWanted({ name }: Stage): boolean {
  return options.only === undefined || options.only === name
}

async function inTurn(stages: readonly Stage[], kind: StageLine['kind']): Promise<void> {
  for (const stage of stages.filter(isWanted)) await timed(stage, kind)
}

async function sideBySide(stages: readonly Stage[], kind: StageLine['kind']): Promise<void> {
  await Promise.all(stages.filter(isWanted).map((stage) => timed(stage, kind)))
}

async function timed({ name, run }: Stage, kind: StageLine['kind']): Promise<void> {
  const beganMs = performance.now()
  // A stage that cannot even begin (a database that does not start) must not hide the others.
  const outcome: Outcome = await run().catch((error: unknown) => ({
    ok: false,
    output: inspect(error),
  }))
  const seconds = (performance.now() - beganMs) / 1000
  lines.push({ name, kind, ok: outcome.ok, beganMs, seconds })
  if (outcome.totals !== undefined) add(totals, outcome.totals)
  failures.push(...(outcome.failures ?? []))
  const note = outcome.note === undefined ? '' : `  ${outcome.note}`
  say(`${outcome.ok ? '✔' : '✖'} ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s${note}`)
  if (!outcome.ok && outcome.output !== undefined) say(outcome.output)
}

function summarise(): number {
  const failed = lines.filter(({ ok }) => !ok).map(({ name }) => name)
  for (const failure of failures.slice(0, FAILURES_SAID_AGAIN)) say(`\n${failure}`)
  say('')
  for (const line of stageTable(lines, processorSeconds)) say(line)
  say('')
  say(failed.length === 0 ? 'Every stage passed.' : `Failed stages: ${failed.join(', ')}.`)
  say(`# tests ${totals.tests}`)
  say(`# pass ${totals.pass}`)
  say(`# fail ${totals.fail}`)
  say(`${totals.pass} passed, ${totals.fail} failed, ${totals.skipped} skipped`)
  const { json } = options
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ stages: lines, processorSeconds, totals })}\n`)
  return failed.length === 0 ? 0 : 1
}

async function cleanUp(): Promise<void> {
  // One that did not start has been reported by the stage that needed it.
  await postgres?.then(({ stop }) => stop()).catch(() => {})
  rmSync(scratch, { recursive: true, force: true })
}

/** Tests open thousands of stores: where there is plenty of memory, these are not on a disk. Those
 * of full counts may need more than any memory has. */
function scratchFolder(): string {
  const isRoomy = !options.long && freeBytes(MEMORY) > MEMORY_LEAST
  const folder = mkdtempSync(join(isRoomy ? MEMORY : tmpdir(), 'minga-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  return folder
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

async function systemPackages(): Promise<Outcome> {
  const missing = await ensureSystemPackages()
  return { ok: true, note: missing.join('; ') || 'PostgreSQL, Chromium and MediaWiki are there' }
}

async function tool(name: string, args: string[]): Promise<Outcome> {
  const { code, output } = await capture(name, args)
  return { ok: code === 0, output }
}

async function runTests(stage: TestStage): Promise<Outcome> {
  const files = filesOfStage(stage).filter((file) => chosen?.has(file) ?? true)
  if (files.length === 0) return { ok: true, note: 'nothing to run' }
  const jobs = planJobs(readTestFiles(files))
  const results = await runJobs(jobs, {
    slots: stage === 'waiting' ? waitingSlots : slots,
    timeoutMs: options.long ? LONG_FILE_MS : FILE_MS,
    env: await testEnvironment(),
  })
  const sum = totalOf(results)
  const note = `${sum.pass} of ${sum.tests} passed, ${files.length} files, ${jobs.length} processes`
  return { ok: sum.fail === 0, totals: sum, note, failures: failuresOf(results) }
}

/** A test whose variable is not set skips itself and says so. */
async function testEnvironment(): Promise<Record<string, string>> {
  const isBuilt = lines.some(({ name, ok }) => name === 'build' && ok)
  const environment: Record<string, string> = {
    // Half of what most files and every station they start do is to read the same programs.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
    TMPDIR: scratch,
    // Commands would look whether a source is newer, each at all of them: a third of what a short one does.
    ...(isBuilt ? { MINGA_BUNDLE: join(ROOT, 'dist/program') } : {}),
    ...(options.long ? { MINGA_LONG: '1' } : {}),
  }
  const chromium = findChromium()
  if (chromium !== undefined) environment['MINGA_TEST_CHROMIUM'] = chromium
  if (findPostgres() !== undefined) {
    postgres ??= startPostgres({ forTests: true, within: scratch })
    environment['MINGA_TEST_POSTGRES'] = (await postgres).url
  }
  return environment
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
