/** Options shared by commands. Precedence: flag > MINGA_* > default. */
import type { CoordinatorSettings } from '@minga/coordinator'
import { isLoopbackName, POLITENESS } from '@minga/protocol'
import { Option, type Command } from 'commander'
import { BadOption } from './errors.ts'

export function dataOption(): Option {
  return new Option('--data <dir>', 'folder of the station').env('MINGA_DATA').default('minga-data')
}

export function stationOption(about: string): Option {
  return new Option('--station <url>', about)
    .env('MINGA_STATION')
    .argParser(stationAddress('--station'))
}

export function insecureOption(): Option {
  return new Option('--insecure', 'send the key over plain http to another machine')
}

/** What is no address is said to be none, rather than to be a station that does not answer. */
export function stationAddress(option: string): (value: string) => string {
  return (value) => {
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new BadOption(option, 'an address such as https://station.example/', value)
    }
    return value
  }
}

/** From the environment no other user of the machine reads it; arguments are in the list of processes. */
export function tokenOption(about: string): Option {
  return new Option('--token <token>', about).env('MINGA_TOKEN')
}

/** A command by which an operator asks the station of a folder, or one elsewhere. */
export function operatorCommand(
  parent: Command,
  name: string,
  json = 'print one JSON object',
): Command {
  return parent
    .command(name)
    .addOption(dataOption())
    .addOption(stationOption('which station'))
    .addOption(insecureOption())
    .addOption(new Option('--key <key>', "an operator's API key").env('MINGA_KEY'))
    .option('--json', json)
}

/** A command on queries and tables: of the station of a folder, of one elsewhere, or of one for its own time. */
export function lakeCommand(parent: Command, name: string): Command {
  return parent
    .command(name)
    .addOption(dataOption())
    .addOption(stationOption('which station'))
    .addOption(insecureOption())
    .addOption(new Option('--key <key>', 'an API key of it').env('MINGA_KEY'))
    .addOption(new Option('--postgres <url>', 'keep the state in PostgreSQL').env('MINGA_POSTGRES'))
    .option('--json', 'print one JSON object')
}

export function privateOption(): Option {
  return new Option(
    '--allow-private-addresses',
    'also dial loopback and private addresses (tests, intranets)',
  ).env('MINGA_ALLOW_PRIVATE_ADDRESSES')
}

/** 0: any that is free. */
export const portNumber = (option: string): ((value: string) => number) =>
  wholeNumber(option, 0, 65_535)

function contactOption(): Option {
  return new Option('--contact <mail or url>', 'who to reach about this bot').env('MINGA_CONTACT')
}

function resolveOption(): Option {
  return new Option(
    '--resolve <name=address>',
    'dial this address for a name, `*.` allowed (repeatable)',
  ).argParser(append)
}

export function politenessOption(): Option {
  return new Option(
    '--politeness <policy>',
    'how the pause is chosen; all but constant may shorten it for sites that respond quickly',
  )
    .choices(POLITENESS)
    .default('constant')
}

export function minDelayOption(): Option {
  return new Option('--min-delay <ms>', 'no policy makes the pause shorter than this (least 250)')
    .argParser(wholeNumber('--min-delay', 250))
    .default(1_000)
}

export function append(value: string, former: string[] | undefined): string[] {
  return [...(former ?? []), value]
}

export function wholeNumber(
  option: string,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): (value: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least}` : `${least} to ${most}`
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new BadOption(option, `a whole number from ${range}`, value)
    }
    return number
  }
}

export function warnAboutPrivateAddresses(allowed: boolean | undefined): void {
  if (!allowed) return
  process.stderr.write(
    'minga: WARNING private and loopback addresses will be dialled (--allow-private-addresses)\n',
  )
}

/**
 * By which server a station mails. From the environment only: a password among a command's options
 * can be read by everybody on the machine, and settings are shown to those who may read them.
 */
export function mailSettings(env: NodeJS.ProcessEnv): Pick<CoordinatorSettings, 'mail'> {
  const { MINGA_SMTP_URL: smtpUrl, MINGA_MAIL_FROM: from } = env
  if (smtpUrl === undefined && from === undefined) return {}
  if (smtpUrl === undefined || !/^smtps?:\/\/./.test(smtpUrl)) {
    throw new BadOption('MINGA_SMTP_URL', 'smtp:// or smtps:// and a mail server', 'something else')
  }
  if (from === undefined || !from.includes('@')) {
    throw new BadOption('MINGA_MAIL_FROM', 'the sender, as in alerts@example.org', from ?? '')
  }
  return { mail: { smtpUrl, from } }
}

/** By which issuer people log in. Its secret is in secrets.json. */
export function oidcSettings(env: NodeJS.ProcessEnv): Pick<CoordinatorSettings, 'oidc'> {
  const { MINGA_OIDC_ISSUER: issuer, MINGA_OIDC_CLIENT_ID: clientId, MINGA_OIDC_NAME: name } = env
  if (issuer === undefined && clientId === undefined) return {}
  const url = issuer === undefined ? null : URL.parse(issuer)
  const isSafe = url?.protocol === 'https:' || (url !== null && isLoopbackHttp(url))
  if (url === null || !isSafe) {
    const wanted = 'the https address of an OpenID Connect issuer'
    throw new BadOption('MINGA_OIDC_ISSUER', wanted, issuer ?? '')
  }
  if (clientId === undefined || clientId === '') {
    throw new BadOption('MINGA_OIDC_CLIENT_ID', 'the id that the issuer gave the station', '')
  }
  return { oidc: { issuer: url.href, clientId, label: name ?? url.host } }
}

const isLoopbackHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && isLoopbackName(hostname)

/** The options of a station that a command starts for itself. */
export interface OwnStationOptions {
  data: string
  concurrency?: number
  contact?: string
  resolve?: string[]
  postgres?: string
  allowPrivateAddresses?: boolean
}

export function addOwnStationOptions(command: Command): Command {
  return command
    .option('--concurrency <n>', 'requests in flight at once', wholeNumber('--concurrency', 1))
    .addOption(contactOption())
    .addOption(resolveOption())
    .addOption(new Option('--postgres <url>', 'keep the state in PostgreSQL').env('MINGA_POSTGRES'))
    .addOption(privateOption())
}
