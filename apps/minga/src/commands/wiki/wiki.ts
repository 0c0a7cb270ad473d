/** `minga wiki`: whole histories of MediaWiki pages, taken from wikis or dumps, and read back. */
import { Option, type Command } from 'commander'
import { addOwnStationOptions, append, dataOption, wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { add, type AddOptions } from './add.ts'
import { exportWiki, type ExportOptions } from './export.ts'
import type { WikiOptions } from './folder.ts'
import { importDumps, type ImportOptions } from './import.ts'
import { history, list, stats, text, verify, type HistoryOptions } from './read.ts'
import { tasks, update, type UpdateOptions } from './tasks.ts'
import { endIn, startIn } from './text.ts'
import { authors, diff, metrics, query, type MetricsOptions } from './analyse.ts'

const EXAMPLES = `
Examples:
  minga wiki add https://en.wikipedia.org/wiki/Minga --wait        every revision of a page
  minga wiki add https://wiki.example/w/api.php --pages "Cat|Dog" --wait
  minga wiki add https://wiki.example/w/api.php --category Birds --depth 2 --wait
  minga wiki add Gato --locale es --wait                           by title, in Wikipedia's Spanish
  minga wiki import eswiki-20260101-pages-meta-history.xml.bz2
  minga wiki update --wait                                         what is new since
  minga wiki stats --json
  minga wiki history en.wikipedia.org Minga --jsonl | head
  minga wiki text en.wikipedia.org 1234567 > revision.wiki
  minga wiki export en.wikipedia.org --out history.xml.gz
  minga wiki authors en.wikipedia.org Minga                        who wrote what is there now
  minga wiki verify                                                is everything as it was written

A wiki is named as \`minga wiki list\` shows it, or by its address. Where a station serves the folder
it is asked; otherwise the folder is opened. Commands that were interrupted continue when given again.
`

export function wikiCommand(program: Command, run: Run): void {
  const wiki = program
    .command('wiki')
    .description('store every revision of wiki pages: extract, import, read, compare, export')
    .addHelpText('after', EXAMPLES)
  const command = (name: string, description: string): Command =>
    wiki.command(name).description(description).addOption(dataOption())
  addCommand(command, run)
  importCommand(command, run)
  updateCommands(command, run)
  readCommands(command, run)
  exportCommand(command, run)
  wordCommands(command, run)
}

type NewCommand = (name: string, description: string) => Command

function addCommand(command: NewCommand, run: Run): void {
  const adding = command('add', 'extract all revisions of pages of a wiki')
    .argument('<address>', 'an api.php, any page of the wiki, or a title')
    .option('--pages <titles>', 'these pages, their titles joined by |')
    .option('--titles-file <file>', 'these pages, one title per line, - for standard input')
    .option('--category <name>', 'the pages of a category (repeatable)', append)
    .option('--depth <n>', 'categories below it to follow', wholeNumber('--depth'), 0)
    .option('--namespace <n>', 'all pages of a namespace (repeatable)', appendNumber)
    .option('--all', 'every page of the wiki')
    .option('--locale <language>', 'of a title that comes without an address')
    .option('--delay <ms>', 'pause between requests', wholeNumber('--delay'), 1_000)
    .option('--in-flight <n>', 'requests at once, 1 to 3', wholeNumber('--in-flight', 1), 1)
    .option('--token-file <file>', 'an OAuth token that the wiki gave you')
    .option('--bot <name>', 'log in as this bot, as in User@bot')
    .option(
      '--bot-password-file <file>',
      'its password, as Special:BotPasswords of the wiki gave it',
    )
    .option('--keep-warc', "keep the wiki's answers in the web archive, too")
    .option('--obey-robots', 'skip what robots.txt forbids, although wikis invite programs')
    .option('--wait', 'until everything is extracted')
  addOwnStationOptions(adding)
    .option('--json', 'print one JSON object')
    .addHelpText('after', ADD_EXAMPLES)
    .action(run((address: string, options: AddOptions) => add(address, options)))
}

const ADD_EXAMPLES = `
Examples:
  minga wiki add https://en.wikipedia.org/wiki/Minga --wait
  minga wiki add https://wiki.example/w/api.php --pages "Cat|Talk:Cat" --wait --json
  minga wiki add https://wiki.example/w/api.php --namespace 0 --namespace 14 --contact me@example.org
  minga wiki add https://wiki.example/w/api.php --all --bot Ana@minga --bot-password-file secret.txt

Without --wait the work is left to the station that serves the folder. With it the exit code is 0
when everything came, and 1 when pages are missing or failed: they are listed. Tokens and passwords
are kept by the station, sent to that wiki alone, and never shown again.
`

function appendNumber(value: string, former: number[] | undefined): number[] {
  return [...(former ?? []), wholeNumber('--namespace')(value)]
}

function importCommand(command: NewCommand, run: Run): void {
  command('import', 'take in dumps: export XML 0.3 to 0.11, plain, bz2, gz, zst or 7z')
    .argument('<dump...>', 'files')
    .option('--wiki <name>', 'wiki of a dump that does not name it (default: the name of the file)')
    .option(
      '--round-bytes <n>',
      'text to write at a time: less is repeated after a kill, more compresses better',
      wholeNumber('--round-bytes', 1),
    )
    .option('--json', 'print totals, and what was rejected by kind')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(run((files: string[], options: ImportOptions) => importDumps(files, options)))
}

const IMPORT_EXAMPLES = `
Examples:
  minga wiki import eswiki-20260101-pages-meta-history.xml.bz2
  minga wiki import part1.xml.gz part2.xml.gz --json

An import that was killed continues when the command is given again, and one that is done is not
repeated. Of a damaged file everything before the damage is kept; the exit code is 1 then.
`

function updateCommands(command: NewCommand, run: Run): void {
  const updating = command('update', 'ask wikis what is new')
    .argument('[wiki]', 'only this one')
    .option('--pages <titles>', 'only these pages, their titles joined by |')
    .option('--wait', 'until everything is extracted')
  addOwnStationOptions(updating)
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(run((wiki: string | undefined, options: UpdateOptions) => update(wiki, options)))
  command('tasks', 'what is being extracted, newest first; cancel or retry it')
    .argument('[verb]', 'cancel or retry')
    .argument('[id]', 'the number of the task')
    .option('--json', 'print one JSON object')
    .addHelpText('after', TASKS_EXAMPLES)
    .action(
      run((verb: string | undefined, id: string | undefined, options: WikiOptions) =>
        tasks(verb, id, options),
      ),
    )
}

const TASKS_EXAMPLES = `
Examples:
  minga wiki tasks
  minga wiki tasks cancel 4
  minga wiki tasks retry 4
`

function readCommands(command: NewCommand, run: Run): void {
  command('list', 'the wikis that are kept')
    .option('--json', 'print one JSON object')
    .action(run((options: WikiOptions) => list(options)))
  command('stats', 'how much is stored of each wiki, and its size on disk')
    .option(
      '--json',
      'print {"wikis":[{"wiki","pages","revisions","rawBytes","storedBytes","gaps"}]}',
    )
    .action(run((options: WikiOptions) => stats(options)))
  command('text', 'print the text of a revision, byte for byte')
    .argument('<wiki>', 'which wiki')
    .argument('<revid>', 'which revision', wholeNumber('the number of a revision', 1))
    .option('--slot <role>', 'which of its slots', 'main')
    .action(
      run((wiki: string, revId: number, options: WikiOptions & { slot: string }) =>
        text(wiki, revId, options),
      ),
    )
  rangeOptions(command('history', 'the revisions of a page, newest first'))
    .argument('<wiki>', 'which wiki')
    .argument('<title>', 'which page')
    .option('--jsonl', 'one JSON object per line')
    .option('--oldest-first', 'in reverse order')
    .option('--limit <n>', 'at most this many', wholeNumber('--limit', 1))
    .addHelpText('after', HISTORY_EXAMPLES)
    .action(
      run((wiki: string, title: string, options: HistoryOptions) => history(wiki, title, options)),
    )
  command('verify', 'read everything again: texts, digests, sizes, parents; changes nothing')
    .argument('[wiki]', 'only this one')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExit code 0: nothing is damaged; 1: something is, and a line says what.\n',
    )
    .action(run((wiki: string | undefined, options: WikiOptions) => verify(wiki, options)))
}

