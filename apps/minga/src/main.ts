/** `minga`: reads the arguments, runs one command, answers its exit code. */
import { isMingaError } from '@minga/protocol'
import { Command, CommanderError } from 'commander'
import { agentCommand } from './commands/agent.ts'
import { archiveCommand } from './commands/archive.ts'
import { crawlCommand } from './commands/crawl.ts'
import { requestCommand } from './commands/request.ts'
import { simulateCommand } from './commands/simulate.ts'
import { upCommand } from './commands/up.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

const EXAMPLES = `
Examples:
  minga crawl https://example.org/                 gather a site into ./minga-data
  minga crawl https://example.org/docs/ --scope prefix --max-pages 500
  minga archive list                               what was captured
  minga archive get https://example.org/ > page.html
  minga archive export --wacz site.wacz            for ReplayWeb.page
  minga request --file urls.txt --out results.jsonl
  minga agent join https://station.example/ --token T   lend this machine to a station
  minga up                                         a station with a page at http://127.0.0.1:7700

Run the same crawl again to continue it. \`minga COMMAND --help\` explains each command.
`

export async function main(args: string[]): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = new Command('minga')
    .description('Many hands collect the web; one calm system keeps every version.')
    .version('0.1.0')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  const run =
    <A extends unknown[]>(command: (...args: A) => Promise<number>) =>
    async (...given: A): Promise<void> => {
      exitCode = await command(...given)
    }
  crawlCommand(program, run)
  upCommand(program, run)
  requestCommand(program, run)
  archiveCommand(program, run)
  agentCommand(program, run)
  simulateCommand(program, run)
  try {
    if (args.length === 0) {
      process.stdout.write(`${EXAMPLES.trimStart()}\n${program.helpInformation()}`)
      return EXIT.ok
    }
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return explain(error)
  }
}

export type Run = <A extends unknown[]>(
  command: (...args: A) => Promise<number>,
) => (...args: A) => Promise<void>

function explain(error: unknown): number {
  // Help and version end by an exception too, with code 0; commander has printed the rest.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (isMingaError(error)) {
    process.stderr.write(`minga: ${error.message} (${error.code})\n`)
    return exitCodeOf(error)
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`minga: ${text}\n`)
  return EXIT.error
}
