/** `minga station`: how a station collects together with others. */
import { readFile } from 'node:fs/promises'
import {
  ROUTING_MODES,
  type FederationStatus,
  type HostOwner,
  type HostReset,
  type RoutingMode,
} from '@minga/protocol'
import { Option, type Command } from 'commander'
import { BadOption, StationNotRunning, UnreadableFile } from '../../errors.ts'
import { operatorCommand, tokenOption } from '../../options.ts'
import type { Run } from '../../run-program.ts'
import { findApi, reachApi, withApi, type StationOptions } from '../reach-api.ts'
import { rotateCommand } from './rotate.ts'

interface StatusOptions extends StationOptions {
  host?: string
}

interface FederateOptions extends StationOptions {
  found?: boolean
  token?: string
  name?: string
  capacity?: number
  branch?: string
  ca?: string
  invite?: boolean
  promote?: boolean
  confirm?: string
  reject?: string
  leave?: boolean
  replan?: boolean
  mode?: RoutingMode
}

const EXAMPLES = `
Examples:
  minga station federate --found --name Lima          this station is the first of a federation
  minga station federate --invite                     a token for one more station, good for a day
  minga station federate https://lima.example --token T --name Quito
  minga station federate https://lima.example --token T --branch pt/lisbon
                                                      it stands in a federation of its own inside
  minga station federate https://10.0.0.1:7700 --token T --ca lima.pem
                                                      its certificate is signed by nobody known
  minga station status                                who is in it, who may dial, what is on its way
  minga station status --host example.org             which station collects it, since when and why
  minga station federate --promote                    the registrar is lost: this station takes over
  minga station federate --confirm Quito              Quito was promoted: this station follows it
  minga station federate --leave                      hand over everything and collect alone again
  minga station reset-host example.org                end the pause of a host that waits too long
  minga station sign-in                               an address that signs in one browser, once
  minga station rotate                                replace the secrets of a station that is stopped

The station has to run (\`minga up\`) at an address that the others reach over https; \`up --public-url\`
says which. docs/federation.md explains what is guaranteed, and what to do when a station is lost.
`

export function stationCommand(program: Command, run: Run): void {
  const station = program
    .command('station')
    .description('manage a federation of stations and show its status')
    .addHelpText('after', EXAMPLES)
  const command = (name: string, description: string): Command =>
    operatorCommand(station, name).description(description).addHelpText('after', EXAMPLES)
  rotateCommand(station, run)
  command(
    'sign-in',
    'print an address that signs in one browser, once and within 15 minutes',
  ).action(run((options: StationOptions) => signIn(options)))
  command('status', 'the federation of this station, if it is in one')
    .option('--host <host>', 'which station this host belongs to, since when and why')
    .action(run((options: StatusOptions) => showStatus(options)))
  command('reset-host', 'reset the backoff of a host, so that it may be contacted again at once')
    .argument('<host>', 'as in example.org or example.org:8080')
    .action(run((host: string, options: StationOptions) => resetHost(host, options)))
  command('federate', 'create a federation, join one, or change it')
    .argument('[url]', 'a station of the federation to join')
    .option('--found', 'create a federation with this station as its registrar')
    .addOption(tokenOption('the invitation to join with'))
    .option('--name <name>', 'name of this station for the others')
    .addOption(
      new Option(
        '--capacity <n>',
        'its share compared with the others (default: its agents)',
      ).argParser(capacityIn),
    )
    .option('--branch <names>', 'its branch among the others, as in pt/lisbon')
    .option('--ca <file>', "certificate (PEM) that the registrar's is signed by")
    .option('--invite', 'print a token for one more station')
    .option('--promote', 'make this station the registrar when the former one is lost')
    .option('--confirm <station>', 'follow a promoted station that `status` names')
    .option('--reject <station>', 'stop following it, and receive no more of its events')
    .option('--leave', 'hand over everything and collect alone')
    .option('--replan', 'assign the hosts again')
    .addOption(
      new Option(
        '--mode <mode>',
        'URLs of hosts without an owner are routed by hash, or held',
      ).choices(ROUTING_MODES),
    )
    .action(run((url: string | undefined, options: FederateOptions) => federate(url, options)))
}

function capacityIn(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !(number >= 0 && number < Infinity)) {
    throw new BadOption('--capacity', 'a number from 0', text)
  }
  return number
}

async function showStatus(options: StatusOptions): Promise<number> {
  const api = await reachApi(options)
  const { host, json } = options
  return withApi(api, async () => {
    if (host === undefined) return show(await api.get<FederationStatus>('/federation'), options)
    const path = `/federation/host?host=${encodeURIComponent(host)}`
    const owner = await api.get<HostOwner>(path)
    print(json ? JSON.stringify(owner) : owner.sentence)
  })
}

async function resetHost(host: string, options: StationOptions): Promise<number> {
  const api = await reachApi(options)
  return withApi(api, async () => {
    const reset = await api.post<HostReset>('/hosts/reset', { host })
    print(options.json ? JSON.stringify(reset) : resetText(reset))
  })
}

function resetText({ host, waitedUntil, backoffMs }: HostReset): string {
  const until =
    waitedUntil === 0 ? 'was never contacted' : `was to wait until ${timeText(waitedUntil)}`
  return `${host} may be contacted again. It ${until}, with a back-off of ${Math.round(backoffMs / 1_000)} s.`
}

function timeText(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? 'an impossible time' : date.toISOString()
}

