/**
 * A task's part of a user's file: cut out, repaired, read, cleaned and counted; then it is a table
 * like any other.
 */
import { isUtf8 } from 'node:buffer'
import { open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { cleanSql, dropsRows, rawColumns } from '../clean/clean-sql.ts'
import type { Column, RowSpan, TaskRead } from '../model.ts'
import { noRepairs, repairCsv, type RepairCounts } from '../split/repair-csv.ts'
import type { WarcPart } from '../split/warc-lines.ts'
import { LINE_FEED, RECORD_LIMIT_BYTES } from '../split/dialect.ts'
import type { TaskFiles } from './depot.ts'
import { TORN, TORN_SCANS, csvRows, jsonlRows, type RawRows } from './raw-rows.ts'
import { rowNumber } from './row-number.ts'
import type { Sandbox } from './sandbox.ts'
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
const isCsv = ({ format }: RangeRead): boolean => format === 'csv' || format === 'tsv'

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

/** `from` is what stands behind FROM; `fields` are those of its columns that are looked at. */
function typedRows(from: string, columns: readonly Column[], fields: readonly string[]): string {
  const texts = columns
    .filter(({ name }) => fields.includes(name))
    .map(({ name, type }) => `${textOf(sqlName(name), type)} AS ${sqlName(name)}`)
  return `SELECT ${['NULL::VARCHAR AS _broken', ...texts].join(', ')} FROM ${from}`
}

/** Nested values are JSON, which lists and JSON are read from; all others have a text that reads back the same. */
function textOf(name: string, type: string): string {
  if (/\]$|^(?:STRUCT|MAP|UNION)\b/.test(type)) return `to_json(${name})::VARCHAR`
  return `${name}::VARCHAR`
}

const NOTHING = Buffer.alloc(0)

/** The chunks are split again, so that each piece ends with a line. */
async function* repairLines(
  chunks: AsyncIterable<Buffer>,
  counts: RepairCounts,
): AsyncGenerator<Buffer> {
  let rest: Buffer = NOTHING
  let isSkipping = false
  for await (const chunk of chunks) {
    const from = isSkipping ? chunk.indexOf(LINE_FEED) + 1 : 0
    if (isSkipping && from === 0) continue
    isSkipping = false
    const block = Buffer.concat([rest, chunk.subarray(from)])
    const end = block.lastIndexOf(LINE_FEED) + 1
    rest = block.subarray(end)
    if (rest.length > RECORD_LIMIT_BYTES) {
      counts.tooLong++
      rest = NOTHING
      isSkipping = true
    }
    if (end > 0) yield repairedBlock(block.subarray(0, end), counts)
  }
  if (rest.length > 0) yield repairedBlock(rest, counts)
}

function repairedBlock(block: Buffer, counts: RepairCounts): Buffer {
  const repaired = isUtf8(block) ? block : lineByLine(block, counts)
  counts.longest = Math.max(counts.longest, repaired.length)
  return repaired
}

function lineByLine(block: Buffer, counts: RepairCounts): Buffer {
  const lines: Buffer[] = []
  for (let at = 0; at < block.length;) {
    const found = block.indexOf(LINE_FEED, at)
    const end = found < 0 ? block.length : found + 1
    const line = block.subarray(at, end)
    if (!isUtf8(line)) counts.notUtf8++
    // Buffer's own decoding replaces as the standard says: each longest wrong part by one U+FFFD.
    lines.push(isUtf8(line) ? line : Buffer.from(line.toString('utf8')))
    at = end
  }
  return Buffer.concat(lines)
}

// A task's part of a file of records, as a file of its own that DuckDB reads. Measured on 300 MB of CSV with one
// thread: 0.9–1.1 s this way, 1.3–1.5 s through a FIFO (which moves 64 KB at a time and leaves the file to one
// thread), and no faster in /dev/shm. The slice goes away before the disk has seen most of it.

/** Each chunk is on its way to the disk before the next is asked for. */
async function writeSlice(
  at: string,
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(at, 'w')
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
}

async function removeSlice(at: string): Promise<void> {
  await rm(at, { force: true })
}

