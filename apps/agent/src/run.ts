/** Builds an agent from its settings and runs it until the signal. */
import { randomInt, randomUUID } from 'node:crypto'
import {
  DEFAULT_LIMITS,
  createFetcher,
  type FetchLimits,
  type Fetcher,
  type FetcherOptions,
} from '@minga/net/fetch'
import {
  LOAD_MOST,
  systemClock,
  type DeviceKeys,
  type LoadPart,
  type Welcome,
} from '@minga/protocol'
import { AGENT_BACKOFF, Backoff } from '@minga/protocol/backoff'
import type { AgentControl } from './owner/control.ts'
import { deviceFacts } from './station/device-facts.ts'
import { enrolHere, knownDevice, type EnrolOptions } from './station/enrol.ts'
import { BadStationAnswer, StationRefused, StationUnreachable } from './errors.ts'
import { THREADS_PER_HOST_MAX } from './fetch/fetch-host.ts'
import { createLentFetcher, type OwnNetworks } from './owner/own-networks.ts'
import { runLoadPart } from './load-test/run-load-part.ts'
import { DEFAULT_MACHINE_LIMITS, type Machine } from './fetch/machine.ts'
import { runAgent } from './pipeline.ts'
import { startRecorder } from './record/recorder.ts'
import type { OwnerHooks } from './owner/owner-hooks.ts'
import { HostFloor } from './owner/limits/host-floor.ts'
import type { Power } from './system/os.ts'
import { openSigningKey, shownKey, signingHeaders } from './station/signing-key.ts'
import { StationClient, type OwnDevice } from './station/station-client.ts'
import { beatFromThread } from './station/thread-beats.ts'
import { Volunteer, type VolunteerSettings } from './owner/volunteer.ts'
import { readDataFile, replaceDataFile } from './system/data-folder.ts'

export interface AgentSettings {
  stationUrl: string
  /** By what the device remembers its station; its address, unless that changes at every start. */
  station?: string
  /** The join token; needed only until the station knows this device. */
  token?: string
  /** The agent's own folder: it holds the device's key. */
  data: string
  name?: string
  concurrency?: number
  /** Both sides must agree before a private address is dialled: this machine and the station. */
  allowPrivateAddresses: boolean
  /** Sign requests to sites, if the station wants it; true unless said otherwise. */
  signRequests?: boolean
  /** From which of this machine's addresses sites are dialled, where it has several. */
  localAddress?: string
  /** Whether it plays visitors of sites whose owners test them; a lent machine only if its owner
   * said so here. */
  loadTests?: boolean
  /** Whether it sends the log-ins that wikis gave the station; a lent machine only if its owner, who
   * then is the operator as well, said so here. */
  wikiLogIns?: boolean
  /**
   * The machine is lent by a volunteer: it keeps their limits, tunes itself within them and writes
   * down what it did. A station's own agents do without.
   */
  volunteer?: VolunteerSettings
}

/** What cannot be written down as settings. */
export interface AgentCompanions {
  /** Whether who started us is gone. */
  isAbandoned?: () => boolean
  /** A volunteer's agent can be seen and steered from now on, also while its station is away. */
  onReady?: (control: AgentControl) => void | Promise<void>
  /** Reads power supply and line where the agent's own process may start no program for it. */
  power?: () => Promise<Power>
}

export async function startAgent(
  settings: AgentSettings,
  signal: AbortSignal,
  companions: AgentCompanions = {},
): Promise<void> {
  if (settings.volunteer === undefined) return work(settings, { signal, ...companions })
  const volunteer = await Volunteer.open({
    ...settings.volunteer,
    data: settings.data,
    station: settings.stationUrl,
    name: settings.name ?? deviceFacts().hostName,
    concurrency: settings.concurrency ?? null,
    clock: systemClock,
    complain,
    ...(companions.power ? { power: companions.power } : {}),
  })
  const { control, networks } = volunteer
  // The page shows that it is finishing, whichever side requested it.
  signal.addEventListener('abort', () => control.finish(), { once: true })
  const over = new AbortController()
  const house = volunteer.keepHouse(over.signal)
  try {
    await companions.onReady?.(control)
    const stop = AbortSignal.any([signal, control.finishing])
    await work(settings, { ...companions, signal: stop, ownerHooks: control, networks })
  } finally {
    over.abort()
    await house
    await volunteer.close()
  }
}

