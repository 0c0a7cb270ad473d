/** `minga`: reads the arguments, runs one command, answers its exit code. */
import { runProgram, type AddCommand } from './run-program.ts'

const EXAMPLES = `
Examples:
  minga crawl https://example.org/                 gather a site into ./minga-data
  minga crawl https://example.org/docs/ --scope prefix --max-pages 500
  minga archive list                               what was captured
  minga archive get https://example.org/ > page.html
  minga archive export --wacz site.wacz            for ReplayWeb.page
  minga watch add https://example.org/news         come back when it has changed
  minga wiki add https://en.wikipedia.org/wiki/Minga --wait   every revision of a page
  minga query run books-1 --input books=books_data.csv   ask a file, in parallel
  minga sql "SELECT host, count(*) FROM captures GROUP BY host"
  minga request --file urls.txt --out results.jsonl
  minga agent join https://station.example/ --token T   lend this machine to a station
  minga partition hosts.graph -k 8 --out hosts.parts   who fetches what
  minga config show                                what a station is set to
  minga events --level warning --follow            what goes wrong, as it does
  minga station federate --found                   collect together with other stations
  minga up                                         a station with a page at http://127.0.0.1:7700

Run the same crawl again to continue it. \`minga COMMAND --help\` explains each command.
`

/** In the order of the help. Each is read only when it is named: all of them are a thousand files. */
const COMMANDS: Record<string, () => Promise<AddCommand>> = {
  crawl: async () => (await import('./commands/crawl.ts')).crawlCommand,
  up: async () => (await import('./commands/up.ts')).upCommand,
  request: async () => (await import('./commands/request.ts')).requestCommand,
  watch: async () => (await import('./commands/watch.ts')).watchCommand,
  wiki: async () => (await import('./commands/wiki.ts')).wikiCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  table: async () => (await import('./commands/table.ts')).tableCommand,
  sql: async () => (await import('./commands/sql.ts')).sqlCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  archive: async () => (await import('./commands/archive.ts')).archiveCommand,
  takedown: async () => (await import('./commands/takedown.ts')).takedownCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  events: async () => (await import('./commands/events.ts')).eventsCommand,
  agent: async () => (await import('./commands/agent.ts')).agentCommand,
  partition: async () => (await import('./commands/partition.ts')).partitionCommand,
  station: async () => (await import('./commands/station.ts')).stationCommand,
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand,
}

export async function main(args: string[]): Promise<number> {
  const wanted = commandsFor(args[0] ?? '')
  const commands = await Promise.all(wanted.map((load) => load()))
  return runProgram(
    {
      name: 'minga',
      description: 'Many hands collect the web; one calm system keeps every version.',
      examples: EXAMPLES,
      commands,
    },
    args,
  )
}

/** All of them where one could have been meant: their help, or what is nearest to a misspelt one. */
function commandsFor(name: string): (() => Promise<AddCommand>)[] {
  if (name === '--version' || name === '-V') return []
  const named = COMMANDS[name]
  return named === undefined ? Object.values(COMMANDS) : [named]
}
