/**
 * What it costs to start Minga: the processor time of all processes of a command, as a multiple of `node -e 0` on the
 * same Node. Once as installed (the bundle) and once from the source tree.
 *   npm run bench:start [-- --runs 7 --write]
 * Linux only. The least of several runs counts: other work on the machine only ever adds.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { endAllProcesses, startFakeWeb, startProcess } from '@minga/testkit'
import { measure } from './measured-process.ts'
import { MINGA } from './query-minga.ts'
import { machineFacts, markdownTable, writePart } from './report.ts'

const ROOT = join(import.meta.dirname, '..')
const TIMEOUT_MS = 60_000
const NS_PER_SECOND = 1e9

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
})

interface Cost {
  cpuSeconds: number
  seconds: number
}

interface Started {
  name: string
  /** Multiple of a bare Node that it may cost. */
  most: number
  run: (env: Record<string, string>) => Promise<Cost>
}

const folder = mkdtempSync(join(tmpdir(), 'minga-start-'))
const data = join(folder, 'data')
const web = await startFakeWeb({ hosts: 1, pagesPerHost: 3, firstAddress: '127.0.71.1' })
const crawl = ['crawl', web.seeds[0]!, '--delay', '0', '--allow-private-addresses', '--json']

const STARTED: Started[] = [
  { name: '`--help`', most: 6, run: minga('--help') },
  { name: '`archive list`', most: 20, run: minga('archive', 'list', '--data', data) },
  { name: '`archive get`', most: 20, run: minga('archive', 'get', web.seeds[0]!, '--data', data) },
  { name: '`watch list`', most: 20, run: minga('watch', 'list', '--data', data) },
  { name: '`sql "select 1"`', most: 20, run: minga('sql', 'select 1', '--data', data) },
  { name: '`crawl` of three pages', most: 50, run: crawlAnew },
  { name: '`up` until it answers', most: 60, run: upUntilItAnswers },
]

function minga(...args: string[]) {
  return (env: Record<string, string>): Promise<Cost> =>
    measure({ program: process.execPath, args: [MINGA, ...args], env, timeoutMs: TIMEOUT_MS })
}

async function crawlAnew(env: Record<string, string>): Promise<Cost> {
  const own = mkdtempSync(join(folder, 'crawl-'))
  try {
    return await minga(...crawl, '--data', own)(env)
  } finally {
    rmSync(own, { recursive: true })
  }
}

async function upUntilItAnswers(env: Record<string, string>): Promise<Cost> {
  const own = mkdtempSync(join(folder, 'up-'))
  const startedMs = performance.now()
  const station = await startProcess(
    process.execPath,
    [MINGA, 'up', '--port', '0', '--data', own],
    { env },
  )
  try {
    const [url] = await station.waitOutput(/http:\/\/127\.0\.0\.1:\d+/, TIMEOUT_MS)
    await fetch(`${url}/api/collections`)
    return {
      cpuSeconds: spentNs(station.pid) / NS_PER_SECOND,
      seconds: (performance.now() - startedMs) / 1_000,
    }
  } finally {
    station.signal('SIGINT')
    await station.waitExit(TIMEOUT_MS)
    rmSync(own, { recursive: true, force: true })
  }
}

/** Of a process and its descendants, as far as they live. */
function spentNs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const own = tasks.reduce((sum, task) => {
    const [ran = '0'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')
    return sum + Number(ran)
  }, 0)
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return children.reduce((sum, child) => sum + spentNs(Number(child)), own)
}

/** Many in a row: the kernel counts in hundredths of a second, and one takes two of them. */
async function bareNode(): Promise<Cost> {
  const many = 40
  const loop = `i=0; while [ $i -lt ${many} ]; do "$0" -e 0; i=$((i + 1)); done`
  const args = ['-c', loop, process.execPath]
  const { cpuSeconds, seconds } = await measure({ program: 'sh', args, timeoutMs: TIMEOUT_MS })
  return { cpuSeconds: cpuSeconds / many, seconds: seconds / many }
}

/** One more run comes first, so that code is compiled and files are in memory. */
async function least(run: () => Promise<Cost>): Promise<Cost> {
  await run()
  const costs: Cost[] = []
  for (let i = 0; i < Number(options.runs); i++) costs.push(await run())
  return {
    cpuSeconds: Math.min(...costs.map(({ cpuSeconds }) => cpuSeconds)),
    seconds: Math.min(...costs.map(({ seconds }) => seconds)),
  }
}

const cell = ({ cpuSeconds, seconds }: Cost, bare: Cost): string =>
  `${(cpuSeconds / bare.cpuSeconds).toFixed(1)} × (${seconds.toFixed(2)} s)`

try {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-program.ts'), '--if-stale'])
  await minga(...crawl, '--data', data)({})
  const bare = await least(bareNode)
  const rows: Record<string, string>[] = []
  for (const { name, most, run } of STARTED) {
    const bundled = await least(() => run({ MINGA_BUNDLE: join(ROOT, 'dist/program') }))
    const source = await least(() => run({ MINGA_BUNDLE: '' }))
    rows.push({
      command: name,
      target: `${most} ×`,
      'as installed': cell(bundled, bare),
      'from source': cell(source, bare),
    })
  }
  const unit = `Processor time as a multiple of \`node -e 0\` (${bare.cpuSeconds.toFixed(3)} s); elapsed time in brackets.`
  const report = `${machineFacts(new Date())}\n\n${unit}\n\n${markdownTable(rows)}`
  process.stdout.write(`${report}\n`)
  if (options.write) writePart('start', report)
} finally {
  await endAllProcesses()
  await web.close()
  rmSync(folder, { recursive: true, force: true })
}
