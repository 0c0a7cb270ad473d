/** `minga sql`: one SELECT over all tables, for small questions. */
import { type SqlAnswer } from '@minga/protocol'
import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { lakeCommand, wholeNumber } from '../options.ts'
import { requireFile, STANDARD_OUTPUT, writeWhole, writingTo } from '../output-place.ts'
import type { Run } from '../run-program.ts'
import { askLake, printFacts, textTable } from './lake-answers.ts'
import type { QueryOptions } from './query.ts'

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
    .description('ask the tables in SQL')
    .option('--csv [file]', 'answer as CSV, here or to standard output (-)')
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
  if (format === 'json') {
    const answer = await askLake(options, ({ api }) => api.post<SqlAnswer>('/sql', question))
    const names = answer.columns.map(({ name }) => name)
    printFacts(options, answer, textTable(names, answer.rows))
    if (answer.isCut) process.stderr.write('minga: there are more rows; --limit asks for them\n')
    return EXIT.ok
  }
  if (file !== null) await requireFile(`--${format}`, file)
  const { body } = await askLake(options, ({ api }) => api.read('/sql', { ...question, format }))
  if (file === null) process.stdout.write(body)
  else await writingTo(file, () => writeWhole(file, [body]))
  return EXIT.ok
}

function answerOf({ csv, jsonl, parquet }: SqlOptions): { format: string; file: string | null } {
  const fileOf = (given: string | true): string | null =>
    given === true || given === STANDARD_OUTPUT ? null : given
  if (csv !== undefined) return { format: 'csv', file: fileOf(csv) }
  if (jsonl !== undefined) return { format: 'jsonl', file: fileOf(jsonl) }
  if (parquet !== undefined) return { format: 'parquet', file: fileOf(parquet) }
  return { format: 'json', file: null }
}
