/** `minga sql`: one SELECT over all tables, for small questions. */
import { isMingaError, type SqlAnswer, type SqlQuestion } from '@minga/protocol'
import type { Command } from 'commander'
import { join, resolve } from 'node:path'
import { findStation } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { lakeCommand, wholeNumber } from '../../options.ts'
import { requireFile, STANDARD_OUTPUT, writeWhole, writingTo } from '../../output-place.ts'
import type { Run } from '../../run-program.ts'
import { sizeOf } from '../archive/folder.ts'
import { askLake, printFacts, requireTables, textTable } from './answers.ts'
import type { QueryOptions } from './query/query.ts'

interface SqlOptions extends QueryOptions {
  csv?: string | true
  jsonl?: string | true
  parquet?: string
  limit?: number
  timeout?: number
}

const EXAMPLES = `
Examples:
  minga sql "SELECT host, count(*) AS pages FROM captures GROUP BY host ORDER BY pages DESC LIMIT 10"
  minga sql 'SELECT * FROM changes WHERE "at" > now() - INTERVAL 7 DAY' --csv changes.csv
  minga sql "SELECT * FROM books" --parquet books.parquet
  minga sql "SELECT count(*) FROM revisions" --json

The dialect is DuckDB's. One SELECT at a time: tables are read, nothing else is. \`minga table list\` names them.
`

export function sqlCommand(program: Command, run: Run): void {
  lakeCommand(program, 'sql')
    .argument('<select>', 'a SELECT in the SQL of DuckDB')
    .description('query the tables with SQL')
    .option('--csv [file]', 'write the result as CSV, here or to standard output (-)')
    .option('--jsonl [file]', 'as a JSON object per line')
    .option('--parquet <file>', 'as Parquet')
    .option('--limit <n>', 'rows at most', wholeNumber('--limit', 1))
    .option('--timeout <s>', 'seconds at most', wholeNumber('--timeout', 1))
    .addHelpText('after', EXAMPLES)
    .action(run((select: string, options: SqlOptions) => sql(select, options)))
}

async function sql(select: string, options: SqlOptions): Promise<number> {
  const { limit, timeout } = options
  const question = {
    sql: select,
    ...(limit === undefined ? {} : { rowsMax: limit }),
    ...(timeout === undefined ? {} : { timeoutS: timeout }),
  }
  const { format, file } = answerOf(options)
  if (file !== null) await requireFile(`--${format}`, file)
  requireTables(options)
  if (format === 'json') {
    const answer = JSON.parse(String(await ask(options, { ...question, format }))) as SqlAnswer
    const names = answer.columns.map(({ name }) => name)
    printFacts(options, answer, textTable(names, answer.rows))
    if (answer.isCut)
      process.stderr.write('minga: there are more rows; raise --limit to get them\n')
    return EXIT.ok
  }
  const body = await ask(options, { ...question, format })
  if (file === null) process.stdout.write(body)
  else await writingTo(file, () => writeWhole(file, [body]))
  return EXIT.ok
}

/** The folder itself answers where no station runs and none is needed, else a station does. */
async function ask(options: SqlOptions, question: SqlQuestion): Promise<Buffer> {
  const answer = await askFolder(options, question)
  if (answer !== null) return answer
  const { body } = await askLake(options, ({ api }) => api.read('/sql', question))
  return body
}

async function askFolder(
  { station, data, postgres }: SqlOptions,
  question: SqlQuestion,
): Promise<Buffer | null> {
  const folder = resolve(data)
  const isHere = station === undefined && !postgres && sizeOf(join(folder, 'minga.db')) !== null
  if (!isHere || (await findStation(folder)) !== null) return null
  const { askSqlFolder, needsStation } = await import('@minga/coordinator/sql-folder')
  if (needsStation(question.sql)) return null
  try {
    return await askSqlFolder({ data: folder, environment: process.env }, question)
  } catch (error) {
    // Another command opened it in the meantime; its station can be asked.
    if (isMingaError(error) && error.code === 'MINGA_STORE_LOCKED') return null
    throw error
  }
}

type Format = NonNullable<SqlQuestion['format']>

function answerOf({ csv, jsonl, parquet }: SqlOptions): { format: Format; file: string | null } {
  const fileOf = (given: string | true): string | null =>
    given === true || given === STANDARD_OUTPUT ? null : given
  if (csv !== undefined) return { format: 'csv', file: fileOf(csv) }
  if (jsonl !== undefined) return { format: 'jsonl', file: fileOf(jsonl) }
  if (parquet !== undefined) return { format: 'parquet', file: fileOf(parquet) }
  return { format: 'json', file: null }
}
