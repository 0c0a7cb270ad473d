/** `minga archive`: what was captured, read back, checked, packed for others, taken in from others. */
import { Readable } from 'node:stream'
import { Option, type Command } from 'commander'
import type { ContentForm } from '@minga/coordinator'
import type { Run } from '../../run-program.ts'
import { dataOption, wholeNumber } from '../../options.ts'
import { typedAddresses } from '../../addresses.ts'
import { EXIT } from '../../exit-codes.ts'
import { openReader } from '../../open-reader.ts'
import { diffArchive } from './diff.ts'
import { exportArchive } from './export.ts'
import { growthCommand } from './growth.ts'
import { importFiles } from './import.ts'
import { listArchive } from './list.ts'
import { repairCommand } from './repair.ts'
import { searchCommand } from './search.ts'
import { verifyArchive } from './verify.ts'
import { requireArchive } from './folder.ts'
import { Output } from './output.ts'
import { lastInstantOf } from './time.ts'

export function archiveCommand(program: Command, run: Run): void {
  const archive = program
    .command('archive')
    .description('captures: list, search, read, compare, check, repair, export and import them')
    .addHelpText('after', ARCHIVE_EXAMPLES)
  listCommand(archive, run)
  searchCommand(archive, run)
  getCommand(archive, run)
  diffCommand(archive, run)
  verifyCommand(archive, run)
  repairCommand(archive, run)
  exportCommand(archive, run)
  importCommand(archive, run)
  growthCommand(archive, run)
}

const ARCHIVE_EXAMPLES = `
Examples:
  minga archive list https://example.org/ --jsonl
  minga archive search 'minga "año nuevo" -2024'
  minga archive get https://example.org/ --at 20260131 > page.html
  minga archive diff https://example.org/ previous latest
  minga archive verify
  minga archive repair
  minga archive export --wacz site.wacz
  minga archive import old.warc.gz
  minga archive growth
`

function listCommand(archive: Command, run: Run): void {
  archive
    .command('list')
    .argument('[url]', 'only captures of this address')
    .description('show captures, oldest first')
    .addOption(dataOption())
    .addOption(new Option('--jsonl', 'one JSON object per line').conflicts('json'))
    .option('--json', 'one JSON object with all of them')
    .option('--limit <n>', 'at most this many', wholeNumber('--limit', 1))
    .addHelpText('after', LIST_EXAMPLES)
    .action(run(listArchive))
}

const LIST_EXAMPLES = `
Examples:
  minga archive list --limit 20
  minga archive list https://example.org/ --jsonl | jq -r .timestamp

Each line of --jsonl: {"url","timestamp","status","mime","digest","file","offset","length"}; the
timestamp is UTC, YYYYMMDDhhmmss, and \`archive get --at\` takes it; the file is in DATA/archive.
`

function getCommand(archive: Command, run: Run): void {
  archive
    .command('get')
    .argument('<url>', 'what to read')
    .description('write the decoded body of a capture to stdout')
    .addOption(dataOption())
    .option('--at <time>', 'the newest not after this: 2026, 20260131, 2026-01-31T12:00:00Z …')
    .addOption(new Option('--raw', 'with the content encoding it was sent in').conflicts('headers'))
    .option('--headers', 'the status line and headers instead of the body')
    .addHelpText('after', GET_EXAMPLES)
    .action(run(getCapture))
}

const GET_EXAMPLES = `
Examples:
  minga archive get https://example.org/ > page.html
  minga archive get https://example.org/ --at 2026-01 --headers
`

function diffCommand(archive: Command, run: Run): void {
  archive
    .command('diff')
    .argument('<url>', 'which address')
    .argument('[t1]', 'a time, or `previous`: the capture before the other', 'previous')
    .argument('[t2]', 'a time, or `latest`', 'latest')
    .description('show what changed between two captures of an address')
    .addOption(dataOption())
    .option('--json', 'print the figures and all blocks as one JSON object')
    .option('--html <file>', 'write it as a page')
    .option('--side-by-side <file>', 'write it as a page with both captures side by side')
    .option('--watch <id>', 'with the settings of this watch', wholeNumber('--watch', 1))
    .addOption(new Option('--raw', 'count everything, watched or not').conflicts('watch'))
    .addHelpText('after', DIFF_EXAMPLES)
    .action(run(diffArchive))
}

