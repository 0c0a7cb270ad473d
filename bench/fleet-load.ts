/** The coordinator under load, and with many agents that have nothing to do. */
import { readFileSync } from 'node:fs'
import { systemClock } from '@minga/protocol'
import type { IdleReport, LoadReport } from './fleet-orders.ts'
import { startAgents } from './fleet-process.ts'
import { requireCaptured, startStation, type BenchStation } from './fleet-station.ts'

export interface LoadSize {
  requests: number
  hosts: number
  agents: number
  askMax: number
  uploadMax: number
}

export interface LoadRun extends LoadReport {
  cpuMicrosPerRequest: number
  requestsPerSecond: number
}

/** Uncounted, on hosts of their own: the code of a coordinator that has worked a while is compiled. */
const WARM_UP_SHARE = 0.2
const MICROS = 1_000_000

export async function loadRun(size: LoadSize): Promise<LoadRun> {
  const warmHosts = Math.ceil(size.hosts * WARM_UP_SHARE)
  const perHost = Math.ceil(size.requests / size.hosts)
  const urls = urlsOf({ hosts: size.hosts, perHost, firstHost: 0 }).slice(0, size.requests)
  const warmUrls = urlsOf({ hosts: warmHosts, perHost, firstHost: size.hosts })
  const station = await startStation(0)
  try {
    const { url, joinToken } = station
    const { agents: count, askMax, uploadMax } = size
    const order = { mode: 'load' as const, url, joinToken, agents: count, askMax, uploadMax }
    const agents = await startAgents<LoadReport>({ ...order, urls: [...urls, ...warmUrls] })
    try {
      await answeredBatch(station, warmUrls)
      const startedAt = systemClock.now()
      const cpuBefore = station.cpuSeconds()
      const seconds = await answeredBatch(station, urls)
      const cpuSeconds = station.cpuSeconds() - cpuBefore
      const report = await agents.report()
      // A question from before the batch waited for the client, not for the coordinator.
      const isCounted = ({ at }: { at: number }): boolean => at >= startedAt
      return {
        ...report,
        asks: report.asks.filter(isCounted),
        uploads: report.uploads.filter(isCounted),
        cpuMicrosPerRequest: (MICROS * cpuSeconds) / urls.length,
        requestsPerSecond: urls.length / seconds,
      }
    } finally {
      agents.stop()
    }
  } finally {
    await station.stop()
  }
}

/** Submits, waits and reads the results as a client; answers the seconds until the last one. */
async function answeredBatch(station: BenchStation, urls: readonly string[]): Promise<number> {
  const { id } = await station.submit(urls)
  const { createdAt, endedAt } = await station.ended(id)
  requireCaptured(await station.results(id), urls.length)
  return (endedAt! - createdAt) / 1000
}

/** Page by page over all hosts, so that every host has work from the beginning. */
function urlsOf(size: { hosts: number; perHost: number; firstHost: number }): string[] {
  return Array.from({ length: size.hosts * size.perHost }, (_, i) => {
    const page = Math.floor(i / size.hosts)
    return `http://${addressOf(size.firstHost + (i % size.hosts))}/pages/${page}`
  })
}

const LAST_OCTETS = 254
const FIRST_NETWORK = 16

/** 127.0.16.1 and on. They are never dialled. */
function addressOf(host: number): string {
  const network = FIRST_NETWORK + Math.floor(host / LAST_OCTETS)
  return `127.${network >> 8}.${network & 255}.${(host % LAST_OCTETS) + 1}`
}

export interface IdleRun extends IdleReport {
  enrolSeconds: number
  rssBeforeBytes: number
  rssPeakBytes: number
  cpuShare: number
  seconds: number
  keepsMain: boolean
}

const SAMPLE_MS = 200
/** Files of the coordinator that are not connections of agents. */
const OTHER_FILES = 500

export async function idleRun(size: { agents: number; seconds: number }): Promise<IdleRun> {
  const station = await startStation(0)
  try {
    const { url, joinToken } = station
    const rssBeforeBytes = station.rssBytes()
    const startedMs = systemClock.monotonicMs()
    const keepsMain = 2 * size.agents + OTHER_FILES <= openFilesMax()
    const order = { mode: 'idle' as const, url, joinToken, agents: size.agents, keepsMain }
    const agents = await startAgents<IdleReport>(order)
    try {
      const enrolSeconds = (systemClock.monotonicMs() - startedMs) / 1000
      const watched = await watchIdle(station, size.seconds)
      return { ...(await agents.report()), ...watched, enrolSeconds, rssBeforeBytes, keepsMain }
    } finally {
      agents.stop()
    }
  } finally {
    await station.stop()
  }
}

async function watchIdle(
  station: BenchStation,
  wantedSeconds: number,
): Promise<Pick<IdleRun, 'rssPeakBytes' | 'cpuShare' | 'seconds'>> {
  const startedMs = systemClock.monotonicMs()
  const cpuBefore = station.cpuSeconds()
  let rssPeakBytes = 0
  let seconds = 0
  while (seconds < wantedSeconds) {
    await systemClock.sleep(SAMPLE_MS)
    rssPeakBytes = Math.max(rssPeakBytes, station.rssBytes())
    seconds = (systemClock.monotonicMs() - startedMs) / 1000
  }
  return { rssPeakBytes, seconds, cpuShare: (station.cpuSeconds() - cpuBefore) / seconds }
}

/** What Node raises its own limit to. */
function openFilesMax(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8')
  return Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? 0)
}
