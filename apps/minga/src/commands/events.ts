/** `minga events`: what happened at a station, and what happens. */
import {
  EVENT_CONTEXTS,
  EVENT_LEVELS,
  type EventFilter,
  type EventPage,
  type LoggedEvent,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import type { Api } from '../api.ts'
import { operatorCommand, wholeNumber } from '../options.ts'
import type { Run } from '../run-program.ts'
import { reachApi, withApi, type StationOptions } from './reach-api.ts'

interface EventOptions
  extends StationOptions, Pick<EventFilter, 'level' | 'context' | 'text' | 'agent'> {
  limit: number
  follow?: boolean
}

const EXAMPLES = `
Examples:
  minga events                                     the last fifty
  minga events --level warning --follow            what goes wrong, as it does
  minga events --context agent --agent dev_12ab
  minga events --text robots --json | jq .subject
  minga events --station https://station.example --key "$KEY"

The oldest comes first, so that the newest stands last on the screen. Without --station the station that
serves the folder is asked, or the folder is opened.
`

export function eventsCommand(program: Command, run: Run): void {
  operatorCommand(program, 'events', 'print one JSON object per line')
    .description('show the events of a station')
    .addOption(new Option('--level <level>', 'this level and above').choices(EVENT_LEVELS))
    .addOption(new Option('--context <context>', 'what it is about').choices(EVENT_CONTEXTS))
    .option('--text <text>', 'a part of what is said')
    .option('--agent <device>', 'the id of a device')
    .option('--limit <n>', 'how many of the last ones', wholeNumber('--limit', 1), 50)
    .option('--follow', 'continue with new events, until Ctrl-C')
    .addHelpText('after', EXAMPLES)
    .action(run((options: EventOptions) => show(options)))
}

async function show(options: EventOptions): Promise<number> {
  return withApi(reachApi(options), async (api) => {
    const { limit, json = false } = options
    const { events } = await api.get<EventPage>(`/event-log?${queryOf(options)}&limit=${limit}`)
    for (const event of events.toReversed()) print(event, json)
    if (options.follow && api.url === null) {
      process.stderr.write('minga: no station serves the folder, so there are no new events\n')
    } else if (options.follow) await follow(api, options)
  })
}

function queryOf({ level, context, text, agent }: EventOptions): string {
  const asked = Object.entries({ level, context, text, agent })
  const given = asked.filter((each): each is [string, string] => !!each[1])
  return new URLSearchParams(given).toString()
}

/** Until the station ends it or the user presses Ctrl-C, which ends the process. */
async function follow(api: Api, options: EventOptions): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of await api.stream(`/event-log/stream?${queryOf(options)}`)) {
    text += decoder.decode(piece, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined) continue
      for (const event of JSON.parse(data) as LoggedEvent[]) print(event, options.json ?? false)
    }
  }
}

/** A line each: no sentence of the log holds a break or what steers a terminal. */
function print(event: LoggedEvent, isJson: boolean): void {
  const at = new Date(event.at).toISOString()
  const { level, code, subject, sentence, times, byName } = event
  const words = [at, level.padEnd(7), code, subject, sentence].filter((word) => word !== '')
  if (times > 1) words.push(`×${times}`)
  if (byName !== null) words.push(`(${byName})`)
  process.stdout.write(`${isJson ? JSON.stringify({ ...event, at }) : words.join(' ')}\n`)
}
