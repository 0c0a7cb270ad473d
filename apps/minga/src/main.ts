/** `minga`: reads the arguments, runs one command, answers its exit code. */
import { agentCommand } from './commands/agent.ts'
import { archiveCommand } from './commands/archive.ts'
import { configCommand } from './commands/config.ts'
import { crawlCommand } from './commands/crawl.ts'
import { requestCommand } from './commands/request.ts'
import { simulateCommand } from './commands/simulate.ts'
import { upCommand } from './commands/up.ts'
import { watchCommand } from './commands/watch.ts'
import { runProgram } from './run-program.ts'

const EXAMPLES = `
Examples:
  minga crawl https://example.org/                 gather a site into ./minga-data
  minga crawl https://example.org/docs/ --scope prefix --max-pages 500
  minga archive list                               what was captured
  minga archive get https://example.org/ > page.html
  minga archive export --wacz site.wacz            for ReplayWeb.page
  minga watch add https://example.org/news         come back when it has changed
  minga request --file urls.txt --out results.jsonl
  minga agent join https://station.example/ --token T   lend this machine to a station
  minga config show                                what a station is set to
  minga up                                         a station with a page at http://127.0.0.1:7700

Run the same crawl again to continue it. \`minga COMMAND --help\` explains each command.
`

export function main(args: string[]): Promise<number> {
  return runProgram(
    {
      name: 'minga',
      description: 'Many hands collect the web; one calm system keeps every version.',
      examples: EXAMPLES,
      commands: (program, run) => {
        crawlCommand(program, run)
        upCommand(program, run)
        requestCommand(program, run)
        watchCommand(program, run)
        archiveCommand(program, run)
        configCommand(program, run)
        agentCommand(program, run)
        simulateCommand(program, run)
      },
    },
    args,
  )
}
