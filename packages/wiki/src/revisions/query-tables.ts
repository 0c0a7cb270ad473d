/** A question to the tables of wikis, within limits of time and rows. */
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { Clock } from '@minga/protocol'
import { WikiQuestionRefused } from '../errors.ts'
import { duckDbLibrary } from './duckdb.ts'
import type { AskLimits } from '../metrics/ask.ts'

export type QueryValue = string | number | bigint | boolean | null

export interface Answered {
  columns: string[]
  types: string[]
  rows: unknown[][]
  /** There are more rows than asked for. */
  isCut: boolean
}

export interface Question extends AskLimits {
  text: string
  params: readonly QueryValue[]
}

export async function queryTables(
  connection: DuckDBConnection,
  { text, params, rowsMax, timeMs }: Question,
  clock: Pick<Clock, 'sleep'>,
): Promise<Answered> {
  const { StatementType } = await duckDbLibrary()
  const statements = await connection.extractStatements(text)
  if (statements.count !== 1) throw WikiQuestionRefused.notAQuestion()
  const statement = await statements.prepare(0)
  if (statement.statementType !== StatementType.SELECT) throw WikiQuestionRefused.notAQuestion()
  const answered = new AbortController()
  let isLate = false
  void clock.sleep(timeMs, answered.signal).then(() => {
    if (answered.signal.aborted) return
    isLate = true
    connection.interrupt()
  })
  try {
    statement.bind(params.map(valueOf))
    const reader = await statement.streamAndReadUntil(rowsMax + 1)
    const rows = reader.getRowsJS().map((row) => row.map(plainValue))
    return {
      columns: reader.columnNames(),
      types: reader.columnTypes().map(String),
      rows: rows.slice(0, rowsMax),
      isCut: rows.length > rowsMax,
    }
  } catch (error) {
    throw isLate ? WikiQuestionRefused.tooLong(timeMs) : error
  } finally {
    answered.abort()
  }
}

/** Whole numbers are those of ids and times; others are what they are. */
function valueOf(value: QueryValue): DuckDBValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

/** BIGINT comes as bigint: a number is what everyone expects, where it is exact. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  return Array.isArray(value) ? value.map(plainValue) : value
}
