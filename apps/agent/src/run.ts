/** Builds an agent from its settings and runs it until the signal. */
import { createFetcher, DEFAULT_LIMITS } from '@minga/net'
import { systemClock, type Welcome } from '@minga/protocol'
import { randomInt, randomUUID } from 'node:crypto'
import { deviceFacts } from './device-facts.ts'
import { enrolHere, knownDevice, type EnrolOptions } from './enrol.ts'
import { StationRefused, StationUnreachable } from './errors.ts'
import { DEFAULT_MACHINE_LIMITS, type Machine } from './machine.ts'
import { Patience } from './patience.ts'
import { runAgent } from './pipeline.ts'
import { startRecorder } from './recorder.ts'
import { Station, type OwnDevice } from './station.ts'
import { beatFromThread } from './thread-beats.ts'

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
}

const THREADS_PER_HOST_MAX = 16
const NEVER = (): boolean => false

export async function startAgent(
  settings: AgentSettings,
  signal: AbortSignal,
  isAbandoned = NEVER,
): Promise<void> {
  const entered = await enter(settings, signal)
  if (entered === null) return
  const { station, welcome } = entered
  const { concurrency = DEFAULT_MACHINE_LIMITS.concurrency } = settings
  const fetcher = createFetcher({
    clock: systemClock,
    userAgent: welcome.userAgent,
    guard: {
      allowPrivateAddresses: settings.allowPrivateAddresses && welcome.allowPrivateAddresses,
    },
    limits: { ...DEFAULT_LIMITS, bodyBytesMax: welcome.limits.bodyBytesMax },
    // A block says how many of one host's requests are in flight; never more than this.
    connectionsPerHost: THREADS_PER_HOST_MAX,
  })
  const recorder = startRecorder()
  const machine: Machine = {
    clock: systemClock,
    fetcher,
    recorder,
    limits: { ...DEFAULT_MACHINE_LIMITS, concurrency },
    random,
    isAbandoned,
    beat: (agent, until) => beatFromThread({ ...agent, clock: systemClock }, until),
  }
  try {
    await runAgent(station, machine, signal)
  } finally {
    await Promise.all([fetcher.close(), recorder.close()])
  }
}

function random(): number {
  return randomInt(2 ** 32) / 2 ** 32
}

interface Entered {
  station: Station
  welcome: Welcome
}

async function enter(settings: AgentSettings, signal: AbortSignal): Promise<Entered | null> {
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
  const greet = async (device: OwnDevice): Promise<Entered> => {
    const station = new Station({ url, device, boot, facts })
    return { station, welcome: await station.hello(signal) }
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

/** The station may still be starting: keep knocking until it opens or we are told to stop. */
async function knock<T>(signal: AbortSignal, come: () => Promise<T>): Promise<T | null> {
  const patience = new Patience(random)
  while (!signal.aborted) {
    try {
      return await come()
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      await systemClock.sleep(patience.nextMs(), signal)
    }
  }
  return null
}
