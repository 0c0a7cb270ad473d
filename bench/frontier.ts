/**
 * How fast URLs are leased and completed durably, and whether memory stays flat as they grow.
 *   npm run bench:frontier [-- --urls 1000000 --hosts 50000 --engine sqlite|postgres --grow 5000000
 *                             --answers failed,captured --write]
 * The real store and the coordinator's real operations; only the agents are pretended. One process
 * with the store's thread in it, so its processor time is all the time there is (on PostgreSQL the
 * server's time is not in it).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '@minga/protocol'
import { openStore } from '@minga/store'
import { startProcess } from '@minga/testkit'
import { FrontierLoad, type Answering } from './frontier-load.ts'
import { figure, machineFacts, markdownTable, writePart } from './report.ts'

type Engine = 'sqlite' | 'postgres'

interface Options {
  engine: Engine
  urls: number
  hosts: number
  grow: number
  answers: Answering[]
  write: boolean
}

interface Phase {
  urls: number
  seconds: number
  cpuSeconds: number
  /** Highest resident memory sampled while it ran. */
  rssBytes: number
}

type Row = Record<string, string>

const MB = 1_000_000
const MICROSECONDS_PER_SECOND = 1_000_000
const RSS_SAMPLE_MS = 50
/** One agent's answers are made while another's are committed. */
const AGENTS = 2
/** While growing, this many are completed after each step, to see whether size slows them. */
const GROW_STEP = 1_000_000
const GROW_COMPLETE = 100_000
const POSTGRES_START_MS = 60_000

async function measured(work: () => Promise<number>): Promise<Phase> {
  const startedMs = systemClock.monotonicMs()
  const cpu = process.cpuUsage()
  let rssBytes = 0
  const over = new AbortController()
  const sampling = (async () => {
    while (!over.signal.aborted) {
      rssBytes = Math.max(rssBytes, process.memoryUsage.rss())
      await systemClock.sleep(RSS_SAMPLE_MS, over.signal)
    }
  })()
  const urls = await work()
  over.abort()
  await sampling
  const { user, system } = process.cpuUsage(cpu)
  return {
    urls,
    seconds: (systemClock.monotonicMs() - startedMs) / 1000,
    cpuSeconds: (user + system) / MICROSECONDS_PER_SECOND,
    rssBytes,
  }
}

function rowOf(what: string, phase: Phase): Row {
  const row = {
    what,
    URLs: figure(phase.urls),
    'URLs/s': figure(phase.urls / phase.seconds),
    'URLs per CPU second': figure(phase.urls / phase.cpuSeconds),
    'peak MB': figure(Math.round(phase.rssBytes / MB)),
  }
  console.error(Object.values(row).join('  '))
  return row
}

async function runOnce(options: Options, answering: Answering, grow: number): Promise<Row[]> {
  const data = mkdtempSync(join(tmpdir(), 'minga-bench-frontier-'))
  const postgres = options.engine === 'postgres' ? await startPostgres() : null
  const store = await openStore({
    data,
    operations: new URL('./frontier-operations.ts', import.meta.url).href,
    writer: 'bench',
    ...(postgres === null ? {} : { postgresUrl: postgres.url }),
  })
  try {
    const load = new FrontierLoad(store, options.hosts)
    await load.open()
    const found = async (count: number): Promise<number> => {
      await load.discover(count)
      return count
    }
    const how = { answering, agents: AGENTS }
    const rows = [
      rowOf('found', await measured(() => found(options.urls))),
      rowOf(
        `leased and completed (${answering})`,
        await measured(() => load.complete(options.urls, how)),
      ),
    ]
    for (let known = options.urls; known < grow; known += GROW_STEP) {
      const size = `${figure(known + GROW_STEP)} known`
      rows.push(rowOf(`found, ${size}`, await measured(() => found(GROW_STEP))))
      const completed = await measured(() => load.complete(GROW_COMPLETE, how))
      rows.push(rowOf(`leased and completed, ${size}`, completed))
    }
    return rows
  } finally {
    await store.close()
    await postgres?.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** As a program of its own: scripts stand above benchmarks and are not imported by them. */
async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('../scripts/postgres.ts', import.meta.url))
  const child = await startProcess(process.execPath, [script])
  const [url] = await child.waitOutput(/postgresql:\S+/, POSTGRES_START_MS)
  const stop = async (): Promise<void> => {
    child.signal('SIGTERM')
    await child.waitExit(POSTGRES_START_MS)
    child.killTree()
  }
  return { url, stop }
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      urls: { type: 'string' },
      hosts: { type: 'string' },
      grow: { type: 'string', default: '0' },
      answers: { type: 'string', default: 'failed,captured' },
      write: { type: 'boolean', default: false },
    },
  })
  const engine: Engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
  // PostgreSQL is reported, not raced: a tenth shows its pace.
  const share = engine === 'postgres' ? 10 : 1
  return {
    engine,
    urls: Number(values.urls ?? 1_000_000 / share),
    hosts: Number(values.hosts ?? 50_000 / share),
    grow: Number(values.grow),
    answers: values.answers.split(',') as Answering[],
    write: values.write,
  }
}

const options = readOptions()
const facts = machineFacts(new Date())
const rows: Row[] = []
for (const [i, answering] of options.answers.entries()) {
  // Growing is about memory, which answers do not change: once is enough.
  rows.push(...(await runOnce(options, answering, i === 0 ? options.grow : 0)))
}
const size = `${figure(options.urls)} URLs on ${figure(options.hosts)} hosts, ${options.engine}`
const text = [facts, `${size}:`, markdownTable(rows)].join('\n\n')
console.log(text)
if (options.write) writePart(`frontier-${options.engine}`, text)