const HISTORY_EXAMPLES = `
Examples:
  minga wiki history en.wikipedia.org Minga --limit 20
  minga wiki history en.wikipedia.org Minga --jsonl --from 2020 --until 2020-06-30

Each line of --jsonl has MediaWiki's names: revid, parentid, timestamp, user, size, sha1, comment …
`

function rangeOptions(command: Command): Command {
  return command
    .option('--from <time>', 'only from this time on: 2026, 2026-01-31 …', startIn('--from'))
    .option('--until <time>', 'only until the end of this time', endIn('--until'))
}

function exportCommand(command: NewCommand, run: Run): void {
  rangeOptions(
    command('export', "histories as XML that MediaWiki's own importer takes, or as a table"),
  )
    .argument('<wiki>', 'which wiki')
    .option('--pages <titles>', 'only these pages, their titles joined by |')
    .option('--current', 'only the newest revision of each page')
    .addOption(
      new Option('--as <form>', 'whole histories, or a row for each revision without its text')
        .choices(['xml', 'csv', 'jsonl', 'parquet'])
        .default('xml'),
    )
    .option('--out <file>', 'packed where it ends in .gz or .zst; standard output without it')
    .option('--json', 'print what was written as one JSON object')
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(run((wiki: string, options: ExportOptions) => exportWiki(wiki, options)))
}

