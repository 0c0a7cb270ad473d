/** Puts a worker together from its settings. */
import { systemClock } from '@minga/protocol/clock'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Depot } from '../kernel/depot.ts'
import { folderDepot } from '../kernel/folder-depot.ts'
import { startRowFunctions } from '../rows/row-functions.ts'
import { startHeartbeat } from './heartbeat-thread.ts'
import { httpStation, type WorkerIdentity } from './http-station.ts'
import { runWorker } from './run-worker.ts'
import type { StationAddress } from './station-calls.ts'
import { stationDepot } from './station-depot.ts'

export interface WorkerSettings {
  stationUrl: string
  token: string
  /** The lake's folder when it is on this machine; null: files come and go through the station. */
  data: string | null
  name: string
  /**
   * New with every start, so that its supervisor can report the death of this process to the
   * station.
   */
  boot?: string
  memoryMb: number
  threads: number
  /** Without the lake's folder: where files from the station are kept. */
  cacheFolder: string | null
  cacheMb?: number
  /** How long a row function may take for 2,048 rows. */
  rowFunctionMs?: number
}

const CACHE_MB = 4_096
/** A chunk of 2,048 rows takes milliseconds; a function that needs a minute never ends. */
const ROW_FUNCTION_MS = 60_000

export async function startWorker(
  settings: WorkerSettings,
  signal: AbortSignal,
  onDrained: (isDrained: boolean) => void = () => {},
): Promise<void> {
  const address: StationAddress = {
    url: settings.stationUrl.replace(/\/+$/, ''),
    token: settings.token,
  }
  const who: WorkerIdentity = {
    worker: settings.name,
    boot: settings.boot ?? randomUUID(),
    engine: engineName(),
    about: { machine: hostname(), pid: process.pid, memoryMb: settings.memoryMb },
  }
  const heartbeat = await startHeartbeat({ address, who, clock: systemClock })
  const functions = startRowFunctions({
    folder: settings.data === null ? null : path.join(settings.data, 'functions'),
    timeLimitMs: settings.rowFunctionMs ?? ROW_FUNCTION_MS,
  })
  try {
    await runWorker(
      {
        station: httpStation(address, who),
        depot: depotOf(settings, address),
        functions,
        heartbeat,
        clock: systemClock,
        random: Math.random,
        limits: { memoryMb: settings.memoryMb, threads: settings.threads },
        onDrained,
      },
      signal,
    )
  } finally {
    await functions.close()
    await heartbeat.close()
  }
}

/** DuckDB itself is loaded with the first task: a worker without one is small and starts at once. */
function engineName(): string {
  const manifest = createRequire(import.meta.url)('@duckdb/node-api/package.json') as {
    version: string
  }
  return `v${manifest.version}`
}

function depotOf(settings: WorkerSettings, address: StationAddress): Depot {
  if (settings.data !== null) return folderDepot(settings.data)
  const folder = path.resolve(settings.cacheFolder ?? '.')
  const cacheBytes = (settings.cacheMb ?? CACHE_MB) * 1024 * 1024
  return stationDepot({ address, folder, cacheBytes, clock: systemClock, random: Math.random })
}
