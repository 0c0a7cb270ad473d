/**
 * Everything `npm test` checks, in the order in which a mistake is cheapest to find:
 *   system → format → lint → types → unused → unit → crash → e2e
 * All stages run even after a failure, so that one run shows everything there is to mend.
 *
 *   --long       full counts of crash, chaos, fuzz and trend tests (MINGA_LONG=1), longer timeouts
 *   --only NAME  one stage
 */
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { capture, ROOT } from './commands.ts'
import { idleShare, processorTimes } from './idle-processors.ts'
import { startPostgres } from './postgres.ts'
import { slowFirst } from './slow-tests.ts'
import { ensureSystemPackages, findChromium, findPostgres } from './system-packages.ts'
import { add, emptyTotals, endTestProcesses, runTestFiles, type Totals } from './test-files.ts'

/** For one file: what takes longer hangs. */
const FILE_MS = 8 * 60_000
const LONG_FILE_MS = 180 * 60_000
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const MEMORY_LEAST = 4 * 2 ** 30

interface Outcome {
  ok: boolean
  /** One line beside the stage's name: what was skipped, how many tests ran. */
  note?: string
  /** Shown when the stage failed and did not print as it went. */
  output?: string
  totals?: Totals
}

interface Stage {
  name: string
  run: () => Promise<Outcome>
}

const { values: options } = parseArgs({
  options: { long: { type: 'boolean', default: false }, only: { type: 'string' } },
})

const STAGES: Stage[] = [
  { name: 'system', run: systemPackages },
  { name: 'format', run: () => tool('oxfmt', ['--check', '.']) },
  { name: 'lint', run: () => tool('oxlint', ['--type-aware', '--deny-warnings']) },
  { name: 'types', run: () => tool('tsc', ['--noEmit']) },
  { name: 'page', run: () => tool('tsc', ['--noEmit', '-p', 'apps/dashboard']) },
  { name: 'unused', run: () => tool('knip', []) },
  { name: 'unit', run: () => runTests(unitFiles()) },
  { name: 'crash', run: () => runTests(testFiles(['tests/crash'])) },
  { name: 'e2e', run: () => runTests(testFiles(['tests/e2e'])) },
]

const scratch = scratchFolder()
let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined

// Tests run in groups of their own, which Ctrl-C does not reach.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endTestProcesses()
    void cleanUp().finally(() => process.exit(11))
  })
}

process.exitCode = await main()

async function main(): Promise<number> {
  const stages = STAGES.filter(({ name }) => options.only === undefined || options.only === name)
  if (stages.length === 0) {
    const names = STAGES.map(({ name }) => name).join(', ')
    say(`There is no stage ${options.only ?? ''}; choose one of ${names}.`)
    return 2
  }
  const failed: string[] = []
  const totals = emptyTotals()
  try {
    for (const stage of stages) {
      const outcome = await timed(stage)
      if (!outcome.ok) failed.push(stage.name)
      if (outcome.totals !== undefined) add(totals, outcome.totals)
    }
  } finally {
    await cleanUp()
  }
  summarise(failed, totals)
  return failed.length === 0 ? 0 : 1
}

async function cleanUp(): Promise<void> {
  await postgres?.stop()
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

async function timed({ name, run }: Stage): Promise<Outcome> {
  const startedMs = performance.now()
  // A stage that cannot even begin (a database that does not start) must not hide the others.
  const outcome: Outcome = await run().catch((error: unknown) => ({
    ok: false,
    output: inspect(error),
  }))
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  const note = outcome.note === undefined ? '' : `  ${outcome.note}`
  say(`${outcome.ok ? '✔' : '✖'} ${name.padEnd(8)} ${seconds.padStart(6)} s${note}`)
  if (!outcome.ok && outcome.output !== undefined) say(outcome.output)
  return outcome
}

function summarise(failed: string[], totals: Totals): void {
  say('')
  say(failed.length === 0 ? 'Every stage passed.' : `Failed stages: ${failed.join(', ')}.`)
  say(`# tests ${totals.tests}`)
  say(`# pass ${totals.pass}`)
  say(`# fail ${totals.fail}`)
  say(`${totals.pass} passed, ${totals.fail} failed, ${totals.skipped} skipped`)
}

async function systemPackages(): Promise<Outcome> {
  const missing = await ensureSystemPackages()
  return { ok: true, note: missing.join('; ') || 'PostgreSQL, Chromium and MediaWiki are there' }
}

async function tool(name: string, args: string[]): Promise<Outcome> {
  const { code, output } = await capture(name, args)
  return { ok: code === 0, output }
}

function unitFiles(): string[] {
  const files = testFiles(['packages', 'apps', 'scripts', 'simulate', 'bench', 'tests'])
  return files.filter((file) => !/^tests\/(crash|e2e)\//.test(file))
}

function testFiles(folders: string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.test.ts`)
  return slowFirst(globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }))
}

async function runTests(files: string[]): Promise<Outcome> {
  if (files.length === 0) return { ok: true, note: 'there are no such tests yet' }
  const before = processorTimes()
  const totals = await runTestFiles({
    files,
    filesAtOnce: availableParallelism(),
    filesMost: 2 * availableParallelism(),
    timeoutMs: options.long ? LONG_FILE_MS : FILE_MS,
    env: await testEnvironment(),
  })
  const idle = Math.round(100 * idleShare(before, processorTimes()))
  const note = `${totals.pass} of ${totals.tests} passed, processors ${idle} % idle`
  return { ok: totals.fail === 0, totals, note }
}

/** A test whose variable is not set skips itself and says so. */
async function testEnvironment(): Promise<Record<string, string>> {
  const environment: Record<string, string> = {
    // Half of what most files and every station they start do is to read the same programs.
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
    TMPDIR: scratch,
    ...(options.long ? { MINGA_LONG: '1' } : {}),
  }
  const chromium = findChromium()
  if (chromium !== undefined) environment['MINGA_TEST_CHROMIUM'] = chromium
  if (findPostgres() !== undefined) {
    postgres ??= await startPostgres({ forTests: true, within: scratch })
    environment['MINGA_TEST_POSTGRES'] = postgres.url
  }
  return environment
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
