/**
 * A task's part of a user's file: cut out, repaired, read, cleaned and counted; then it is a table
 * like any other.
 */
import { cleanSql, dropsRows, rawColumns } from '../clean/clean-sql.ts'
import { typedRows } from '../clean/typed-rows.ts'
import type { RowSpan, TaskRead } from '../model.ts'
import { repairCsv, noRepairs, type RepairCounts } from '../split/repair-csv.ts'
import type { WarcPart } from '../split/warc-lines.ts'
import type { TaskFiles } from './depot.ts'
import { fieldNames, keepRejects, withFields, withRecord } from './keep-rejects.ts'
import { repairLines } from './repair-lines.ts'
import { csvRows, jsonlRows, TORN, TORN_SCANS, type RawRows } from './raw-rows.ts'
import { rowNumber } from './row-number.ts'
import type { Sandbox } from './sandbox.ts'
import { kept, removeSlice, unpacked, writeSlice } from './slice.ts'
import { sqlName, sqlText } from './sql-text.ts'

export type RangeRead = Extract<TaskRead, { kind: 'range' }>

/** What a read cost and what it left out. */
export interface ReadFigures {
  rows: number
  bytes: number
  rejects: Record<string, number>
}

interface RangeReading {
  files: TaskFiles
  sandbox: Sandbox
  signal: AbortSignal
  /** Of a file that DuckDB reads by itself: where it is. */
  paths: readonly string[]
}

/** One range after another is read, so one name will do. */
const RAW = '_raw'

export async function readRange(read: RangeRead, reading: RangeReading): Promise<ReadFigures> {
  const { files, sandbox, signal, paths } = reading
  const at = `${files.folder}/unit.slice`
  const counts = noRepairs()
  const isSliced = read.format !== 'parquet'
  if (isSliced) await writeSlice(at, repairedChunks(read, files, counts), signal)
  const cleaned = sqlName(`${read.as}:cleaned`)
  const raw = isSliced ? rawSql(read, at, counts) : await parquetRows(read, sandbox, paths[0]!)
  await sandbox.run(`CREATE TEMP VIEW ${RAW} AS ${raw}`)
  await clean(read, sandbox, cleaned)
  await sandbox.run(`DROP VIEW ${RAW}`)
  await removeSlice(at)
  const isRecorded = recordFields(read).length > 0
  await keepRejects(read, sandbox, { cleaned, tooLong: counts.tooLong, isRecorded })
  const figures = await figuresOf(read, sandbox, cleaned)
  addRepairs(figures, counts)
  return figures
}

function repairedChunks(
  read: RangeRead,
  files: TaskFiles,
  counts: RepairCounts,
): AsyncIterable<Buffer> {
  if (read.format === 'warc') return captureLines(partOf(read, files))
  const isPacked = read.compression === 'gzip'
  const whole = { from: 0, to: read.file.bytes }
  const bytes = files.range(read.file, isPacked ? whole : read)
  const chunks = isPacked ? unpacked(kept(bytes), read) : bytes
  if (read.format === 'jsonl') return repairLines(chunks, counts)
  return repairCsv(chunks, { delimiter: delimiterOf(read), fields: read.header.length }, counts)
}

/** Reading archives takes half of a worker's program, and few queries do. */
async function* captureLines(part: WarcPart): AsyncGenerator<Buffer> {
  const { warcLines } = await import('../split/warc-lines.ts')
  yield* warcLines(part)
}

const partOf = ({ file, from, to }: RangeRead, files: TaskFiles): WarcPart => ({
  name: file.name,
  from,
  to,
  fileBytes: file.bytes,
  read: (bounds) => kept(files.range(file, bounds)),
})

function rawSql(read: RangeRead, at: string, { longest }: RepairCounts): string {
  const { header, rules, columns } = read
  const raw: RawRows = { at, header, needed: rawColumns(rules, header, columns), longest }
  const rows = isCsv(read) ? csvRows(raw, delimiterOf(read)) : jsonlRows(raw)
  return withFields(rows, recordFields(read))
}