function complain(line: string): void {
  process.stderr.write(`minga agent: ${line}\n`)
}

interface Working extends AgentCompanions {
  signal: AbortSignal
  /** Both are there when the machine is lent. */
  ownerHooks?: OwnerHooks
  networks?: OwnNetworks
}

async function work(settings: AgentSettings, working: Working): Promise<void> {
  const { signal, ownerHooks, networks, isAbandoned = () => false } = working
  const entered = await enter(settings, signal, networks)
  if (entered === null) return
  const { station } = entered
  const { concurrency = DEFAULT_MACHINE_LIMITS.concurrency } = settings
  const fetching = fetcherOptions(settings, entered, ownerHooks)
  // Who lets private addresses be dialled has opened this network on purpose, to a station that is trusted.
  const closed = fetching.guard.allowPrivateAddresses ? undefined : networks
  const openFetcher = (options: FetcherOptions): Fetcher => {
    const fetcher = createFetcher(options)
    return closed ? createLentFetcher(fetcher, { clock: systemClock, networks: closed }) : fetcher
  }
  const fetcher = openFetcher(fetching)
  const withPrivate = fetching.guard.allowPrivateAddresses ?? false
  const ownAddresses = (): string[] => networks?.shownAddresses({ withPrivate }) ?? []
  const recorder = startRecorder({ ownAddresses })
  const machine: Machine = {
    clock: systemClock,
    fetcher,
    recorder,
    limits: { ...DEFAULT_MACHINE_LIMITS, concurrency },
    random,
    isAbandoned,
    complain,
    ...(ownerHooks ? { ownerHooks } : {}),
    refusesLogIns: ownerHooks !== undefined && settings.wikiLogIns !== true,
    ...(closed ? { hostFloor: new HostFloor(systemClock) } : {}),
    beat: (agent, until) => beatFromThread({ ...agent, clock: systemClock }, until),
    bearLoad: (part, until) =>
      runLoadPart(
        {
          clock: systemClock,
          random,
          isAbandoned,
          isAllowed: settings.loadTests ?? ownerHooks === undefined,
          ...(ownerHooks ? { ownerHooks } : {}),
          openFetcher: () => openFetcher(loadFetcherOptions(fetching, part)),
          report: (test, report, signalOfReport) =>
            station.reportLoad(test, report, signalOfReport),
        },
        part,
        until,
      ),
  }
  try {
    await runAgent(station, machine, signal)
  } finally {
    await Promise.all([fetcher.close(), recorder.close()])
  }
}

function fetcherOptions(
  settings: AgentSettings,
  { welcome, keys }: Entered,
  ownerHooks: OwnerHooks | undefined,
): FetcherOptions {
  const { signatureAgent } = welcome
  return {
    clock: systemClock,
    userAgent: welcome.userAgent,
    guard: {
      allowPrivateAddresses: settings.allowPrivateAddresses && welcome.allowPrivateAddresses,
    },
    limits: {
      ...DEFAULT_LIMITS,
      ...(ownerHooks ? lentBodies(welcome) : { bodyBytesMax: welcome.limits.bodyBytesMax }),
    },
    // A block says how many of one host's requests are in flight; never more than this.
    connectionsPerHost: THREADS_PER_HOST_MAX,
    // The volunteer's router has to remember each connection: at rest there are no more than may be
    // at work.
    ...(ownerHooks ? { connectionsMax: ownerHooks.concurrencyMax } : {}),
    ...(settings.localAddress ? { localAddress: settings.localAddress } : {}),
    ...(keys && signatureAgent
      ? { headersFor: signingHeaders(keys, signatureAgent, systemClock) }
      : {}),
  }
}

/** The largest body that a lent machine takes in, whatever its station wants. */
const LENT_BODY_BYTES_MAX = 64 * 1024 * 1024
/** And all together: 4 MiB for each of 64 requests in flight. Beyond it bodies are cut, which only a
 * station that wants to use up the memory of its volunteers brings about. */
const LENT_BODIES_BYTES_MAX = 256 * 1024 * 1024

