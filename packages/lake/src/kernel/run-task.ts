/**
 * The life of a task in a worker: fetch → read → compute → write → store. It knows nothing of
 * leases: the caller may abort it at any moment, and then nothing of it is left; run again, by any
 * worker, it writes the same rows.
 */
import { faultPoint } from '@minga/protocol/fault-point'
import { stat } from 'node:fs/promises'
import { exactMacros } from '../clean/exact-macros.ts'
import type { FileRef, Operation, Task, TaskDone, TaskRead } from '../model.ts'
import type { RowFunctions } from '../rows/row-functions.ts'
import type { Depot, TaskFiles } from './depot.ts'
import { asFileError } from './duckdb-errors.ts'
import { readParquet } from './read-parquet.ts'
import { readRange, type ReadFigures } from './read-range.ts'
import { runRowFunction } from './run-row-function.ts'
import { Sandbox } from './sandbox.ts'
import { sqlName } from './sql-text.ts'
import { writeOutput, type Written } from './write-outputs.ts'

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