/** Types of its own are turned into texts, so that the same rules hold for all files. */
async function parquetRows(read: RangeRead, sandbox: Sandbox, at: string): Promise<string> {
  const from = `read_parquet(${sqlText(at)}, hive_partitioning = false)`
  const needed = rawColumns(read.rules, read.header, read.columns)
  const described = await sandbox.rows(
    `SELECT column_name, column_type FROM (DESCRIBE FROM ${from})`,
  )
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }))
  const rows = typedRows(`${from}${spanSql(read.rows)}`, columns, needed)
  return withFields(rows, recordFields(read))
}

/** Groups of rows without any of these are not read. */
const spanSql = (rows: RowSpan | undefined): string =>
  rows === undefined
    ? ''
    : ` WHERE file_row_number >= ${rows.from} AND file_row_number < ${rows.to}`

/** Only there a record can have too few fields or too many. */
export const isCsv = ({ format }: RangeRead): boolean => format === 'csv' || format === 'tsv'

const delimiterOf = ({ format }: RangeRead): ',' | '\t' => (format === 'csv' ? ',' : '\t')

/** What is kept of a dropped record: nothing where none can be dropped. */
function recordFields({ rejectsAs, rules, header, columns }: RangeRead): string[] {
  return rejectsAs !== undefined && dropsRows(rules) ? rawColumns(rules, header, columns) : []
}

/** One pass over the slice writes the table; the view leaves out what was rejected and numbers the rows. */
async function clean(read: RangeRead, sandbox: Sandbox, cleaned: string): Promise<void> {
  const { rules, header, columns } = read
  const fields = recordFields(read)
  const pass = ['_broken', ...fieldNames(fields)]
  const { macros, select } = cleanSql({ rules, header, wanted: columns, raw: RAW, pass })
  for (const macro of macros) await sandbox.run(macro)
  await sandbox.run(`CREATE TEMP TABLE ${cleaned} AS ${withRecord(select, fields)}`)
  const shown = columns.map(sqlName)
  // A temporary table keeps the order of the file, and its row ids count from 0.
  if (read.withRow) shown.push(`${rowNumber(read.unit)} AS _row`)
  // A view needs a column even when only its rows are counted.
  if (shown.length === 0) shown.push('1 AS _one')
  await sandbox.run(
    `CREATE TEMP VIEW ${sqlName(read.as)} AS SELECT ${shown.join(', ')} FROM ${cleaned} WHERE _reject IS NULL AND _broken IS NULL`,
  )
}

async function figuresOf(read: RangeRead, sandbox: Sandbox, cleaned: string): Promise<ReadFigures> {
  const rejects: Record<string, number> = {}
  let rows = 0
  for (const [reason, count] of await sandbox.rows(
    `SELECT coalesce(_broken, _reject), count(*)::DOUBLE FROM ${cleaned} GROUP BY 1`,
  )) {
    rows += Number(count)
    if (typeof reason === 'string') rejects[reason] = Number(count)
  }
  for (const [reason, count] of await sandbox.rows(
    `SELECT flaw, count(*)::DOUBLE FROM (
       SELECT unnest(_flaws) AS flaw FROM ${cleaned} WHERE _flaws IS NOT NULL AND _broken IS NULL
     ) GROUP BY 1`,
  )) {
    const flaw = String(reason)
    rejects[flaw] = (rejects[flaw] ?? 0) + Number(count)
  }
  const torn = isCsv(read) ? await tornRecords(sandbox) : 0
  if (torn > 0) rejects['row:fields'] = torn
  const bytes = read.compression === undefined ? read.to - read.from : read.file.bytes
  return { rows: rows + torn, bytes, rejects }
}

/** A record may have several things wrong with it, but it is rejected once. */
async function tornRecords(sandbox: Sandbox): Promise<number> {
  const [[count] = []] = await sandbox.rows(`SELECT count(DISTINCT line)::DOUBLE FROM ${TORN}`)
  for (const table of [TORN, TORN_SCANS]) await sandbox.run(`DROP TABLE ${table}`)
  return Number(count)
}

function addRepairs(
  figures: ReadFigures,
  { repaired: mended, notUtf8, tooLong }: RepairCounts,
): void {
  if (mended > 0) figures.rejects['row:quotes'] = mended
  if (notUtf8 > 0) figures.rejects['row:not-utf8'] = notUtf8
  if (tooLong > 0) figures.rejects['row:too-long'] = tooLong
  figures.rows += tooLong
}
