/** `minga up`: a station that stays, with its page, API and local agents. */
import { resolve } from 'node:path'
import { isIP } from 'node:net'
import { Option, type Command } from 'commander'
import { usePrivateUmask } from '@minga/protocol/private-files'
import type { CoordinatorSettings } from '@minga/coordinator'
import type { OpenedDemo } from '../demo/open-demo.ts'
import { EXIT } from '../exit-codes.ts'
import { Interrupts } from '../interrupts.ts'
import { BadOption, PlainListen } from '../errors.ts'
import type { Run } from '../run-program.ts'
import {
  addOwnStationOptions,
  append,
  dataOption,
  mailSettings,
  oidcSettings,
  portNumber,
  warnAboutPrivateAddresses,
  wholeNumber,
  type OwnStationOptions,
} from '../options.ts'
import { PAGE_FOLDER, playerFolder } from '../page-folders.ts'
import { startLocalStation } from '../station.ts'
import { SIGN_IN_NOTE, greeting } from '../station-address.ts'
import { readFilter } from './crawl/filter-file.ts'
import { requireReadable } from './lake/files.ts'

interface UpOptions extends OwnStationOptions, NetworkOptions {
  port: number
  agent: boolean
  workers: number
  beside?: string
  delay?: number
  /** `true`: all of it. */
  demo?: true | string
  geoip?: string
  places?: string
  routes?: string[]
  policy?: string[]
  filter?: string
  publicUrl?: string
  replayPort?: number
  replayUrl?: string
  duckdbSocket?: string
  verbose?: boolean
}

export function upCommand(program: Command, run: Run): void {
  const command = program
    .command('up')
    .description('start a station: coordinator, store, one local agent and its page')
    .addOption(dataOption())
    .addOption(
      new Option('--port <n>', 'port of the station')
        .env('MINGA_PORT')
        .default(7700)
        .argParser(portNumber('--port')),
    )
    .addOption(
      new Option(
        '--replay-port <n>',
        "port where archived pages are shown (default: the one after the station's own)",
      )
        .env('MINGA_REPLAY_PORT')
        .argParser(portNumber('--replay-port')),
    )
    .addOption(
      new Option(
        '--replay-url <url>',
        'wildcard name by which that port is reached, as in https://*.replay.example',
      ).env('MINGA_REPLAY_URL'),
    )
    .option('--no-agent', 'start no local agent')
    .addOption(workersOption())
    .addOption(besideOption())
    .option(
      '--delay <ms>',
      "pause between clients' requests to a host (default: 1000)",
      wholeNumber('--delay'),
    )
    .addOption(
      new Option('--geoip <file>', 'MaxMind DB file (.mmdb) that says where addresses are').env(
        'MINGA_GEOIP',
      ),
    )
    .option(
      '--places <file>',
      'where hosts and devices are: a name, latitude and longitude per line',
    )
    .addOption(
      new Option(
        '--routes <file>',
        'traces of routes, one per line; may be given several times',
      ).argParser(append),
    )
    .addOption(
      new Option(
        '--policy <file>',
        'a policy of your own for `watch set --policy NAME`; may be given several times',
      ).argParser(append),
    )
    .addOption(filterOption())
    .addOption(duckdbOption())
  addOwnStationOptions(addNetworkOptions(command))
    .addOption(
      new Option('--public-url <url>', 'public address of this station, with its bot page').env(
        'MINGA_PUBLIC_URL',
      ),
    )
    .addOption(demoOption())
    .option('--verbose', 'also report each change of the placement of hosts')
    .action(run((options: UpOptions) => up(options)))
}

const demoOption = (): Option =>
  new Option(
    '--demo [part]',
    'fill every screen with data of a small web on loopback (no internet needed); `web`: only collect it',
  ).choices(['web'])

function workersOption(): Option {
  return new Option('--workers <n>', 'worker processes for queries')
    .argParser(wholeNumber('--workers'))
    .default(1)
}

const filterOption = (): Option =>
  new Option('--filter <file>', 'what the station may collect (docs/routing.md)').env(
    'MINGA_FILTER',
  )

const duckdbOption = (): Option =>
  new Option(
    '--duckdb-socket <path>',
    'socket of a DuckDB service of another user (minga duckdb run), which reads files and answers SQL',
  ).env('MINGA_DUCKDB_SOCKET')

const besideOption = (): Option =>
  new Option(
    '--beside <name>',
    'a further coordinator of a station that runs: same --data and --postgres, its own name and port',
  )

/** SQLite has room for one coordinator only. */
function besideOf({ beside, postgres }: UpOptions): { beside?: string } {
  if (beside === undefined) return {}
  if (!postgres) throw new BadOption('--beside', 'a --postgres that both share', 'none')
  if (!/^[a-z][a-z0-9]{0,30}$/.test(beside) || beside === 'main') {
    throw new BadOption('--beside', 'a name of small letters and digits, not "main"', beside)
  }
  return { beside }
}

