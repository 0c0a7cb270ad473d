/** What a Parquet file says of itself: its columns and their types. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { BadInput } from '../errors.ts'
import { sqlText, sqlTexts } from '../kernel/sql-text.ts'
import type { Column, FieldRule } from '../model.ts'
import type { RowGroup } from '../split/parquet-units.ts'

export function parquetColumns(path: string): Promise<Column[]> {
  return withDuckDb(path, async (connection) => {
    const sql = `DESCRIBE SELECT * FROM read_parquet(${sqlText(path)}, hive_partitioning = false)`
    const reader = await connection.runAndReadAll(sql)
    const [names = [], types = []] = reader.getColumns() as string[][]
    return names.map((name, place) => ({ name, type: types[place]! }))
  })
}

/** Of each row group in its order: what its foot says of it. */
export function rowGroups(path: string): Promise<RowGroup[]> {
  return withDuckDb(path, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT any_value(row_group_num_rows)::DOUBLE, sum(total_compressed_size)::DOUBLE,
         sum(total_uncompressed_size)::DOUBLE
       FROM parquet_metadata(${sqlText(path)}) GROUP BY row_group_id ORDER BY row_group_id`,
    )
    const groups = reader.getRows() as [number, number, number][]
    return groups.map(([rows, bytes, unpackedBytes]) => ({ rows, bytes, unpackedBytes }))
  })
}

/** The library is large: programs that read no Parquet never load it. */
async function withDuckDb<R>(
  path: string,
  work: (connection: DuckDBConnection) => Promise<R>,
  written: readonly string[] = [],
): Promise<R> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: '512MB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  try {
    // Whatever a file or its name says, nothing else is opened.
    await connection.run(`SET allowed_paths = ${sqlTexts([path, ...written])}`)
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
    return await work(connection)
  } catch (cause) {
    throw BadInput.unreadable(path, cause)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Its first rows as a file of their own: whatever else it holds is not read. */
export async function copyFirstRows(
  path: string,
  { folder, rows }: { folder: string; rows: number },
): Promise<{ path: string; isWhole: boolean }> {
  const first = `${folder}/first-rows.parquet`
  const from = `read_parquet(${sqlText(path)}, hive_partitioning = false)`
  return withDuckDb(
    path,
    async (connection) => {
      await connection.run(
        `COPY (SELECT * FROM ${from} LIMIT ${rows}) TO ${sqlText(first)} (FORMAT parquet)`,
      )
      // Counts stand in the file's foot.
      const reader = await connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${from}`)
      return { path: first, isWhole: Number(reader.getRows()[0]![0]) <= rows }
    },
    [first],
  )
}

/** The type of a field that holds such values without loss; what has no such type is kept as JSON. */
export function fieldTypeOf(type: string): FieldRule['type'] {
  if (type === 'VARCHAR') return 'text'
  if (/^U?(?:TINY|SMALL|BIG)?INT(?:EGER)?$/.test(type)) return 'integer'
  if (type === 'FLOAT' || type === 'DOUBLE') return 'number'
  if (type.startsWith('DECIMAL')) return 'decimal'
  if (type.startsWith('TIMESTAMP')) return 'instant'
  if (type === 'BOOLEAN' || type === 'DATE') return type === 'DATE' ? 'date' : 'boolean'
  return type === 'VARCHAR[]' ? 'list' : 'json'
}
