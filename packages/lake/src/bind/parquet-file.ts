/** What a Parquet file says of itself: its columns and their types. */
import { BadInput } from '../errors.ts'
import { sqlText } from '../kernel/sql-text.ts'
import type { Column, FieldRule } from '../model.ts'

/** The library is large: whoever reads no Parquet never loads it. */
export async function parquetColumns(path: string): Promise<Column[]> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    const sql = `DESCRIBE SELECT * FROM read_parquet(${sqlText(path)}, hive_partitioning = false)`
    const reader = await connection.runAndReadAll(sql)
    const [names = [], types = []] = reader.getColumns() as string[][]
    return names.map((name, place) => ({ name, type: types[place]! }))
  } catch (cause) {
    throw BadInput.unreadable(path, cause)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
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
