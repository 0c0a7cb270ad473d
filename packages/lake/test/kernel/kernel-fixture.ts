/** Tasks on small files, for tests of the kernel. */
import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { rmSync } from 'node:fs'
import type { FileRef, InputRules, StageOutput, Task, TaskDone, TaskRead } from '../../src/model.ts'
import { startRowFunctions } from '../../src/rows/row-functions.ts'
import { folderDepot } from '../../src/kernel/folder-depot.ts'
import { runTask } from '../../src/kernel/run-task.ts'
import { sqlTexts } from '../../src/kernel/sql-text.ts'

const FUNCTION_LIMIT_MS = 10_000

export class KernelBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'minga-kernel-'))
  readonly depot = folderDepot(this.folder)
  readonly functions = startRowFunctions({
    folder: path.join(this.folder, 'functions'),
    timeLimitMs: FUNCTION_LIMIT_MS,
  })
  #fence = 1

  constructor() {
    after(async () => {
      await this.functions.close()
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** A user's file, outside the lake's own names. */
  outside(name: string, content: string | Buffer): FileRef {
    const at = path.join(this.folder, name)
    writeFileSync(at, content)
    const { size, mtimeMs } = statSync(at)
    return { at: 'outside', name: at, bytes: size, changedAtMs: mtimeMs }
  }

  task(parts: Partial<Task>): Task {
    return {
      query: 'q',
      stage: 's1',
      index: 0,
      fence: this.#fence++,
      leaseMs: 6_000,
      attempt: 1,
      reads: [],
      program: [],
      outputs: [],
      limits: { memoryMb: 512, threads: 1 },
      folder: 'queries/q/s1',
      ...parts,
    }
  }

  run(parts: Partial<Task>, signal = new AbortController().signal): Promise<TaskDone> {
    return runTask(this.task(parts), this.depot, { signal, functions: this.functions })
  }

  /** Rows of an output, of all its partitions or one. */
  async rows(
    done: TaskDone,
    output = 'out',
    partition: number | null = null,
  ): Promise<unknown[][]> {
    const files = done.outputs
      .filter((one) => one.output === output && (partition === null || one.partition === partition))
      .map(({ file }) => path.join(this.folder, file))
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet(${sqlTexts(files)})`)
    const rows = reader.getRowsJson()
    connection.closeSync()
    instance.closeSync()
    return rows
  }
}

/** The whole of a file behind its header line. */
export function rangeRead(
  file: FileRef,
  { rules, header, from }: { rules: InputRules; header: string[]; from: number },
): Extract<TaskRead, { kind: 'range' }> {
  return {
    as: 'input',
    kind: 'range',
    file,
    format: 'csv',
    header,
    from,
    to: file.bytes,
    unit: 0,
    rules,
    columns: Object.keys(rules.columns),
    withRow: false,
  }
}

export const parquetOutput = (from: string, more: Partial<StageOutput> = {}): StageOutput => ({
  name: 'out',
  from,
  format: 'parquet',
  ...more,
})
