/** `minga audit`: who changed what at a station, and whether anybody has changed that log since. */
import { auditEntry, AuditVerifier, type AuditEntry, type AuditPage } from '@minga/protocol'
import type { Command } from 'commander'
import { BadOption, UnreadableFile } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { operatorCommand, wholeNumber } from '../options.ts'
import type { Run } from '../run-program.ts'
import { readLines } from './archive/folder.ts'
import { reachApi, type StationOptions } from './reach-api.ts'

interface ListOptions extends StationOptions {
  act?: string
  actor?: string
  subject?: string
  limit: number
}

interface VerifyOptions extends StationOptions {
  head?: string
  file?: string
}

const PAGE_ENTRIES = 1_000
const LIST_LIMIT = 50

const EXAMPLES = `
Examples:
  minga audit list --act setting:changed           who changed a setting, to what, and when
  minga audit list --actor acct_12ab --json        all that one account did
  minga audit export > audit-2030-01.jsonl         every entry with its hash, to be stored elsewhere
  minga audit verify                               follow the chain of hashes from the first entry
  minga audit verify --head 5f3c…                  and find an end of the log that was written down before
  minga audit verify --file audit-2030-01.jsonl    the same for an exported file, without a station

The log can be added to, never changed. Who can write the database past the station can still write it: keep the head
that \`verify\` prints in another place, and give it back with --head. Without --station the station that serves the
folder is asked, or the folder is opened.
`

export function auditCommand(program: Command, run: Run): void {
  const audit = program
    .command('audit')
    .description('show and verify who changed what at a station, in a tamper-evident log')
    .addHelpText('after', EXAMPLES)
  operatorCommand(audit, 'list', 'print one JSON object per line')
    .description('show the last actions')
    .option('--act <act>', 'only these, such as setting:changed or key:made')
    .option(
      '--actor <account>',
      'only actions of this account; station: actions of the station itself',
    )
    .option('--subject <subject>', 'only actions on this')
    .option('--limit <n>', 'how many of the last ones', wholeNumber('--limit', 1), LIST_LIMIT)
    .action(run((options: ListOptions) => list(options)))
  operatorCommand(audit, 'export', 'no effect: the output is one JSON object per line')
    .description('write every entry to standard output')
    .action(run((options: StationOptions) => exportAll(options)))
  operatorCommand(audit, 'verify')
    .description('check that nothing in the log was changed or removed')
    .option('--head <hash>', 'a head that you noted before: it must be in the chain')
    .option('--file <file>', 'check an exported file instead of a station')
    .action(run((options: VerifyOptions) => verify(options)))
}

async function list(options: ListOptions): Promise<number> {
  const { act, actor, subject, limit, json = false } = options
  const last: AuditEntry[] = []
  for await (const entry of entriesOf(options)) {
    const isWanted =
      (act === undefined || entry.act === act) &&
      (actor === undefined || nameOf(entry) === actor) &&
      (subject === undefined || entry.subject === subject)
    if (isWanted) last.push(entry)
    if (last.length > limit) last.shift()
  }
  for (const entry of last) process.stdout.write(json ? lineOf(entry) : textOf(entry))
  return EXIT.ok
}

async function exportAll(options: StationOptions): Promise<number> {
  for await (const entry of entriesOf(options)) process.stdout.write(lineOf(entry))
  return EXIT.ok
}

async function verify(options: VerifyOptions): Promise<number> {
  const { head, file, json = false } = options
  if (head !== undefined && !/^[0-9a-f]{64}$/i.test(head)) {
    throw new BadOption('--head', 'a hash of 64 hexadecimal digits', head)
  }
  const verifier = new AuditVerifier(head)
  const entries = file === undefined ? entriesOf(options) : entriesIn(file)
  for await (const entry of entries) verifier.add(entry)
  const verdict = verifier.verdict()
  process.stdout.write(json ? `${JSON.stringify(verdict)}\n` : sentenceOf(verdict))
  return verdict.isIntact ? EXIT.ok : EXIT.error
}

function sentenceOf(verdict: ReturnType<AuditVerifier['verdict']>): string {
  const { isIntact, entries, head, broken, missingHead } = verdict
  if (isIntact) return `The audit log is intact: ${entries} entries, head ${head}\n`
  if (broken === null) {
    return `The audit log has lost its end or was written again: none of its ${entries} entries has the head ${missingHead}\n`
  }
  const what =
    broken.why === 'changed'
      ? 'is not what was written'
      : `stands where entry ${entries + 1} should: entries were removed or moved`
  return `The audit log is broken: entry ${broken.seq} ${what}; ${entries} entries before it are intact, up to head ${head}\n`
}

async function* entriesOf(options: StationOptions): AsyncGenerator<AuditEntry> {
  const api = await reachApi(options)
  try {
    for (let after: number | null = 0; after !== null;) {
      const path: string = `/audit-log?after=${after}&limit=${PAGE_ENTRIES}`
      const page: AuditPage = await api.get<AuditPage>(path)
      yield* page.entries
      after = page.next
    }
  } finally {
    await api.close()
  }
}

async function* entriesIn(file: string): AsyncGenerator<AuditEntry> {
  try {
    for await (const line of readLines(file)) {
      if (line !== '') yield auditEntry.parse(JSON.parse(line))
    }
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}

const lineOf = (entry: AuditEntry): string => `${JSON.stringify(entry)}\n`

const nameOf = ({ actor }: AuditEntry): string => actor ?? 'station'

function textOf(entry: AuditEntry): string {
  const details = Object.entries(entry.details).map(([name, value]) => `${name}=${String(value)}`)
  const words = [
    new Date(entry.at).toISOString(),
    nameOf(entry),
    entry.act,
    entry.subject,
    ...details,
  ]
  // No value may break the line or steer the terminal.
  return `${String(entry.seq).padStart(5)} ${words.join(' ').replaceAll(/\p{Cc}+/gu, ' ')}\n`
}