async function signIn(options: StationOptions): Promise<number> {
  const api = await findApi(options)
  if (api === null) throw new StationNotRunning(options.data)
  return withApi(api, async () => {
    const { token, expiresAt } = await api.post<SignInLink>('/sign-in-links', {})
    const address = `${api.url}/#sign-in=${token}`
    if (options.json) return print(JSON.stringify({ url: address, expiresAt }))
    process.stderr.write(`minga: good once, until ${new Date(expiresAt).toISOString()}\n`)
    print(address)
  })
}

async function federate(url: string | undefined, options: FederateOptions): Promise<number> {
  const wish = await wishIn(url, options)
  const api = await findApi(options)
  if (api === null) throw new StationNotRunning(options.data)
  return withApi(api, async () => {
    const answer = await api.post<FederationStatus | Invitation>(
      `/federation/${wish.act}`,
      wish.body,
    )
    if ('token' in answer) showInvitation(answer, options)
    else show(answer, options)
  })
}

interface SignInLink {
  token: string
  expiresAt: number
}

interface Wish {
  act: string
  body: object
}

/** Exactly one thing is done at a time: a forgotten option must not do another. */
async function wishIn(url: string | undefined, options: FederateOptions): Promise<Wish> {
  const { found, invite, promote, confirm, reject, leave, replan, mode, token } = options
  const { name = null, capacity = null, branch = null, ca } = options
  const own = { name, capacity, branch }
  const wishes: (Wish | false)[] = [
    url !== undefined && {
      act: 'join',
      body: { url, token, ...own, ca: ca === undefined ? null : await readText(ca) },
    },
    found === true && { act: 'found', body: own },
    invite === true && { act: 'invite', body: {} },
    promote === true && { act: 'promote', body: {} },
    confirm !== undefined && { act: 'confirm', body: { station: confirm } },
    reject !== undefined && { act: 'reject', body: { station: reject } },
    leave === true && { act: 'leave', body: {} },
    replan === true && { act: 'replan', body: {} },
    mode !== undefined && { act: 'mode', body: { mode } },
    branch !== null && url === undefined && found !== true && { act: 'branch', body: { branch } },
  ]
  const [wish, ...others] = wishes.filter((one) => one !== false)
  if (wish === undefined || others.length > 0) {
    const said = wish === undefined ? 'nothing' : 'several'
    throw new BadOption(
      'station federate',
      'one of URL --token, --found, --invite, --promote, --confirm, --reject, --leave, --replan, --mode, --branch',
      said,
    )
  }
  if (url !== undefined && token === undefined) {
    throw new BadOption('station federate URL', 'the invitation with --token', 'none')
  }
  return wish
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}

interface Invitation {
  token: string
  expiresAt: number
  url: string
}

function showInvitation(invitation: Invitation, { json }: StationOptions): void {
  if (json) return print(JSON.stringify(invitation))
  const { token, expiresAt, url } = invitation
  process.stderr.write(`minga: good for one station until ${new Date(expiresAt).toISOString()}\n`)
  print(`minga station federate ${url} --token ${token}`)
}

function show(now: FederationStatus, { json }: StationOptions): void {
  print(json ? JSON.stringify(now) : statusText(now))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

type Federated = Extract<FederationStatus, { isFederated: true }>

const NAME_WIDTH = 20
const STATE_WIDTH = 8

/** The federation of a station in plain words. */
function statusText(status: FederationStatus): string {
  if (!status.isFederated) return 'This station collects alone.'
  return [...headLines(status), ...status.stations.map((station) => lineOf(station, status))].join(
    '\n',
  )
}

function headLines(status: Federated): string[] {
  const { role, term, epoch, mode, owned, held, handovers, kept, exchange } = status
  const waiting = Object.values(status.outbox).reduce((sum, rows) => sum + rows, 0)
  const right = status.mayDial
    ? `may dial for ${(status.leaseLeftMs / 1_000).toFixed(1)} s more`
    : 'may not dial: the registrar has not renewed its right'
  return [
    `${role} of term ${term}, map ${epoch}, mode ${mode}; ${right}`,
    ...promotionLines(status),
    `hosts: ${owned} owned, ${held} held, ${handovers} to be handed over`,
    `exchange: ${waiting} rows wait, ${exchange.rows} sent in ${exchange.batches} batches, ${exchange.received} received; ${kept} batches of journals kept`,
  ]
}

function promotionLines({ promotion }: Federated): string[] {
  if (promotion === null) return []
  const { name, term } = promotion
  return [
    `${name} was promoted to registrar (term ${term}) and is not followed until you decide: minga station federate --confirm ${name}, or --reject ${name}`,
  ]
}

function lineOf(station: Federated['stations'][number], status: Federated): string {
  const { id, name, branch, state, capacity, url, keeper } = station
  const marks = [
    branch !== '' && `in ${branch}`,
    id === status.id && 'this station',
    id === status.registrar && 'registrar',
    keeper === status.id && 'its journal is kept here',
  ].filter((mark) => mark !== false)
  const rows = status.outbox[id] ?? 0
  const notes = [...marks, ...(rows > 0 ? [`${rows} rows wait for it`] : [])].join(', ')
  const columns = [name.padEnd(NAME_WIDTH), state.padEnd(STATE_WIDTH), `capacity ${capacity}`, url]
  return `  ${columns.join(' ')}${notes === '' ? '' : ` (${notes})`}`
}
