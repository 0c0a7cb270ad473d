/**
 * A row function over a relation. Its input is computed once into a table; its answers come back in
 * the same order and become a second table; joined by position, the two are the result. So columns
 * that only pass through never leave DuckDB.
 */
import type { DuckDBAppender, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import type { Operation } from '../model.ts'
import { valueKind, type RowValue, type ValueKind } from '../rows/row-function.ts'
import type { RowFunctions } from '../rows/row-functions.ts'
import type { Sandbox } from './sandbox.ts'
import { sqlName } from './sql-text.ts'

type RowFunctionOperation = Extract<Operation, { op: 'rowFunction' }>

interface Means {
  functions: RowFunctions
  onRows: (rows: number) => void
}

/** One at work and one on its way: the thread never waits for the next chunk. */
const CHUNKS_AHEAD = 2

export async function runRowFunction(
  operation: RowFunctionOperation,
  sandbox: Sandbox,
  means: Means,
): Promise<void> {
  const given = sqlName(`${operation.as}:given`)
  const answers = `${operation.as}:answers`
  const kept = operation.keep.map(sqlName)
  const values = operation.of.map((expression, place) => `(${expression}) AS ${valueName(place)}`)
  await sandbox.run(
    `CREATE TEMP TABLE ${given} AS SELECT ${[...kept, ...values].join(', ')} FROM ${sqlName(operation.from)}`,
  )
  const kind = valueKind(operation.column.type)
  // Not a temporary one: those are seen by one connection only.
  await sandbox.run(`CREATE TABLE ${sqlName(answers)} (_answer ${ANSWER_TYPES[kind]})`)
  await answerAll(operation, { given, answers, kind }, { ...means, sandbox })
  const column = `CAST(_answer AS ${operation.column.type}) AS ${sqlName(operation.column.name)}`
  await sandbox.run(
    `CREATE TEMP VIEW ${sqlName(operation.as)} AS SELECT ${[...kept, column].join(', ')}
     FROM ${given} POSITIONAL JOIN ${sqlName(answers)}`,
  )
}

const valueName = (place: number): string => `_value${place}`

const ANSWER_TYPES: Record<ValueKind, string> = {
  integer: 'INTEGER',
  bigint: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  text: 'VARCHAR',
}

interface Tables {
  /** As SQL names it. */
  given: string
  answers: string
  kind: ValueKind
}

async function answerAll(
  operation: RowFunctionOperation,
  { given, answers, kind }: Tables,
  { sandbox, functions, onRows }: Means & { sandbox: Sandbox },
): Promise<void> {
  const sql = `SELECT ${await valuesSql(operation, given, sandbox)} FROM ${given}`
  const result = await sandbox.stream(sql)
  // A connection of its own: on that of the stream, appending would end the stream.
  const writing = await sandbox.connect()
  try {
    const appender = await writing.createAppender(answers)
    const ask = (chunk: DuckDBDataChunk, firstRow: number): Promise<RowValue[]> =>
      functions.map({
        function: operation.function,
        columns: chunk.getColumns() as RowValue[][],
        rows: chunk.rowCount,
        kind,
        firstRow,
      })
    await sandbox.guarded(sql, () => throughThread(result, appender, { ask, onRows }))
    appender.closeSync()
  } finally {
    writing.closeSync()
  }
}

interface Thread {
  ask: (chunk: DuckDBDataChunk, firstRow: number) => Promise<RowValue[]>
  onRows: (rows: number) => void
}

async function throughThread(
  result: DuckDBResult,
  appender: DuckDBAppender,
  { ask, onRows }: Thread,
): Promise<void> {
  const { DuckDBDataChunk: Chunk } = await import('@duckdb/node-api')
  const types = [appender.columnType(0)]
  const ahead: Promise<RowValue[]>[] = []
  const takeOne = async (): Promise<void> => {
    const values = (await ahead.shift()) ?? []
    const chunk = Chunk.create(types, values.length)
    chunk.setColumnValues(0, values)
    appender.appendDataChunk(chunk)
  }
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    const asked = ask(chunk, rows)
    // It may fail while an earlier one is awaited; its own caller gets the error later.
    asked.catch(() => {})
    ahead.push(asked)
    rows += chunk.rowCount
    onRows(rows)
    if (ahead.length >= CHUNKS_AHEAD) await takeOne()
  }
  while (ahead.length > 0) await takeOne()
}

/** Types that JavaScript has no plain value for are sent as text. */
async function valuesSql(
  operation: RowFunctionOperation,
  given: string,
  sandbox: Sandbox,
): Promise<string> {
  const described = await sandbox.rows(`DESCRIBE SELECT * FROM ${given}`)
  const types = new Map(described.map(([name, type]) => [String(name), String(type)]))
  const values = operation.of.map((_expression, place) => {
    const name = valueName(place)
    return valueKind(types.get(name) ?? '') === 'text' ? `CAST(${name} AS VARCHAR)` : name
  })
  // A function of nothing still needs to know how many rows there are.
  return values.join(', ') || '1'
}
