/**
 * What a task leaves behind: Parquet for the tasks after it, or the file that a user requested.
 *
 * Partitions are cut by DuckDB's own `hash`. It may change with DuckDB's version, which is no harm:
 * partitions live and die with one query, and a query is given to workers of one version only.
 * Integers of all widths hash alike, so both sides of a join meet. Each partition is a separate
 * statement over a table that is computed once: measured, that is as fast as COPY's PARTITION_BY
 * (16 partitions of 2 M rows: 0.56 s against 0.61 s) and makes one file each.
 */
import type { Order, StageOutput, Task, TaskDone } from '../model.ts'
import { filePrefix, type WrittenFile } from './depot.ts'
import type { Sandbox } from './sandbox.ts'
import { sqlName, sqlText } from './sql-text.ts'

type OutputDone = TaskDone['outputs'][number]

export interface Written extends WrittenFile {
  done: Omit<OutputDone, 'bytes'>
}

const COPY_OPTIONS = {
  // Without Bloom filters: they tell zero from negative zero, which are equal, so that rows would not be found.
  parquet: 'FORMAT parquet, COMPRESSION zstd, WRITE_BLOOM_FILTER false',
  csv: 'FORMAT csv, HEADER true',
  jsonl: 'FORMAT json',
} as const

/** Every partition is written, empty ones too, because readers learn the columns from it. */
export async function writeOutput(
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
