/**
 * The life of a task in a worker: fetch → read → compute → write → store. It knows nothing of
 * leases: the caller may abort it at any moment, and then nothing of it is left; run again, by any
 * worker, it writes the same rows.
 */
import { stat } from 'node:fs/promises'
import { faultPoint } from '@minga/protocol/fault-point'
import { exactMacros } from '../clean/exact-macros.ts'
import type { FileRef, Operation, Order, StageOutput, Task, TaskDone, TaskRead } from '../model.ts'
import type { RowFunctions } from '../rows/row-functions.ts'
import { filePrefix, type Depot, type TaskFiles, type WrittenFile } from './depot.ts'
import { asFileError } from './duckdb-errors.ts'
import { readRange, type ReadFigures } from './read-range.ts'
import { runRowFunction } from './run-row-function.ts'
import { Sandbox } from './sandbox.ts'
import { sqlName, sqlText, sqlTexts } from './sql-text.ts'
import { ROWS_PER_UNIT } from './row-number.ts'

export interface TaskContext {
  signal: AbortSignal
  functions: RowFunctions
  /** Rows that went through so far; called now and then. */
  onProgress?: (rows: number) => void
}

export async function runTask(task: Task, depot: Depot, context: TaskContext): Promise<TaskDone> {
  const files = await depot.open(task, context.signal)
  try {
    return await runIn(files, task, context)
  } catch (error) {
    context.signal.throwIfAborted()
    throw asFileError(error, files.folder)
  } finally {
    await files.close()
  }
}

async function runIn(files: TaskFiles, task: Task, context: TaskContext): Promise<TaskDone> {
  const { signal, onProgress = () => {} } = context
  const paths = await fetchAll(files, task.reads)
  const sandbox = await Sandbox.open({
    ...task.limits,
    folder: files.folder,
    readable: [...paths.values()].flat(),
    columns: Math.max(0, ...task.reads.map(({ columns }) => columns?.length ?? 0)),
    signal,
  })
  try {
    for (const macro of exactMacros) await sandbox.run(macro)
    const done: TaskDone = { outputs: [], rowsRead: 0, bytesRead: 0, rejects: {} }
    let rowsThrough = 0
    for (const read of task.reads) {
      const figures = await readOne(read, { files, paths, sandbox, signal })
      if (isInput(read)) addFigures(done, figures)
      rowsThrough += figures.rows
      onProgress(rowsThrough)
    }
    for (const operation of task.program) {
      await compute(operation, sandbox, context, rowsThrough)
      onProgress(rowsThrough)
    }
    faultPoint('task:before-write')
    const written: Written[] = []
    for (const output of task.outputs) {
      written.push(...(await writeOutput(output, task, { sandbox, folder: files.folder })))
      onProgress(rowsThrough)
    }
    for (const { path, done: output } of written) {
      done.outputs.push({ ...output, bytes: (await stat(path)).size })
    }
    await files.keep(written)
    faultPoint('task:after-write')
    return done
  } finally {
    sandbox.close()
  }
}

/** Where the whole files of the reads are; DuckDB may open these and no others. */
async function fetchAll(
  files: TaskFiles,
  reads: readonly TaskRead[],
): Promise<Map<TaskRead, string[]>> {
  const paths = new Map<TaskRead, string[]>()
  for (const read of reads) {
    const found: string[] = []
    for (const file of wholeFiles(read)) found.push(await files.fetch(file))
    paths.set(read, found)
  }
  return paths
}

function wholeFiles(read: TaskRead): readonly FileRef[] {
  if (read.kind === 'parquet') return read.files
  return read.format === 'parquet' ? [read.file] : []
}

interface Reading {
  files: TaskFiles
  paths: ReadonlyMap<TaskRead, string[]>
  sandbox: Sandbox
  signal: AbortSignal
}

function readOne(read: TaskRead, reading: Reading): Promise<ReadFigures> {
  const paths = reading.paths.get(read) ?? []
  if (read.kind === 'range') return readRange(read, { ...reading, paths })
  return readParquet(read, paths, reading.sandbox)
}

async function compute(
  operation: Operation,
  sandbox: Sandbox,
  context: TaskContext,
  rowsBefore: number,
): Promise<void> {
  if (operation.op === 'rowFunction') {
    const onRows = (rows: number): void => {
      context.signal.throwIfAborted()
      context.onProgress?.(rowsBefore + rows)
    }
    return runRowFunction(operation, sandbox, { functions: context.functions, onRows })
  }
  const kind = operation.op === 'view' ? 'VIEW' : 'TABLE'
  await sandbox.run(`CREATE TEMP ${kind} ${sqlName(operation.as)} AS ${operation.sql}`)
}

/** What a stage before wrote is no input, and is read with all its columns. */
const isInput = (read: TaskRead): boolean => read.kind === 'range' || read.columns !== null

function addFigures(done: TaskDone, { rows, bytes, rejects }: ReadFigures): void {
  done.rowsRead += rows
  done.bytesRead += bytes
  for (const [reason, count] of Object.entries(rejects)) {
    done.rejects[reason] = (done.rejects[reason] ?? 0) + count
  }
}

