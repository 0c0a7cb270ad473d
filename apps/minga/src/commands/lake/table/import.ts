/** `minga table import`: a file becomes a table; the same command again continues where one was killed. */
import { hash, randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { shippedQueries } from '@minga/lake'
import {
  systemClock,
  type ImportMessage,
  type ImportPreview,
  type ImportReject,
  type InputSource,
  type QueryView,
} from '@minga/protocol'
import { BadOption } from '../../../errors.ts'
import { EXIT } from '../../../exit-codes.ts'
import { ProgressLine, errorScreen, formatSeconds } from '../../../progress.ts'
import { patiently, type ReachedStation } from '../../../reach-station.ts'
import { printFacts, textTable, workLake } from '../answers.ts'
import { inputFile, readJsonFile, type InputFile } from '../files.ts'
import { followQuery, tellFailure } from '../query/follow.ts'
import { QueryFolder } from '../query/folder.ts'
import { pairOf } from '../query/inputs.ts'
import { sourceOf } from '../query/uploads.ts'
import type { QueryOptions } from '../query/query.ts'

export interface ImportOptions extends QueryOptions {
  as: string
  type?: string[]
  rules?: string
  like?: string
  replace?: boolean
  dryRun?: boolean
  rows: number
  workers?: number
}

export async function importTable(path: string, options: ImportOptions): Promise<number> {
  const file = await inputFile(options.as, path)
  const message = await messageOf(options)
  if (options.dryRun) return previewTable(file, options, message)
  const startedMs = systemClock.monotonicMs()
  const { workers } = options
  const work = workers === undefined ? {} : { workers }
  const { view, folder, code } = await workLake(options, work, async (station, signal) => {
    const through = await importThrough(station, { file, options, message, signal })
    const seconds = (systemClock.monotonicMs() - startedMs) / 1_000
    return { ...through, code: tellEnd(through.view, { options, seconds, signal }) }
  })
  // Last of all: who is killed before this is run again, and must find the import that was, not add its rows twice.
  if (view.state !== 'running') await folder.forget()
  return code
}

function tellEnd(
  view: QueryView,
  { options, seconds, signal }: { options: ImportOptions; seconds: number; signal: AbortSignal },
): number {
  if (signal.aborted && view.state !== 'done') {
    process.stderr.write('minga: stopped; run it again to continue\n')
    return EXIT.interrupted
  }
  if (view.state !== 'done') return tellFailure(view)
  report(view, options, seconds)
  return EXIT.ok
}

type ImportSettings = Omit<ImportMessage, 'input' | 'id'>

async function messageOf({ type, rules, like, replace }: ImportOptions): Promise<ImportSettings> {
  const types = Object.fromEntries((type ?? []).map((text) => pairOf('--type', text)))
  return {
    ...(type === undefined ? {} : { types: types as NonNullable<ImportMessage['types']> }),
    ...(rules === undefined ? {} : { rules: (await readJsonFile(rules)) as Rules }),
    ...(like === undefined ? {} : { rules: await rulesLike(like) }),
    isReplacing: replace ?? false,
  }
}

type Rules = NonNullable<ImportMessage['rules']>

/** The rules by which a query cleans one of its files: then the table can stand in for the file. */
async function rulesLike(like: string): Promise<Rules> {
  const [name = '', input = ''] = like.split('.')
  const rules = (await shippedQueries()).get(name)?.inputs[input]
  if (rules === undefined || 'table' in rules) {
    throw new BadOption('--like', 'QUERY.INPUT of a query that reads files', like)
  }
  return rules
}

interface Importing {
  file: InputFile
  options: ImportOptions
  message: ImportSettings
  signal: AbortSignal
}

async function importThrough(
  station: ReachedStation,
  { file, options, message, signal }: Importing,
): Promise<{ view: QueryView; folder: QueryFolder }> {
  const { folder, input } = await sentFile(station, { file, options, message, signal })
  const asked = { id: folder.id, input, ...message }
  const begun = await folder.submit(() =>
    patiently(station, () => station.api.post<QueryView>(`/tables/${options.as}/import`, asked)),
  )
  return { view: await followQuery(station, begun, { signal }), folder }
}

/** By its folder the same command finds the import that a killed run began, and a file that was sent before. */
async function sentFile(
  station: ReachedStation,
  { file, options, message, signal }: Importing,
): Promise<{ folder: QueryFolder; input: InputSource }> {
  const identity = hash(
    'sha256',
    JSON.stringify([file, options.as, message, resolve(options.data)]),
  )
  const progress = new ProgressLine(errorScreen(), systemClock.monotonicMs())
  const folder = await QueryFolder.open(null, identity, randomUUID, noteFolder(options))
  return { folder, input: await sourceOf(station, file, { folder, progress, signal }) }
}

/** Next to the tables, where it survives what they survive; the folder of a station elsewhere is out of reach. */
const noteFolder = ({ station, data, dryRun }: ImportOptions): string | undefined =>
  station === undefined && !dryRun ? join(resolve(data), 'lake', 'imports') : undefined

/** What the import would do, tried on the beginning of the file. */
function previewTable(
  file: InputFile,
  options: ImportOptions,
  message: ImportSettings,
): Promise<number> {
  return workLake(options, null, async (station, signal) => {
    const { input } = await sentFile(station, { file, options, message, signal })
    const { isReplacing: _, ...settings } = message
    const asked = { input, ...settings, rows: options.rows }
    const preview = await station.api.post<ImportPreview>('/tables/preview', asked)
    printFacts(options, preview, previewLines(options.as, preview))
    return EXIT.ok
  })
}

function report({ rowsRead, rejects }: QueryView, options: ImportOptions, seconds: number): void {
  const facts = { table: options.as, rowsRead, rejects, seconds: Number(seconds.toFixed(3)) }
  const reasons = Object.entries(rejects).map(([reason, count]) => `  ${count}  ${reason}`)
  const line = `${options.as}: ${rowsRead} rows read in ${formatSeconds(seconds)}`
  const hint =
    reasons.length > 0
      ? [`emptied, or left out (\`minga table rejects ${options.as}\` shows the rows left out):`]
      : []
  printFacts(options, facts, [line, ...hint, ...reasons])
}

const ROWS_SHOWN = 10

const OUTCOMES = {
  dropped: 'row rejected',
  emptied: 'value left empty',
  mended: 'row repaired',
} as const satisfies Record<ImportReject['outcome'], string>

/** What `minga table import --dry-run` prints. */
function previewLines(table: string, preview: ImportPreview): string[] {
  const { columns, rows, rowsRead, rowsKept, isWhole, rejects } = preview
  const whole = isWhole ? 'all of the file' : 'its first'
  const types = columns.map(({ name, type }) => [name, type])
  return [
    `${table}: ${rowsRead} rows read (${whole}), ${rowsKept} would be kept; nothing was changed`,
    '',
    ...textTable(['column', 'type'], types),
    '',
    ...textTable(
      columns.map(({ name }) => name),
      rows.slice(0, ROWS_SHOWN),
    ),
    '',
    ...(rejects.length === 0 ? ['Nothing would be left out.'] : rejects.flatMap(rejectLines)),
  ]
}

function rejectLines({ reason, count, outcome, examples }: ImportReject): string[] {
  const lines = examples.map(({ line, text }) => {
    const shown = JSON.stringify(text)
    return line === null ? `    ${shown}` : `    line ${line}: ${shown}`
  })
  return [`${count}  ${reason} (${OUTCOMES[outcome]})`, ...lines]
}
