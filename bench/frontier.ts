/**
 * How fast URLs are leased and completed durably, and whether memory stays flat as they grow.
 *   npm run bench:frontier [-- --urls 1000000 --hosts 50000 --engine sqlite|postgres --runs 3
 *                             --grow 5000000 --answers failed,captured --write]
 * The real store and the coordinator's real operations; only the agents are pretended. Each run
 * is one process with the store's thread in it, so its processor time is all the time there is
 * (on PostgreSQL the server's time is not in it). Runs are interleaved: each round does every kind
 * of answer once.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startProcess } from '@minga/testkit'
import type { Answering } from './frontier-load.ts'
import { frontierTable, type Engine, type FrontierOrder, type Phase } from './frontier-report.ts'
import { figure, machineFacts, writePart } from './report.ts'

interface Options {
  engine: Engine
  urls: number
  hosts: number
  runs: number
  grow: number
  answers: Answering[]
  write: boolean
}

const MAIN = fileURLToPath(new URL('frontier-main.ts', import.meta.url))
const RUN_TIMEOUT_MS = 3_600_000
const LAST_WORDS_CHARACTERS = 2000

async function runInProcess(order: FrontierOrder): Promise<Phase[]> {
  // With the memory flag of this process, which is a coordinator's.
  const args = [...process.execArgv, MAIN, JSON.stringify(order)]
  const child = await startProcess(process.execPath, args)
  try {
    const { code } = await child.waitExit(RUN_TIMEOUT_MS)
    if (code !== 0) {
      const words = child.stderr().slice(-LAST_WORDS_CHARACTERS)
      throw new Error(`The run ${JSON.stringify(order)} ended with code ${code}: ${words}`)
    }
    return JSON.parse(child.stdout()) as Phase[]
  } finally {
    child.killTree()
  }
}

async function rounds({ engine, urls, hosts, runs, answers, grow }: Options): Promise<Phase[]> {
  const phases: Phase[] = []
  for (let round = 1; round <= runs; round++) {
    for (const answering of answers) {
      // Growing is about memory, which answers do not change, and takes long: once is enough.
      const growTo = phases.length === 0 ? grow : 0
      const done = await runInProcess({ engine, urls, hosts, answering, grow: growTo })
      for (const phase of done) {
        const rate = figure(phase.urls / phase.seconds)
        console.error(`round ${round} ${phase.what}: ${rate} URLs/s`)
      }
      phases.push(...done)
    }
  }
  return phases
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'sqlite' },
      urls: { type: 'string' },
      hosts: { type: 'string' },
      runs: { type: 'string', default: '3' },
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
    urls: wholeNumber('--urls', values.urls ?? String(1_000_000 / share)),
    hosts: wholeNumber('--hosts', values.hosts ?? String(50_000 / share)),
    runs: wholeNumber('--runs', values.runs),
    grow: Number(values.grow),
    answers: values.answers.split(',') as Answering[],
    write: values.write,
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${name} is ${text}, and it must be a whole number from 1.`)
}

const options = readOptions()
const facts = machineFacts(new Date())
const table = frontierTable(await rounds(options))
const size = `${figure(options.urls)} URLs on ${figure(options.hosts)} hosts, ${options.engine}`
const text = [facts, `${size}, medians with (min–max), memory the maximum:`, table].join('\n\n')
console.log(text)
if (options.write) writePart(`frontier-${options.engine}`, text)
