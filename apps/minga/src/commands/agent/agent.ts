/** `minga agent`: this machine works for a station, and its owner looks in and pulls levers. */
import { resolve } from 'node:path'
import { readFile } from 'node:fs/promises'
import { DEFAULT_PAGE_PORT, forgetDevice, verifyRelease } from '@minga/agent'
import { Option, type Command } from 'commander'
import { isMingaError, systemClock } from '@minga/protocol'
import type { ReleaseManifest } from '@minga/protocol/agent-release'
import { append, privateOption, tokenOption, wholeNumber } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { EXIT } from '../../exit-codes.ts'
import { UnreadableFile } from '../../errors.ts'
import { join, type JoinOptions } from './join.ts'
import { addLimitOptions } from './limits.ts'
import { log, pause, resume, status, type LogOptions, type StatusOptions } from './control.ts'
import { findAgent, requireAgent, whileStopped } from './running-agent.ts'

export function agentCommand(program: Command, run: Run): void {
  const agent = program.command('agent').description('lend this machine to a station')
  agentCommands(agent, run, 'minga agent')
}

/** Also the whole of `minga-agent`, which is installed without a station's code. */
export function agentCommands(agent: Command, run: Run, name: string): void {
  const named = (examples: string): string => examples.replaceAll('minga agent', name)
  joinCommand(agent, run).addHelpText('after', named(JOIN_EXAMPLES))
  agent
    .command('status')
    .description('what it does now, why it is idle, and its limits')
    .addOption(folderOption())
    .option('--json', 'print one JSON object')
    .action(run((options: StatusOptions) => status(options)))
  agent
    .command('pause')
    .description('request and fetch nothing more, also after a restart')
    .addOption(folderOption())
    .action(run((options: { data: string }) => pause(options)))
  agent
    .command('resume')
    .description('work again')
    .addOption(folderOption())
    .action(run((options: { data: string }) => resume(options)))
  agent
    .command('log')
    .description('every address that this machine fetched, newest first')
    .addOption(folderOption())
    .option('--host <name>', 'only this host')
    .option('--limit <n>', 'lines at most', wholeNumber('--limit', 1), LOG_LINES)
    .option('--jsonl', 'one JSON object per line')
    .action(run((options: LogOptions) => log(options)))
  agent
    .command('leave')
    .description('finish the work in progress, send it, and end the running agent')
    .addOption(folderOption())
    .option('--now', 'return the work in progress instead of finishing it')
    .option('--forget', 'then revoke this device at its station and delete its key')
    .addHelpText('after', named(LEAVE_EXAMPLES))
    .action(run((options: LeaveOptions) => leave(options)))
  verifyCommand(agent, run).addHelpText('after', named(VERIFY_EXAMPLES))
}

function verifyCommand(agent: Command, run: Run): Command {
  return agent
    .command('verify')
    .argument('<file>', 'tarball of the agent')
    .description('check that a tarball of the agent is a signed release')
    .requiredOption(
      '--key <file>',
      'public key of who releases it, in PEM; may be repeated',
      append,
    )
    .option('--manifest <file>', 'its manifest, with the signature next to it (.sig)')
    .option('--minimum <version>', 'accept no version below this one', '0.0.0')
    .option('--json', 'print its manifest')
    .action(run((file: string, options: VerifyOptions) => verify(file, options)))
}

function joinCommand(agent: Command, run: Run): Command {
  const command = agent
    .command('join')
    .argument('<station>', 'address of the station')
    .description('work for a station until Ctrl-C')
    .addOption(tokenOption('join token; needed only the first time'))
    .addOption(folderOption())
    .option('--name <name>', 'how its owner sees this device (default: the host name)')
    .option(
      '--concurrency <n>',
      'requests in flight at once, instead of measuring what suits the connection',
      wholeNumber('--concurrency', 1),
    )
  return addLimitOptions(command)
    .option(
      '--page-port <n>',
      'port of its page on this machine, or the next free one; 0 for any',
      wholeNumber('--page-port'),
      DEFAULT_PAGE_PORT,
    )
    .option('--no-page', 'without its page; then no other command reaches it')
    .option('--no-sign', 'sign no request to a site, even if the station asks for it')
    .option('--load-tests', 'also simulate visitors for owners who test the capacity of their site')
    .option('--wiki-log-ins', "also send the station's log-ins to wikis (machines of the operator)")
    .addOption(privateOption())
    .action(run((station: string, options: JoinOptions) => join(station, options)))
}