const EXPORT_EXAMPLES = `
Examples:
  minga wiki export en.wikipedia.org --out history.xml
  minga wiki export en.wikipedia.org --pages "Cat|Dog" --current --out now.xml.gz
  minga wiki export en.wikipedia.org --as parquet --out revisions.parquet
  minga wiki export en.wikipedia.org --as csv --from 2025 --out revisions.csv.gz

The file is there whole or not at all. Every row of a table says where it is from (source, page_url)
and under which licence; what a spreadsheet would run as a formula gets a quote in front.
`

function wordCommands(command: NewCommand, run: Run): void {
  const revision = wholeNumber('the number of a revision', 1)
  command('diff', 'what changed between two revisions, word by word')
    .argument('<wiki>', 'which wiki')
    .argument('<before>', 'a revision', revision)
    .argument('<after>', 'another', revision)
    .option('--slot <role>', 'which of their slots', 'main')
    .option('--json', 'print one JSON object')
    .action(
      run((wiki: string, before: number, after: number, options: WikiOptions & { slot: string }) =>
        diff(wiki, { before, after }, options),
      ),
    )
  command('authors', 'who wrote the words that a page has now')
    .argument('<wiki>', 'which wiki')
    .argument('<title>', 'which page')
    .option('--tokens', 'with --json: every word, and by which revision it came')
    .option('--json', 'print one JSON object')
    .action(
      run((wiki: string, title: string, options: WikiOptions & { tokens?: boolean }) =>
        authors(wiki, title, options),
      ),
    )
  metricsCommand(command, run)
  command('query', 'ask a question of your own, as JSON, over revisions')
    .argument('<wiki>', 'which wiki')
    .argument('<file>', 'the question')
    .option('--json', 'print one JSON object')
    .option('--csv', 'print a table, each row with its source and licence')
    .addHelpText('after', QUERY_EXAMPLES)
    .action(
      run((wiki: string, file: string, options: WikiOptions & { csv?: boolean }) =>
        query(wiki, file, options),
      ),
    )
}

const QUERY_EXAMPLES = `
Examples:
  echo '{"by":["user"],"measure":{"edits":{"count":true}},"sort":["-edits"],"limit":10}' > top.json
  minga wiki query en.wikipedia.org top.json
  minga wiki query en.wikipedia.org top.json --csv > top.csv
`

function metricsCommand(command: NewCommand, run: Run): void {
  command('metrics', 'how a wiki or a page is edited: by whom, when, how much')
    .argument('<wiki>', 'which wiki')
    .argument('[title]', 'of one page')
    .option('--only <names>', 'these, joined by commas; without it the usual ones')
    .option('--user <name>', 'of one editor')
    .option('--from <day>', 'from this day on, as in 2026-01-31')
    .option('--until <day>', 'until the end of this day')
    .option('--json', 'print one JSON object')
    .option('--csv', 'print a table, each row with its source and licence')
    .addHelpText('after', METRICS_EXAMPLES)
    .action(
      run((wiki: string, title: string | undefined, options: MetricsOptions) =>
        metrics(wiki, title, options),
      ),
    )
}

const METRICS_EXAMPLES = `
Examples:
  minga wiki metrics en.wikipedia.org Minga
  minga wiki metrics en.wikipedia.org --only hours,weekdays,wars --json
  minga wiki metrics en.wikipedia.org Minga --only months --csv > months.csv

Names: editors, split, inequality, hours, weekdays, months, years, gaps, sessions, sizes, reverts,
wars, bursts, together, tags. Days and hours are in UTC. In a table the column measure says which of
them a row is of.
`