async function up(options: UpOptions): Promise<number> {
  usePrivateUmask()
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  const network = await networkSettings(options)
  const filter = options.filter === undefined ? null : await readFilter(options.filter)
  const data = resolve(options.data)
  const demo = options.demo === undefined ? null : await demoOf(options.demo, data)
  const station = await startLocalStation({
    coordinator: {
      data,
      listen: { host: options.listen, port: options.port },
      stays: true,
      ...(options.verbose ? { isVerbose: true } : {}),
      ...(options.duckdbSocket ? { duckdbSocket: resolve(options.duckdbSocket) } : {}),
      pageFolder: PAGE_FOLDER,
      replay: {
        port: options.replayPort ?? null,
        ...(options.replayUrl ? { url: options.replayUrl } : {}),
        playerFolder: playerFolder(),
      },
      allowPrivateAddresses: demo !== null || (options.allowPrivateAddresses ?? false),
      ...(options.contact ? { contact: options.contact } : {}),
      ...(options.publicUrl ? { publicUrl: options.publicUrl } : {}),
      flags: {
        ...(options.delay === undefined ? {} : { delayMs: options.delay }),
        ...(filter === null ? {} : { filter }),
      },
      resolve: [...(options.resolve ?? []), ...(demo?.web.resolve ?? [])],
      ...demo?.places,
      ...(options.geoip ? { geoipFile: resolve(options.geoip) } : {}),
      ...(options.places ? { placesFile: resolve(options.places) } : {}),
      ...(options.routes ? { routeFiles: options.routes.map((file) => resolve(file)) } : {}),
      ...(options.policy ? { policyFiles: options.policy.map((file) => resolve(file)) } : {}),
      ...(options.postgres ? { postgresUrl: options.postgres } : {}),
      ...besideOf(options),
      ...mailSettings(process.env),
      ...oidcSettings(process.env),
      ...network,
    },
    agents: options.agent ? 1 : 0,
    ...(options.workers === 0 ? {} : { workers: { count: options.workers } }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  })
  process.stdout.write(greeting(station, options.listen))
  process.stderr.write(SIGN_IN_NOTE)
  process.stderr.write(`minga: data in ${data}; Ctrl-C stops it\n`)
  const playing = (await demo?.begin(station)) ?? null
  const interrupts = new Interrupts(station.kill, EXIT.ok)
  await interrupts.first()
  process.stderr.write('minga: stopping; requests in flight are finished…\n')
  await playing?.stop()
  await station.stop()
  playing?.close()
  demo?.web.close()
  interrupts.end()
  return EXIT.ok
}

/** Read only where it is played: it is as much program as all the rest of the command. */
async function demoOf(part: true | string, data: string): Promise<OpenedDemo> {
  const { openDemo } = await import('../demo/open-demo.ts')
  return openDemo(part, data)
}

interface NetworkOptions {
  listen: string
  tlsCert?: string
  tlsKey?: string
  behindProxy?: string[]
  insecure?: boolean
}

/** How a station is reached over the network: its address, its certificate, and proxies before it. */
function addNetworkOptions(command: Command): Command {
  return command
    .option('--listen <address>', 'address to bind', '127.0.0.1')
    .option(
      '--tls-cert <file>',
      'certificate, to serve https; the local agent needs 127.0.0.1 in it',
    )
    .option('--tls-key <file>', 'its key')
    .addOption(
      new Option(
        '--behind-proxy <address>',
        'proxy that serves https for this station: its address or block, as in 127.0.0.1 or 10.0.0.0/8 (repeatable)',
      ).argParser(append),
    )
    .option('--insecure', 'allow --listen beyond this machine without https')
}

async function networkSettings(
  options: NetworkOptions,
): Promise<Pick<CoordinatorSettings, 'tls' | 'behindProxy'>> {
  const { listen, tlsCert, tlsKey, behindProxy = [], insecure = false } = options
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new BadOption('--tls-cert', 'a --tls-key with it', 'one alone')
  }
  for (const block of behindProxy) requireBlock(block)
  const isPlain = tlsCert === undefined && behindProxy.length === 0 && !insecure
  if (isPlain && !/^(127\.|\[?::1\]?$|localhost$)/.test(listen)) throw new PlainListen(listen)
  for (const file of [tlsCert, tlsKey]) if (file !== undefined) await requireReadable(file)
  return {
    ...(tlsCert && tlsKey ? { tls: { certFile: tlsCert, keyFile: tlsKey } } : {}),
    ...(behindProxy.length === 0 ? {} : { behindProxy }),
  }
}

function requireBlock(block: string): void {
  const [address = '', bits] = block.split('/')
  const most = isIP(address) === 6 ? 128 : 32
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
  if (isIP(address) !== 0 && isBits) return
  throw new BadOption('--behind-proxy', 'an address or a block such as 10.0.0.0/8', block)
}
