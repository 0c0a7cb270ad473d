/** `minga query`: questions as small files, answered in parallel. */
import { QUERY_STATES, RESULT_FORMATS, type QueryState, type ResultFormat } from '@minga/protocol'
import { Option, type Command } from 'commander'
import { append, lakeCommand, wholeNumber } from '../../../options.ts'
import type { Run } from '../../../run-program.ts'
import { cancelQuery, listQueries, showQuery, showStatus } from './list.ts'
import { attachQuery, explainQueries, runQueries } from './run.ts'
import type { StationOptions } from '../../reach-api.ts'

/** Which station is asked. */
export interface QueryOptions extends StationOptions {
  postgres?: string
}

export interface StatusOptions extends QueryOptions {
  state?: QueryState
}

export interface RunOptions extends QueryOptions {
  input?: string[]
  table?: string[]
  param?: string[]
  out?: string
  format: ResultFormat
  workers?: number
  memory?: number
  deadline?: number
  explain?: boolean
}

const EXAMPLES = `
Examples:
  minga query list
  minga query run books-1 --input books=books_data.csv
  minga query run books-1 books-2 books-3 books-4 books-5 \\
      --input books=books_data.csv --input reviews=Books_rating.csv --out answers --workers 4
  minga query run books-3 --table books=books --table reviews=reviews --param least=100 --out answers
  minga query run ./my-question.ts --input books=books_data.csv --explain
  minga query run books-5 --station https://station.example --key "$KEY" --input … --out answers

While it runs, rows appear unsorted in OUT/.partial/NAME.jsonl; OUT/NAME.csv appears whole at the end. The same
command run again after a crash continues with the same query. docs/queries.md tells how to write one.
`

export function queryCommand(program: Command, run: Run): void {
  const query = program
    .command('query')
    .description('query files and tables, in parallel')
    .addHelpText('after', EXAMPLES)

  lakeCommand(query, 'list')
    .description('queries that come with Minga')
    .action(run((options: QueryOptions) => listQueries(options)))

  const running = addRunOptions(lakeCommand(query, 'run'))
    .argument('<query...>', 'names of queries that come with Minga, or files with one')
    .description('run queries and write an answer per query')
    .option('--explain', 'only print the plan: stages, tasks, what each reads')
  running
    .addHelpText('after', EXAMPLES)
    .action(
      run((names: string[], options: RunOptions) =>
        options.explain ? explainQueries(names, options) : runQueries(names, options),
      ),
    )

  lakeCommand(query, 'show')
    .argument('<name>', 'a query that comes with Minga')
    .description('its inputs, parameters and columns')
    .action(run((name: string, options: QueryOptions) => showQuery(name, options)))

  lakeCommand(query, 'status')
    .argument('[id]', 'one of them')
    .description('queries that run or ran, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(QUERY_STATES))
    .action(run((id: string | undefined, options: StatusOptions) => showStatus(id, options)))

  outOption(lakeCommand(query, 'attach'))
    .argument('<id>', 'of a query that runs or has ended')
    .description('wait for a running query and write its results')
    .action(run((id: string, options: RunOptions) => attachQuery(id, options)))

  lakeCommand(query, 'cancel')
    .argument('<id>', 'of a query that runs')
    .description('end a query and remove what it wrote')
    .action(run((id: string, options: QueryOptions) => cancelQuery(id, options)))
}

function addRunOptions(command: Command): Command {
  return outOption(command)
    .addOption(
      new Option('--input <name=file>', 'a file that is read as this input (repeatable)').argParser(
        append,
      ),
    )
    .addOption(
      new Option('--table <name=table[@version]>', 'a table that is (repeatable)').argParser(
        append,
      ),
    )
    .addOption(
      new Option(
        '--param <name=value>',
        'of all queries that have it, or QUERY.name=value',
      ).argParser(append),
    )
    .addOption(
      new Option('--format <format>', 'of the answers').choices(RESULT_FORMATS).default('csv'),
    )
    .option(
      '--workers <n>',
      'worker processes (default: one per core)',
      wholeNumber('--workers', 1),
    )
    .option(
      '--memory <mb>',
      'that a task may use before it writes to disk',
      wholeNumber('--memory', 64),
    )
    .option('--deadline <s>', 'give up after this long', wholeNumber('--deadline', 1))
}

function outOption(command: Command): Command {
  return command.option(
    '--out <dir>',
    'folder of the answers (default: one answer, on standard output)',
  )
}