const LOG_LINES = 50

function folderOption(): Option {
  return new Option('--data <dir>', "the agent's own folder").default('minga-agent')
}

const JOIN_EXAMPLES = `
Examples:
  minga agent join https://station.example/ --token minga_command…     the first time
  minga agent join https://station.example/                          from then on
  minga agent join https://station.example/ --bandwidth 1MB --monthly 20GB --hours 22:00-07:00
  minga agent join https://station.example/ --cpu 0.5 --never-host '*.example.org'
  minga agent join https://station.example/ --monthly none           lift a limit

Limits are remembered; its page, whose address is printed, shows and changes them as well.
Ctrl-C finishes what is in flight; a second one stops at once.
`

const VERIFY_EXAMPLES = `
Examples:
  minga agent verify minga-agent-1.0.0.tgz --key minga.pub
  minga agent verify new.tgz --manifest minga-agent-1.0.0.tgz.manifest.json --key minga.pub --minimum 1.0.0

The manifest and its signature (.manifest.json, .manifest.json.sig) are where the tarball is. Take the key from who
releases the agent, not from the station that serves it.
`
const LEAVE_EXAMPLES = `
Examples:
  minga agent leave                 end it; \`join\` brings it back without a token
  minga agent leave --forget        end it for good: the station refuses its key from now on
`

interface LeaveOptions {
  data: string
  now?: boolean
  forget?: boolean
}

/** `minga agent leave`: the running agent ends; with `--forget` its device is no more. */
async function leave({ data: folder, now, forget }: LeaveOptions): Promise<number> {
  const data = resolve(folder)
  const agent = forget ? await findAgent(data) : await requireAgent(data)
  if (agent !== null) {
    process.stderr.write(`minga: ${now ? 'stopping' : 'finishing the work in progress'}…\n`)
    await agent.post(now ? '/api/stop' : '/api/finish')
    await untilStopped(data)
    process.stderr.write('minga: the agent has ended.\n')
  }
  if (forget) {
    const station = await whileStopped(data, () => forgetDevice(data))
    process.stderr.write(
      station === null
        ? 'minga: no station knew this device; its key is deleted.\n'
        : `minga: ${station} refuses this device from now on; its key is deleted.\n`,
    )
  }
  return EXIT.ok
}

const LOOK_MS = 200

/** As long as it takes: Ctrl-C ends this command, and not the agent. */
async function untilStopped(data: string): Promise<void> {
  for (;;) {
    try {
      return await whileStopped(data, async () => {})
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_AGENT_WITHOUT_PAGE') throw error
    }
    await systemClock.sleep(LOOK_MS)
  }
}

interface VerifyOptions {
  key: string[]
  manifest?: string
  minimum: string
  json?: boolean
}

/** Exit code 1 and the reason when it is not. */
async function verify(file: string, options: VerifyOptions): Promise<number> {
  const { manifest: path = `${file}.manifest.json`, key, minimum, json = false } = options
  const [body, manifest, signature, ...keys] = await Promise.all(
    [file, path, `${path}.sig`, ...key].map((each) => readOrName(each)),
  )
  const release = { file: body!, manifest: manifest!, signature: signature!.toString('latin1') }
  const trust = { keys: keys.map((each) => each.toString('latin1')), minimumVersion: minimum }
  const verified = verifyRelease(release, trust)
  process.stdout.write(json ? `${JSON.stringify(verified)}\n` : sentenceOf(verified))
  return EXIT.ok
}

const sentenceOf = ({ version, file, sha256 }: ReleaseManifest): string =>
  `This is the signed ${file}, version ${version} (SHA-256 ${sha256}).\n`

async function readOrName(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}
