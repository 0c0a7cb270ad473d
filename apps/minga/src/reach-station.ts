/** The station that does a command's work: one that runs, or our own for the time of the command. */
import { isMingaError, systemClock } from '@minga/protocol'
import { resolve } from 'node:path'
import { findStation, httpApi, isStationStopped, type Api } from './api.ts'
import { mailSettings, type OwnStationOptions } from './options.ts'
import { startLocalStation } from './station.ts'

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
}

/** A station that serves the folder does the work; without one we start our own for this run. */
export async function reachStation(options: ReachOptions): Promise<ReachedStation> {
  const data = resolve(options.data)
  const running = await findStation(data)
  if (running) return reached(running, data)
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
    agents: 1,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  })
  const api = httpApi(station.url, station.apiKey)
  return { api, data, isOurs: true, stop: station.stop, kill: station.kill }
}

/** Somebody else's station is never stopped by us. */
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

/** Repeats a call while the station is away: asking twice changes nothing. */
export async function patiently<T>(station: ReachedStation, call: () => Promise<T>): Promise<T> {
  const until = systemClock.monotonicMs() + PATIENCE_MS
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isAway(error) || systemClock.monotonicMs() > until) throw error
      if (!station.isOurs && station.data !== null && (await isStationStopped(station.data))) {
        throw error
      }
      await systemClock.sleep(POLL_MS)
    }
  }
}

function isAway(error: unknown): boolean {
  return isMingaError(error) && error.code === 'MINGA_STATION_UNREACHABLE'
}
