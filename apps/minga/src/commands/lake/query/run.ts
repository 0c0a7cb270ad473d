/** `minga query run`: asks, shows rows while they come, and writes an answer per query. */
import { systemClock, type QueryView } from '@minga/protocol'
import { randomUUID } from 'node:crypto'
import { BadOption } from '../../../errors.ts'
import { EXIT } from '../../../exit-codes.ts'
import { requireFolder } from '../../../output-place.ts'
import { errorScreen, formatBytes, formatSeconds, ProgressLine } from '../../../progress.ts'
import { patiently, type ReachedStation } from '../../../reach-station.ts'
import { askLake, printFacts, workLake } from '../answers.ts'
import { printFile } from '../files.ts'
import { followQuery, tellFailure } from './follow.ts'
import { QueryFolder } from './folder.ts'
import { identityOf, readQuestion, type Asked } from './inputs.ts'
import { sourceOf } from './uploads.ts'
import type { RunOptions } from './query.ts'

export async function runQueries(names: string[], options: RunOptions): Promise<number> {
  const asked = await readQuestion(names, options)
  const folder = await openFolder(asked.names, identityOf(asked, options), options)
  const startedMs = systemClock.monotonicMs()
  return workLake(options, workersOf(options), async (station, signal) => {
    const begun = await begin(station, { asked, options, folder, signal })
    return finish(station, begun, { options, folder, startedMs, signal })
  })
}

export async function attachQuery(id: string, options: RunOptions): Promise<number> {
  if (options.out !== undefined) await requireFolder('--out', options.out)
  const startedMs = systemClock.monotonicMs()
  return workLake(options, {}, async (station, signal) => {
    const view = await station.api.get<QueryView>(`/queries/${id}`)
    const folder = await openFolder(view.queries, id, options, id)
    return finish(station, view, { options, folder, startedMs, signal })
  })
}

export async function explainQueries(names: string[], options: RunOptions): Promise<number> {
  const asked = await readQuestion(names, options)
  const plan = await askLake(options, ({ api, data }) => {
    if (data === null && asked.files.length > 0) {
      throw new BadOption('--explain', 'tables, or files on the station’s machine', '--station')
    }
    const inputs = Object.fromEntries(asked.files.map(({ input, path }) => [input, { path }]))
    const question = questionOf(asked, options, { ...asked.tables, ...inputs })
    return api.post<{ text: string }>('/queries/explain', question)
  })
  printFacts(options, plan, [plan.text.trimEnd()])
  return EXIT.ok
}

function workersOf({ workers, memory }: RunOptions): { workers?: number; memoryMb?: number } {
  return {
    ...(workers === undefined ? {} : { workers }),
    ...(memory === undefined ? {} : { memoryMb: memory }),
  }
}

function openFolder(
  names: readonly string[],
  identity: string,
  { out, json }: RunOptions,
  id?: string,
): Promise<QueryFolder> {
  if (out === '-') {
    throw new BadOption('--out', 'a folder (without it one answer goes to standard output)', out)
  }
  if (out === undefined && json) {
    throw new BadOption('--out', 'a folder with --json', 'none')
  }
  if (out === undefined && names.length > 1) {
    throw new BadOption('--out', 'a folder when there are several queries', 'none')
  }
  return QueryFolder.open(out ?? null, identity, () => id ?? randomUUID())
}

function questionOf(
  { queries, parameters }: Asked,
  { format, memory, deadline }: RunOptions,
  inputs: Asked['tables'],
): Record<string, unknown> {
  return {
    queries,
    parameters,
    inputs,
    format,
    ...(memory === undefined ? {} : { memoryMb: memory }),
    ...(deadline === undefined ? {} : { deadlineS: deadline }),
  }
}

interface Beginning {
  asked: Asked
  options: RunOptions
  folder: QueryFolder
  signal: AbortSignal
}

/** The same id again is the same query; one that ended without results is run again. */
async function begin(
  station: ReachedStation,
  { asked, options, folder, signal }: Beginning,
): Promise<QueryView> {
  const progress = new ProgressLine(errorScreen(), systemClock.monotonicMs())
  const inputs = { ...asked.tables }
  for (const file of asked.files) {
    inputs[file.input] = await sourceOf(station, file, { folder, progress, signal })
  }
  progress.end()
  const question = questionOf(asked, options, inputs)
  const ask = (): Promise<QueryView> =>
    patiently(station, () =>
      station.api.post<QueryView>('/queries', { id: folder.id, ...question }),
    )
  const view = await folder.submit(ask)
  // One that is done and has no answers any more was done too long ago.
  if (view.state === 'running' || (view.state === 'done' && view.results.length > 0)) return view
  await folder.beginAnew(randomUUID())
  return ask()
}

interface Finishing {
  options: RunOptions
  folder: QueryFolder
  startedMs: number
  signal: AbortSignal
}

async function finish(
  station: ReachedStation,
  begun: QueryView,
  { options, folder, startedMs, signal }: Finishing,
): Promise<number> {
  const view = await followQuery(station, begun, { folder, signal })
  if (signal.aborted && view.state !== 'done') {
    await station.api.post(`/queries/${view.id}/cancel`, {})
    await folder.forget()
    process.stderr.write('minga: stopped; the query is cancelled and what it wrote is removed\n')
    return EXIT.interrupted
  }
  if (view.state !== 'done') {
    await folder.forget()
    return tellFailure(view)
  }
  const files = await fetchAnswers(station, view, { folder, options })
  await folder.forget()
  report(view, { files, options, seconds: (systemClock.monotonicMs() - startedMs) / 1_000 })
  return EXIT.ok
}

interface Answer {
  name: string
  rows: number | null
  file: string | null
}

async function fetchAnswers(
  station: ReachedStation,
  { id, results }: QueryView,
  { folder, options }: { folder: QueryFolder; options: RunOptions },
): Promise<Answer[]> {
  const files: Answer[] = []
  for (const { name, format, rows } of results) {
    const bytes = (): Promise<AsyncIterable<Uint8Array>> =>
      station.api.stream(`/queries/${id}/results/${encodeURIComponent(name)}`)
    const fetched = async (): Promise<string> => folder.keep(`${name}.${format}`, await bytes())
    const file = await patiently(station, fetched)
    // Only now: a station that dies half-way must not leave half an answer on standard output.
    if (options.out === undefined) await printFile(file)
    files.push({ name, rows, file: options.out === undefined ? null : file })
  }
  return files
}

function report(
  view: QueryView,
  { files, options, seconds }: { files: Answer[]; options: RunOptions; seconds: number },
): void {
  const { id, rejects, rowsRead, bytesRead, tasks } = view
  if (options.json && options.out !== undefined) {
    const facts = {
      id,
      seconds: Number(seconds.toFixed(3)),
      rowsRead,
      bytesRead,
      tasks: tasks.total,
    }
    process.stdout.write(`${JSON.stringify({ ...facts, queries: files, rejects })}\n`)
    return
  }
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  say(`minga: ${rowsRead} rows (${formatBytes(bytesRead)}) read in ${formatSeconds(seconds)}`)
  for (const { name, rows, file } of files)
    say(`  ${name}: ${rows ?? '?'} rows${file === null ? '' : ` in ${file}`}`)
  const reasons = Object.entries(rejects).toSorted(([, a], [, b]) => b - a)
  if (reasons.length > 0) say('  rejected or emptied:')
  for (const [reason, count] of reasons) say(`  ${String(count).padStart(9)}  ${reason}`)
}
