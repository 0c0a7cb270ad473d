/** A DuckDB in which tests ask what cleaning does. */
import { DuckDBInstance, type DuckDBConnection, type Json } from '@duckdb/node-api'
import type { InputRules } from '../../src/model.ts'
import { cleanSql } from '../../src/clean/clean-sql.ts'
import { exactMacros } from '../../src/clean/exact-macros.ts'
import { sqlName } from '../../src/kernel/sql-text.ts'

export interface CleanRoom {
  connection: DuckDBConnection
  /** What a macro of one argument makes of each text. */
  map(macro: string, texts: readonly string[]): Promise<Json[]>
  /** Rows of the rules' select, by default with all columns. */
  clean(
    rules: InputRules,
    header: readonly string[],
    rows: readonly (readonly (string | null)[])[],
    wanted?: readonly string[],
  ): Promise<Record<string, Json>[]>
}

export async function cleanRoom(): Promise<CleanRoom> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const none = cleanSql({ rules: { columns: {} }, header: [], wanted: [], raw: 'raw' })
  for (const macro of [...none.macros, ...exactMacros]) await connection.run(macro)
  return {
    connection,
    async map(macro, texts) {
      await fill(
        connection,
        ['x'],
        texts.map((text) => [text]),
      )
      const reader = await connection.runAndReadAll(`SELECT ${macro}(x) FROM raw ORDER BY _row`)
      return reader.getRowsJson().map(([value]) => value ?? null)
    },
    async clean(rules, header, rows, wanted = Object.keys(rules.columns)) {
      await fill(connection, header, rows)
      const { select } = cleanSql({ rules, header, wanted, raw: 'raw', pass: ['_row'] })
      const reader = await connection.runAndReadAll(
        `SELECT * EXCLUDE _row FROM (${select}) ORDER BY _row`,
      )
      return reader.getRowObjectsJson()
    },
  }
}

async function fill(
  connection: DuckDBConnection,
  header: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  const columns = [...header.map((name) => `${sqlName(name)} VARCHAR`), '_row BIGINT']
  await connection.run(`CREATE OR REPLACE TABLE raw (${columns.join(', ')})`)
  const appender = await connection.createAppender('raw')
  for (const [place, row] of rows.entries()) {
    for (const text of row) {
      if (text === null) appender.appendNull()
      else appender.appendVarchar(text)
    }
    appender.appendBigInt(BigInt(place))
    appender.endRow()
  }
  appender.closeSync()
}
