/** `minga table`: what the lake holds, and files that become tables. */
import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { writeBooks } from '@minga/lake'
import { append, lakeCommand, wholeNumber } from '../../../options.ts'
import type { Run } from '../../../run-program.ts'
import type { QueryOptions } from '../query/query.ts'
import { BadOption } from '../../../errors.ts'
import { EXIT } from '../../../exit-codes.ts'
import { requireFolder, writingTo } from '../../../output-place.ts'
import { formatBytes } from '../../../progress.ts'
import { printFacts } from '../answers.ts'
import { importTable, type ImportOptions } from './import.ts'
import {
  compactTable,
  describeTable,
  dropTable,
  listTables,
  showRejects,
  showRows,
  showVersions,
  type RowsOptions,
} from './show.ts'

const EXAMPLES = `
Examples:
  minga table import books_data.csv --as books
  minga table import books_data.csv --as books --dry-run    what it would do, and to which lines
  minga table import events.jsonl --as events_of_june --type at=instant --type amount=decimal
  minga table import books_data.csv --as books --like books-1.books
  minga table import reviews.csv --as reviews --rules reviews-rules.json --replace
  minga table list
  minga table head books --limit 5
  minga table rejects books                  rows that were left out, and why
  minga sql "SELECT count(*) FROM books"
  minga table generate books --out data --size 300MB --seed 7

An import that was killed continues when the same command is run again.
`

export function tableCommand(program: Command, run: Run): void {
  const table = program
    .command('table')
    .description('tables of the lake: import, list, inspect, drop')
    .addHelpText('after', EXAMPLES)

  lakeCommand(table, 'list')
    .description('tables with their rows and bytes')
    .action(run((options: QueryOptions) => listTables(options)))
  lakeCommand(table, 'describe')
    .argument('<table>')
    .description('its columns')
    .action(run((name: string, options: QueryOptions) => describeTable(name, options)))
  rowsOptions(lakeCommand(table, 'head'))
    .option('--version <n>', 'as of this version', wholeNumber('--version'))
    .description('its first rows')
    .action(run((name: string, options: RowsOptions) => showRows(name, options)))
  rowsOptions(lakeCommand(table, 'rejects'))
    .description('what an import rejected, counted by reason')
    .action(run((name: string, options: RowsOptions) => showRejects(name, options)))
  lakeCommand(table, 'versions')
    .argument('<table>')
    .description('its versions, newest first')
    .action(run((name: string, options: QueryOptions) => showVersions(name, options)))
  lakeCommand(table, 'compact')
    .argument('<table>')
    .description('merge its small segments')
    .action(run((name: string, options: QueryOptions) => compactTable(name, options)))
  lakeCommand(table, 'drop')
    .argument('<table>')
    .description('forget a table of your own')
    .action(run((name: string, options: QueryOptions) => dropTable(name, options)))
  importCommand(table, run)
  generateCommand(table, run)
}

function rowsOptions(command: Command): Command {
  return command
    .argument('<table>')
    .option('--limit <n>', 'rows at most', wholeNumber('--limit', 1), 20)
}

function importCommand(table: Command, run: Run): void {
  lakeCommand(table, 'import')
    .argument('<file>', 'CSV, TSV, JSONL, Parquet or WARC; .gz too')
    .requiredOption('--as <table>', 'its name')
    .addOption(
      new Option('--type <column=type>', 'of a column; others are inferred (repeatable)').argParser(
        append,
      ),
    )
    .option('--rules <file>', 'JSON with the columns and how they are cleaned (docs/tables.md)')
    .option(
      '--like <query.input>',
      'cleaned as this query does it, so that it can replace the file',
    )
    .option('--replace', 'replace the existing rows')
    .option('--dry-run', 'only show what it would do with the first rows')
    .option('--rows <n>', 'rows that --dry-run reads', wholeNumber('--rows', 1), 1_000)
    .option(
      '--workers <n>',
      'worker processes (default: one per core)',
      wholeNumber('--workers', 1),
    )
    .description('turn a file into a table, in parallel')
    .addHelpText('after', EXAMPLES)
    .action(run((file: string, options: ImportOptions) => importTable(file, options)))
}

function generateCommand(table: Command, run: Run): void {
  table
    .command('generate')
    .argument('<set>', 'books: two files like the public set of book reviews, including its errors')
    .requiredOption('--out <dir>', 'where to write them')
    .option('--size <bytes>', 'of the reviews, such as 300MB', '50MB')
    .option('--seed <n>', 'the same seed gives the same files', wholeNumber('--seed'), 1)
    .option('--json', 'print one JSON object')
    .description('synthetic data for trying queries')
    .action(run((set: string, options: GenerateOptions) => generateBooks(set, options)))
}

interface GenerateOptions {
  out: string
  size: string
  seed: number
  json?: boolean
}

/** `minga table generate`: synthetic files for trying queries. */
async function generateBooks(set: string, options: GenerateOptions): Promise<number> {
  if (set !== 'books') throw new BadOption('generate', 'books', set)
  const folder = resolve(options.out)
  const reviewBytes = bytesOf(options.size)
  await requireFolder('--out', options.out)
  const facts = await writingTo(folder, () =>
    writeBooks({ folder, seed: options.seed, reviewBytes }),
  )
  const { booksPath, reviewsPath, books, reviews, bookBytes } = facts
  printFacts(options, facts, [
    `${booksPath}: ${books} books, ${formatBytes(bookBytes)}`,
    `${reviewsPath}: ${reviews} reviews, ${formatBytes(facts.reviewBytes)}`,
  ])
  return EXIT.ok
}

const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9 }

function bytesOf(text: string): number {
  const { number, unit } =
    /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>[KMG]?)B?$/i.exec(text)?.groups ?? {}
  if (number === undefined) throw new BadOption('--size', 'a size such as 300MB', text)
  return Math.round(Number(number) * UNITS[(unit ?? '').toUpperCase()]!)
}