type ParquetRead = Extract<TaskRead, { kind: 'parquet' }>

/** `paths`: where the files are on this machine, in their order. */
async function readParquet(
  read: ParquetRead,
  paths: readonly string[],
  sandbox: Sandbox,
): Promise<ReadFigures> {
  const shown = read.columns === null ? '*' : read.columns.map(sqlName).join(', ')
  const withRow = read.withRow && read.columns !== null ? ', _row' : ''
  const select =
    shown === '' && withRow === '' ? '1 AS _one' : `${shown}${withRow}`.replace(/^, /, '')
  await sandbox.run(
    `CREATE TEMP VIEW ${sqlName(read.as)} AS SELECT ${select} FROM (${rowsSql(read, paths)})`,
  )
  const bytes = read.files.reduce((sum, file) => sum + file.bytes, 0)
  const [[rows] = []] = await sandbox.rows(`SELECT count(*)::DOUBLE FROM ${sqlName(read.as)}`)
  return { rows: Number(rows), bytes, rejects: {} }
}

function rowsSql({ types, withRow, unit = 0 }: ParquetRead, paths: readonly string[]): string {
  const row = `((${unit} + file_index::BIGINT) * ${ROWS_PER_UNIT} + file_row_number)::BIGINT AS _row`
  // A folder with `=` in its name must not become a column.
  const options = `hive_partitioning = false${types ? ', union_by_name = true' : ''}`
  const files = `SELECT *${withRow ? `, ${row}` : ''} FROM read_parquet(${sqlTexts(paths)}, ${options})`
  if (!types) return files
  // The empty select names every column; the choice of columns passes through the union into the files.
  const nulls = types.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${sqlName(name)}`)
  if (withRow) nulls.push('CAST(NULL AS BIGINT) AS _row')
  const empty = `SELECT ${nulls.join(', ')} WHERE false`
  return paths.length === 0 ? empty : `${empty} UNION ALL BY NAME ${files}`
}

type OutputDone = TaskDone['outputs'][number]

interface Written extends WrittenFile {
  done: Omit<OutputDone, 'bytes'>
}

const COPY_OPTIONS = {
  // Without Bloom filters: they tell zero from negative zero, which are equal, so that rows would not be found.
  parquet: 'FORMAT parquet, COMPRESSION zstd, WRITE_BLOOM_FILTER false',
  csv: 'FORMAT csv, HEADER true',
  jsonl: 'FORMAT json',
} as const

/**
 * What a task leaves behind: Parquet for the tasks after it, or the file that a user requested.
 *
 * Partitions are cut by DuckDB's own `hash`. It may change with DuckDB's version, which is no harm:
 * partitions live and die with one query, and a query is given to workers of one version only.
 * Integers of all widths hash alike, so both sides of a join meet. Each partition is a separate
 * statement over a table that is computed once: measured, that is as fast as COPY's PARTITION_BY
 * (16 partitions of 2 M rows: 0.56 s against 0.61 s) and makes one file each.
 * Every partition is written, empty ones too, because readers learn the columns from it.
 */
async function writeOutput(
  output: StageOutput,
  task: Task,
  { sandbox, folder }: { sandbox: Sandbox; folder: string },
): Promise<Written[]> {
  const { partitionBy = [], partitions = 1 } = output
  const write = async (partition: number | null, select: string): Promise<Written> => {
    const part = partition === null ? '' : `-p${partition}`
    const name = `${filePrefix(task)}${output.name}${part}.${output.format}`
    const path = `${folder}/${name}.partial`
    const rows = await sandbox.run(
      `COPY (${select}) TO ${sqlText(path)} (${COPY_OPTIONS[output.format]})`,
    )
    const file = `${task.folder}/${name}`
    return { path, name: file, done: { output: output.name, partition, file, rows } }
  }
  const columns = output.columns?.map(sqlName).join(', ') ?? '*'
  const order = orderSql(output.order)
  if (partitionBy.length === 0) {
    return [await write(null, `SELECT ${columns} FROM ${sqlName(output.from)}${order}`)]
  }
  const cut = sqlName(`${output.name}:cut`)
  await sandbox.run(`CREATE TEMP TABLE ${cut} AS ${cutSql(output, partitions)}`)
  const written: Written[] = []
  const kept = output.columns ? columns : '* EXCLUDE (_partition)'
  for (let partition = 0; partition < partitions; partition++) {
    const select = `SELECT ${kept} FROM ${cut} WHERE _partition = ${partition}${order}`
    written.push(await write(partition, select))
  }
  await sandbox.run(`DROP TABLE ${cut}`)
  return written
}

function cutSql({ partitionBy = [], from }: StageOutput, partitions: number): string {
  const hash = `hash(${partitionBy.map(sqlName).join(', ')})`
  return `SELECT *, (${hash} % ${partitions})::INTEGER AS _partition FROM ${sqlName(from)}`
}

function orderSql(order: readonly Order[] = []): string {
  if (order.length === 0) return ''
  const keys = order.map(
    ({ column, descending }) => `${sqlName(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  )
  return ` ORDER BY ${keys.join(', ')}`
}
