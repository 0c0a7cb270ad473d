/**
 * What a station costs its machine while no calls arrive: the processor time of each of its processes.
 *   npm run bench:idle [-- --settle 330 --seconds 120 --no-postgres --write]
 * Linux only: the kernel counts the nanoseconds of every thread in /proc, whatever else the machine does meanwhile.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { endAllProcesses, readProcesses, startProcess } from '@minga/testkit'
import { startPostgres } from './own-postgres.ts'
import { MINGA } from './query-minga.ts'
import { machineFacts, markdownTable, writePart } from './report.ts'

const NS_PER_SECOND = 1e9
const START_MS = 60_000
const STOP_MS = 30_000

const { values: options } = parseArgs({
  options: {
    /** Until code is compiled, memory tidied and the pulse slow. */
    settle: { type: 'string', default: '330' },
    seconds: { type: 'string', default: '120' },
    'no-postgres': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

type Shares = Record<string, number>

/** Of a core, by role. */
async function sharesOf(args: readonly string[]): Promise<Shares> {
  const data = mkdtempSync(join(tmpdir(), 'minga-idle-'))
  try {
    const where = ['--data', data, '--port', '0', '--workers', '1', ...args]
    const station = await startProcess(process.execPath, [MINGA, 'up', ...where])
    await station.waitOutput(/Minga is up/, START_MS)
    await sleep(Number(options.settle) * 1_000)
    const processes = [{ role: 'supervisor', pid: station.pid }, ...readProcesses(data)]
    const before = processes.map(({ pid }) => spentNs(pid))
    await sleep(Number(options.seconds) * 1_000)
    const shares: Shares = {}
    for (const [i, { role, pid }] of processes.entries()) {
      const spent = spentNs(pid) - before[i]!
      shares[role] = (shares[role] ?? 0) + spent / NS_PER_SECOND / Number(options.seconds)
    }
    station.signal('SIGINT')
    await station.waitExit(STOP_MS)
    return shares
  } finally {
    await endAllProcesses()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Of all threads that live. */
function spentNs(pid: number): number {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder).map((thread) =>
    readFileSync(join(folder, thread, 'schedstat'), 'utf8'),
  )
  return threads.reduce((sum, stat) => sum + Number(stat.split(' ')[0]), 0)
}

async function withPostgres(): Promise<Shares | null> {
  if (options['no-postgres']) return null
  const { url, stop } = await startPostgres()
  try {
    return await sharesOf(['--postgres', url])
  } finally {
    await stop()
  }
}

const percent = (share: number | undefined): string =>
  share === undefined ? '–' : `${(share * 100).toFixed(2)} %`

const facts = machineFacts(new Date())
const sqlite = await sharesOf([])
const postgres = await withPostgres()
const rows = Object.keys(sqlite).map((role) => ({
  process: role,
  'on SQLite': percent(sqlite[role]),
  'on PostgreSQL': percent(postgres?.[role]),
}))
const when = `From ${options.settle} s after the start on, for ${options.seconds} s:`
const report = `${facts}\n\n${when}\n\n${markdownTable(rows)}`
process.stdout.write(`${report}\n`)
if (options.write) writePart('idle', report)
