/** `minga agent`: this machine works for a station. */
import { startAgent, type AgentSettings } from '@minga/agent'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { Interrupts } from '../interrupts.ts'
import type { Run } from '../main.ts'
import { privateOption, warnAboutPrivateAddresses, wholeNumber } from '../options.ts'
import { BadOption } from '../errors.ts'
import { writeProcesses } from '../processes.ts'

interface JoinOptions {
  token?: string
  data: string
  name?: string
  concurrency?: number
  allowPrivateAddresses?: boolean
}

export function agentCommand(program: Command, run: Run): void {
  const agent = program.command('agent').description('lend this machine to a station')
  agent
    .command('join')
    .argument('<station>', 'address of the station')
    .description('work for a station until Ctrl-C')
    .option('--token <token>', 'join token; needed only the first time')
    .option('--data <dir>', "the agent's own folder", 'minga-agent')
    .option('--name <name>', 'how its owner sees this device (default: the host name)')
    .option('--concurrency <n>', 'requests in flight at once', wholeNumber('--concurrency', 1))
    .addOption(privateOption())
    .addHelpText('after', JOIN_EXAMPLES)
    .action(run((station: string, options: JoinOptions) => join(station, options)))
}

const JOIN_EXAMPLES = `
Examples:
  minga agent join https://station.example/ --token minga_join_…     the first time
  minga agent join https://station.example/                          from then on

Ctrl-C finishes what is in flight; a second one stops at once.
`

async function join(station: string, options: JoinOptions): Promise<number> {
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  const data = resolve(options.data)
  const settings: AgentSettings = {
    stationUrl: addressOf(station),
    data,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  }
  await writeProcesses(data, [{ pid: process.pid, role: 'agent' }])
  const interrupts = new Interrupts(() => {})
  interrupts.signal.addEventListener('abort', () =>
    process.stderr.write('minga: stopping, what is in flight is finished …\n'),
  )
  try {
    await startAgent(settings, interrupts.signal)
    return EXIT.ok
  } finally {
    interrupts.end()
    await writeProcesses(data, [])
  }
}

function addressOf(station: string): string {
  const url = URL.parse(station)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new BadOption('STATION', 'an address such as https://station.example/', station)
  }
  return url.href
}
