/** The station that does a command's work: one that runs, or our own for the time of the command. */
import { readStationFile } from '@minga/coordinator/station-file'
import { isMingaError, systemClock } from '@minga/protocol'
import { resolve } from 'node:path'
import { findStation, httpApi, isStationGone, type Api } from './api.ts'
import { mailSettings, type OwnStationOptions } from './options.ts'
import { startLocalStation, startWorkers, type WorkersWanted } from './station.ts'
import { Supervisor } from './supervisor.ts'

export interface ReachedStation {
  api: Api
  /** The folder it serves; null for one that was named by its address. */
  data: string | null
  /** Ours ends with us; another command's ends with that command. */
  isOurs: boolean
  stop: () => Promise<void>
  kill: () => void
}

export interface ReachOptions extends OwnStationOptions {
  /** Between clients' requests to one host; a crawl's own delay is its collection's. */
  requestDelayMs?: number
  /** Of a station of our own. */
  agents?: number
  /** Nothing is printed by a station of our own. */
  isQuiet?: boolean
  /** Who work on queries: as many as were asked for, in a station of our own at least `own`. */
  workers?: { own: number; workers?: number; memoryMb?: number }
}

/** A station that serves the folder does the work; without one we start our own for this run. */
export async function reachStation(options: ReachOptions): Promise<ReachedStation> {
  const data = resolve(options.data)
  const running = await findStation(data)
  if (running) return withWorkers(reached(running, data), options)
  try {
    return await startOwn(data, options)
  } catch (error) {
    if (!isMingaError(error) || error.code !== 'MINGA_STORE_LOCKED') throw error
    // Its station had only just died, stood still, or came first: a caller that waits a moment is served.
    const found = await untilFound(data)
    if (found === null) throw error
    return withWorkers(reached(found, data), options)
  }
}

/** For a station that has been there; one that never was may be a command that opened the folder for itself. */
const RETURN_MS = 30_000
const ARRIVAL_MS = 2_000

async function untilFound(data: string): Promise<Api | null> {
  const patienceMs = (await readStationFile(data)) === null ? ARRIVAL_MS : RETURN_MS
  const until = systemClock.monotonicMs() + patienceMs
  for (;;) {
    const found = await findStation(data)
    if (found !== null || systemClock.monotonicMs() > until) return found
    await systemClock.sleep(POLL_MS)
  }
}

async function startOwn(data: string, options: ReachOptions): Promise<ReachedStation> {
  const station = await startLocalStation({
    coordinator: {
      data,
      listen: { host: '127.0.0.1', port: 0 },
      allowPrivateAddresses: options.allowPrivateAddresses ?? false,
      ...(options.contact ? { contact: options.contact } : {}),
      ...(options.resolve ? { resolve: options.resolve } : {}),
      ...(options.postgres ? { postgresUrl: options.postgres } : {}),
      ...mailSettings(process.env),
      ...(options.requestDelayMs === undefined
        ? {}
        : { flags: { delayMs: options.requestDelayMs } }),
    },
    agents: options.agents ?? 1,
    isQuiet: options.isQuiet ?? false,
    ...(options.workers === undefined ? {} : { workers: wanted(options.workers) }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  })
  const api = httpApi(station.url, station.apiKey)
  return { api, data, isOurs: true, stop: station.stop, kill: station.kill }
}

function wanted({ own, workers, memoryMb }: NonNullable<ReachOptions['workers']>): WorkersWanted {
  return { count: workers ?? own, ...(memoryMb === undefined ? {} : { memoryMb }) }
}

/** A station that runs has its own workers; those requested by number are added to them. */
async function withWorkers(
  station: ReachedStation,
  { data, workers }: ReachOptions,
): Promise<ReachedStation> {
  if (workers?.workers === undefined) return station
  const folder = resolve(data)
  const file = await readStationFile(folder)
  if (file?.workerToken === undefined) return station
  const supervisor = new Supervisor(folder)
  const facts = { url: file.url, token: file.workerToken, data: folder }
  startWorkers(supervisor, wanted(workers), async () => facts)
  return { ...station, stop: () => supervisor.stop(), kill: () => supervisor.kill() }
}

/** We never stop a station that we did not start. */
export function reached(api: Api, data: string | null = null): ReachedStation {
  return { api, data, isOurs: false, stop: async () => {}, kill: () => {} }
}

/** Does the work through a station; when it was another command's and ended, through the next. */
export async function throughStation<R>(
  reach: () => Promise<ReachedStation>,
  work: (station: ReachedStation) => Promise<R>,
): Promise<R> {
  for (;;) {
    const station = await reach()
    try {
      return await work(station)
    } catch (error) {
      if (station.isOurs || station.data === null || !isAway(error)) throw error
    }
  }
}

/** A coordinator that was killed is back within seconds; one that is away longer is gone. */
const PATIENCE_MS = 60_000
const POLL_MS = 200

/** Repeats a call while the station is away, until the signal: asking twice changes nothing. */
export async function patiently<T>(
  station: ReachedStation,
  call: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const until = systemClock.monotonicMs() + PATIENCE_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isAway(error) || systemClock.monotonicMs() > until || signal?.aborted) throw error
      const { isOurs, data, api } = station
      if (!isOurs && data !== null && (await isStationGone(data, api))) throw error
      await systemClock.sleep(POLL_MS, signal)
    }
  }
}

function isAway(error: unknown): boolean {
  return isMingaError(error) && error.code === 'MINGA_STATION_UNREACHABLE'
}
