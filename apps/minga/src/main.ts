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
  minga status                                     what runs, and what needs attention
  minga doctor                                     what is wrong, and how to fix it
  minga events --level warning --follow            what goes wrong, as it does
  minga audit verify                               has the log of who changed what been changed
  minga station federate --found                   collect together with other stations
  minga up                                         a station with a page at http://127.0.0.1:7700

Run the same crawl again to continue it. \`minga COMMAND --help\` explains each command.
`

interface LazyCommand {
  /** The command's own description, so that the help of the program reads none of them. */
  summary: string
  load: () => Promise<AddCommand>
}

/** In the order of the help. Each is read only when it is named: all of them are a thousand files. */
export const COMMANDS: Record<string, LazyCommand> = {
  crawl: {
    summary: 'collect a site politely into a standard web archive',
    load: async () => (await import('./commands/crawl/crawl.ts')).crawlCommand,
  },
  up: {
    summary: 'start a station: coordinator, store, one local agent and its page',
    load: async () => (await import('./commands/up.ts')).upCommand,
  },
  request: {
    summary: "fetch a list of addresses through a station's agents",
    load: async () => (await import('./commands/request/request.ts')).requestCommand,
  },
  watch: {
    summary: 'watch pages and sites: see what changed, visit again at the right time',
    load: async () => (await import('./commands/watch/watch.ts')).watchCommand,
  },
  wiki: {
    summary: 'store every revision of wiki pages: extract, import, read, compare, export',
    load: async () => (await import('./commands/wiki/wiki.ts')).wikiCommand,
  },
  query: {
    summary: 'query files and tables, in parallel',
    load: async () => (await import('./commands/lake/query/query.ts')).queryCommand,
  },
  table: {
    summary: 'tables of the lake: import, list, inspect, drop',
    load: async () => (await import('./commands/lake/table/table.ts')).tableCommand,
  },
  sql: {
    summary: 'query the tables with SQL',
    load: async () => (await import('./commands/lake/sql.ts')).sqlCommand,
  },
  worker: {
    summary: 'work on the queries of a station elsewhere',
    load: async () => (await import('./commands/lake/worker.ts')).workerCommand,
  },
  duckdb: {
    summary: 'run DuckDB for a station as another user',
    load: async () => (await import('./commands/duckdb.ts')).duckdbCommand,
  },
  archive: {
    summary: 'captures: list, search, read, compare, check, repair, export and import them',
    load: async () => (await import('./commands/archive/archive.ts')).archiveCommand,
  },
  takedown: {
    summary: 'remove captures permanently, leaving tombstones; they cannot be restored',
    load: async () => (await import('./commands/takedown.ts')).takedownCommand,
  },
  share: {
    summary: 'show and set who may read a collection, a table or a wiki',
    load: async () => (await import('./commands/share.ts')).shareCommand,
  },
  config: {
    summary: 'show and change the settings of a station while it runs',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  status: {
    summary: 'show what runs at a station and what needs attention',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  doctor: {
    summary: 'check the machine and a folder: what is wrong and how to fix it',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  events: {
    summary: 'show the events of a station',
    load: async () => (await import('./commands/events.ts')).eventsCommand,
  },
  audit: {
    summary: 'show and verify who changed what at a station, in a tamper-evident log',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  agent: {
    summary: 'lend this machine to a station',
    load: async () => (await import('./commands/agent/agent.ts')).agentCommand,
  },
  partition: {
    summary: 'partition a graph into parts of equal weight with few links between them',
    load: async () => (await import('./commands/partition/partition.ts')).partitionCommand,
  },
  account: {
    summary: 'help people of a station back into their accounts',
    load: async () => (await import('./commands/account.ts')).accountCommand,
  },
  station: {
    summary: 'manage a federation of stations and show its status',
    load: async () => (await import('./commands/station/station.ts')).stationCommand,
  },
  simulate: {
    summary: 'replay experiments on the real code with virtual time',
    load: async () => (await import('./commands/simulate/simulate.ts')).simulateCommand,
  },
}

export async function main(args: string[]): Promise<number> {
  return runProgram(
    {
      name: 'minga',
      description: 'Many hands collect the web; one calm system keeps every version.',
      examples: EXAMPLES,
      commands: await commandsFor(args),
    },
    args,
  )
}

/** The one that is named; else all names, for their help or for what is nearest to a misspelt one. */
async function commandsFor([first = '', second = '']: string[]): Promise<AddCommand[]> {
  const named = COMMANDS[first === 'help' ? second : first]
  if (named !== undefined) return [await named.load()]
  return Object.entries(COMMANDS).map(([name, { summary }]) => (program) => {
    program.command(name).description(summary)
  })
}