function lentBodies({ limits }: Welcome): Pick<FetchLimits, 'bodyBytesMax' | 'bodiesBytesMax'> {
  const bodyBytesMax = Math.min(limits.bodyBytesMax, LENT_BODY_BYTES_MAX)
  return { bodyBytesMax, bodiesBytesMax: LENT_BODIES_BYTES_MAX }
}

function random(): number {
  return randomInt(2 ** 32) / 2 ** 32
}

interface Entered {
  station: StationClient
  welcome: Welcome
  /** For requests to sites; null when they are not to be signed. */
  keys: DeviceKeys | null
}

async function enter(
  settings: AgentSettings,
  signal: AbortSignal,
  networks: OwnNetworks | undefined,
): Promise<Entered | null> {
  const facts = deviceFacts()
  const url = settings.stationUrl.replace(/\/+$/, '')
  const options: EnrolOptions = {
    url,
    station: settings.station ?? url,
    data: settings.data,
    name: settings.name ?? facts.hostName,
    facts,
    ...(settings.token === undefined ? {} : { token: settings.token }),
  }
  const boot = randomUUID()
  const endedBoot = await succeed(settings.data, boot)
  const former = endedBoot === null ? {} : { endedBoot }
  const keys =
    settings.signRequests === false ? null : await openSigningKey(settings.data, systemClock)
  const signing =
    keys === null ? {} : { signingFor: (agent: string) => shownKey(keys, agent, systemClock) }
  const greet = async (device: OwnDevice): Promise<Entered> => {
    const onSeen = (address: string): void => networks?.addSeenAddress(address)
    const station = new StationClient({ url, device, boot, facts, onSeen, ...former, ...signing })
    return { station, welcome: await station.hello(signal), keys }
  }
  return knock(signal, async () => {
    try {
      return await greet(await knownDevice(options, signal))
    } catch (error) {
      const isForgotten = error instanceof StationRefused && FORGOTTEN.test(error.reason)
      if (!isForgotten) throw error
      return greet(await enrolHere(options, signal))
    }
  })
}

const FORGOTTEN = /\bMINGA_UNKNOWN_DEVICE\b/

/** The station may still be starting: try again until it answers or the agent is stopped. */
async function knock<T>(signal: AbortSignal, come: () => Promise<T>): Promise<T | null> {
  const backoff = new Backoff(AGENT_BACKOFF, random)
  while (!signal.aborted) {
    try {
      return await come()
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      if (error instanceof BadStationAnswer) complain(error.message)
      await systemClock.sleep(backoff.nextMs(), signal)
    }
  }
  return null
}

const BOOT_FILE = 'boot'
const BOOT = /^[\w-]{8,100}$/

/**
 * Which run used this folder before. A folder has one agent at a time (a volunteer's by its lock, a
 * station's own by the supervisor, which starts the next when the last has ended), so the current
 * run knows that the former one is over, and notifies the station. A copy of the folder on another
 * machine knows nothing of the runs since: there the station waits until they must have stopped.
 * Notes this run; answers the one before it, null when there was none.
 */
export async function succeed(data: string, boot: string): Promise<string | null> {
  const former = (await readDataFile(data, BOOT_FILE))?.trim() ?? ''
  await replaceDataFile(data, BOOT_FILE, `${boot}\n`)
  return BOOT.test(former) ? former : null
}

/** Larger answers are cut: they say more about the line than about the site. */
const LOAD_BODY_BYTES_MAX = 8 * 1024 * 1024

/** How visitors of a load test fetch: as all of this agent's requests, within limits of their own. */
function loadFetcherOptions(usual: FetcherOptions, part: LoadPart): FetcherOptions {
  const { answerMsMax } = part
  return {
    ...usual,
    limits: {
      ...usual.limits,
      bodyBytesMax: LOAD_BODY_BYTES_MAX,
      connectMs: Math.min(usual.limits.connectMs, answerMsMax),
      firstByteMs: answerMsMax,
      idleMs: answerMsMax,
      totalMs: answerMsMax,
    },
    // Each visitor has a browser of their own.
    connectionsPerHost: LOAD_MOST.visitors,
    connectionsMax: LOAD_MOST.visitors,
  }
}