/** What is packed can only be read from its beginning: the bytes before the first record are let go. */
async function* unpacked(
  chunks: AsyncIterable<Buffer>,
  bounds: { from: number; to: number },
): AsyncGenerator<Buffer> {
  const gunzip = Readable.from(chunks).compose(createGunzip()) as AsyncIterable<Buffer>
  let at = 0
  for await (const chunk of gunzip) {
    const from = Math.max(0, bounds.from - at)
    const to = Math.min(chunk.length, bounds.to - at)
    at += chunk.length
    if (to > from) yield chunk.subarray(from, to)
  }
}

/** For callers that request the next chunk before they are done with the last. */
async function* kept(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

// The dropped records, for users who want to see them: where they were, why they were dropped, and
// their content.

/** Enough to see what is wrong; a side table must not become as large as the file. */
const RECORD_CHARACTERS = 10_000

/** More fields than that go through the statement as one list: each column takes memory in each of its steps. */
const FIELDS_APART = 64
const LIST = '_fields'

/** Names of the columns that hold the fields of a record; no other column has one of these. */
const fieldNames = (fields: readonly string[]): string[] =>
  fields.length > FIELDS_APART ? [LIST] : fields.map((_field, place) => `_field${place}`)

/** The fields once more under those names. */
function withFields(rows: string, fields: readonly string[]): string {
  if (fields.length === 0) return rows
  const again =
    fields.length > FIELDS_APART
      ? [`[${fields.map(sqlName).join(', ')}] AS ${LIST}`]
      : fieldNames(fields).map((name, place) => `${sqlName(fields[place]!)} AS ${name}`)
  return `SELECT ${['*', ...again].join(', ')} FROM (${rows})`
}

/** The record of a dropped row as JSON. DuckDB computes a CASE only where it holds, so the others cost nothing. */
function withRecord(select: string, fields: readonly string[]): string {
  if (fields.length === 0) return select
  const text = `left(${recordSql(fields)}::VARCHAR, ${RECORD_CHARACTERS})`
  return `SELECT * EXCLUDE (${fieldNames(fields).join(', ')}), CASE WHEN _reject IS NOT NULL THEN ${text} END AS _record
    FROM (${select})`
}

/** Both ways give the same text. */
function recordSql(fields: readonly string[]): string {
  const texts = fields.map(sqlText)
  if (fields.length > FIELDS_APART) return `to_json(map([${texts.join(', ')}], ${LIST}))`
  const names = fieldNames(fields)
  return `json_object(${names.map((name, place) => `${texts[place]}, ${name}`).join(', ')})`
}

async function keepRejects(
  read: RangeRead,
  sandbox: Sandbox,
  { cleaned, tooLong, isRecorded }: { cleaned: string; tooLong: number; isRecorded: boolean },
): Promise<void> {
  if (read.rejectsAs === undefined) return
  const dropped = `SELECT ${rowNumber(read.unit)} AS row, coalesce(_broken, _reject) AS reason, ${isRecorded ? '_record' : 'NULL::VARCHAR'} AS record
    FROM ${cleaned} WHERE coalesce(_broken, _reject) IS NOT NULL`
  // A record with several things wrong is named once; where it stood is not known.
  const torn = `SELECT NULL::BIGINT, 'row:fields', left(any_value(csv_line), ${RECORD_CHARACTERS})
    FROM ${TORN} GROUP BY line`
  // DuckDB never saw these.
  const long = `SELECT NULL::BIGINT, 'row:too-long', NULL::VARCHAR FROM range(${tooLong})`
  const all = [dropped, ...(isCsv(read) ? [torn] : []), long].join(' UNION ALL ')
  await sandbox.run(`CREATE TEMP TABLE ${sqlName(read.rejectsAs)} AS ${all}`)
  await sandbox.run(
    `CREATE TEMP TABLE ${sqlName(`${read.rejectsAs}_count`)} AS
     SELECT ${read.unit}::BIGINT AS unit, count(*)::BIGINT AS rows FROM ${cleaned}`,
  )
}
