/** Minga's side: the real command, with its coordinator and its workers as processes, and what each worker took. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedQueries, type BooksFacts, type Query } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { readProcesses } from '@minga/testkit'
import { measure, type Measured } from './measured-process.ts'
import { NAMES } from './query-statements.ts'

export interface MingaRun extends Measured {
  /** Of the worker that took most, by the kernel's own high-water mark. */
  peakWorkerBytes: number
}

export const MINGA = fileURLToPath(new URL('../apps/minga/bin/minga.mjs', import.meta.url))
const TIMEOUT_MS = 60 * 60_000
const LOOK_MS = 50

export interface QueryRunOptions {
  data: string
  out: string
  workers: number
  /** What is asked: names, or files with a query. */
  queries: readonly string[]
  inputs: readonly string[]
}

export const fileInputs = ({ booksPath, reviewsPath }: BooksFacts): string[] => [
  '--input',
  `books=${booksPath}`,
  '--input',
  `reviews=${reviewsPath}`,
]

export const TABLE_INPUTS = ['--table', 'books=books', '--table', 'reviews=reviews']

export function runArgs({ data, out, workers, queries, inputs }: QueryRunOptions): string[] {
  const where = ['--out', out, '--data', data, '--workers', String(workers), '--json']
  return [MINGA, 'query', 'run', ...queries, ...inputs, ...where]
}

export const askMinga = (asked: QueryRunOptions): Promise<MingaRun> =>
  watched(asked.data, runArgs(asked))

/** Both files, a command each, with the rules that the questions have for them. */
export async function importBooks(
  { booksPath, reviewsPath }: BooksFacts,
  { data, folder, workers }: { data: string; folder: string; workers: number },
): Promise<MingaRun> {
  const query = await shippedQuery('books-5')
  const runs: MingaRun[] = []
  for (const [table, file] of [
    ['books', booksPath],
    ['reviews', reviewsPath],
  ] as const) {
    const rules = join(folder, `${table}-rules.json`)
    writeFileSync(rules, JSON.stringify(query.inputs[table]))
    const args = ['table', 'import', file, '--as', table, '--rules', rules, '--replace']
    const whole = [MINGA, ...args, '--data', data, '--workers', String(workers), '--json']
    runs.push(await watched(data, whole))
  }
  return {
    seconds: sum(runs.map(({ seconds }) => seconds)),
    cpuSeconds: sum(runs.map(({ cpuSeconds }) => cpuSeconds)),
    peakRssBytes: Math.max(...runs.map(({ peakRssBytes }) => peakRssBytes)),
    peakWorkerBytes: Math.max(...runs.map(({ peakWorkerBytes }) => peakWorkerBytes)),
    stdout: '',
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

async function watched(data: string, args: string[]): Promise<MingaRun> {
  const over = new AbortController()
  let peakWorkerBytes = 0
  const watching = (async () => {
    while (!over.signal.aborted) {
      for (const { pid, role } of readProcesses(data)) {
        if (role === 'worker') peakWorkerBytes = Math.max(peakWorkerBytes, highWaterBytes(pid))
      }
      await systemClock.sleep(LOOK_MS, over.signal)
    }
  })()
  try {
    const run = await measure({ program: process.execPath, args, timeoutMs: TIMEOUT_MS })
    return { ...run, peakWorkerBytes }
  } finally {
    over.abort()
    await watching
  }
}

function highWaterBytes(pid: number): number {
  try {
    const found = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(found?.[1] ?? 0) * 1024
  } catch {
    return 0 // It ended while we looked.
  }
}

/** The five, with the length of a text in place of its mood; the fifth as a file, which is how one brings one's own. */
export async function withoutSentiment(folder: string): Promise<string[]> {
  const query = await shippedQuery('books-5')
  const file = join(folder, 'books-5.json')
  writeFileSync(file, JSON.stringify({ ...query, from: lengthsIn(query.from) }))
  return [...NAMES.slice(0, -1), file]
}

type Step = Query['from']

function lengthsIn(step: Step): Step {
  if (step.step === 'rowFunction') {
    return {
      step: 'project',
      from: step.from,
      columns: { title: 'title', [step.as.name]: 'length(text)' },
    }
  }
  return 'from' in step ? { ...step, from: lengthsIn(step.from) } : step
}

async function shippedQuery(name: string): Promise<Query> {
  const query = (await shippedQueries()).get(name)
  if (query === undefined) throw new Error(`There is no query "${name}".`)
  return query
}