const DIFF_EXAMPLES = `
Examples:
  minga archive diff https://example.org/
  minga archive diff https://example.org/ 20260101 2026-01-31T12:00:00Z --json | jq .content
  minga archive diff https://example.org/ previous latest --side-by-side changes.html

A time stands for the newest capture not after it: 2026 is the last of that year. --json prints
{"changed","visual","structural","content"}, the last three from 0 to 1, and "blocks": what was
added, removed, moved or edited. What changes on every visit (dates, tokens, counters) does not count.
Where the address is watched it is compared as its watch does: by its selectors, and past the noise it
learnt ("watch" says which; of several the most important, of equals the oldest). --raw does not.
`

function verifyCommand(archive: Command, run: Run): void {
  archive
    .command('verify')
    .argument('[file...]', 'only these: names in the archive, or any WARC files')
    .description('check every record, digest and index line; changes nothing')
    .addOption(dataOption())
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', VERIFY_EXAMPLES)
    .action(run(verifyArchive))
}

const VERIFY_EXAMPLES = `
Examples:
  minga archive verify && echo whole
  minga archive verify part-1.warc.gz part-2.warc.gz   files from elsewhere, checked together

Exit code 0: everything agrees; 1: something is damaged, and a line on stdout names it. Revisits that
do not refer to the response with their payload (revisit-of-revisit, revisit-dangling, revisit-wrong)
are repaired by \`minga archive repair\`; import a file from elsewhere first.
`

function exportCommand(archive: Command, run: Run): void {
  archive
    .command('export')
    .description('pack the archive, or a part of it, for ReplayWeb.page and others')
    .addOption(dataOption())
    .requiredOption('--wacz <file>', 'the file to write')
    .option('--url-prefix <prefix>', 'only captures whose address starts like this')
    .option('--collection <n>', 'only captures of this collection', wholeNumber('--collection', 1))
    .option('--title <text>', 'title of the file')
    .option('--json', 'print what was written as one JSON object')
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(run(exportArchive))
}

const EXPORT_EXAMPLES = `
Examples:
  minga archive export --wacz site.wacz
  minga archive export --wacz docs.wacz --url-prefix https://example.org/docs/
`

function importCommand(archive: Command, run: Run): void {
  archive
    .command('import')
    .argument('<file...>', 'WARC files, plain or gzip')
    .description('import WARC files of other tools into the archive')
    .addOption(dataOption())
    .option('--json', 'print the import as one JSON object')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(run(importFiles))
}

const IMPORT_EXAMPLES = `
Examples:
  wget --warc-file old -r https://example.org/ && minga archive import old.warc.gz

A file is copied; importing it again changes nothing. Files that are plain, badly packed or
damaged are repacked with every record that can be read, and what is lost is named.
`

interface GetOptions {
  data: string
  at?: string
  raw?: boolean
  headers?: boolean
}

async function getCapture(typed: string, options: GetOptions): Promise<number> {
  const [url] = typedAddresses('archive get', [typed]) as [string]
  const at = options.at === undefined ? null : lastInstantOf(options.at)
  const form: ContentForm = options.headers ? 'headers' : options.raw ? 'raw' : 'body'
  const reader = await openReader(requireArchive(options.data))
  try {
    const { body, headers } = await reader.content({ url, at, form })
    const problem = headers['x-minga-problem']
    if (problem) process.stderr.write(`minga: ${problem}\n`)
    const output = new Output()
    for await (const piece of Readable.from(body) as AsyncIterable<Buffer>) {
      if (!(await output.write(piece))) break
    }
    await output.end()
    return EXIT.ok
  } finally {
    await reader.close()
  }
}
