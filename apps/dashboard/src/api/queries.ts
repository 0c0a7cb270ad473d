/** What the page asks about queries, tables, uploads and SQL. */
import type { ResultFormat } from '@minga/protocol'
import { ask } from './call.ts'

export interface ShippedParameter {
  type: 'text' | 'integer' | 'number'
  default: string | number
  about: string
}

/** A query as it is written; what it does with its rows is the station's business. */
export interface WrittenQuery {
  name: string
  about: string
  inputs: Record<string, { table: string } | { columns: Record<string, unknown> }>
  parameters?: Record<string, ShippedParameter>
  output: { columns: string[] }
}

export async function askSqlFile(sql: string, format: ResultFormat): Promise<Blob> {
  return (await ask('POST', '/sql', { body: { sql, format } })).blob()
}
