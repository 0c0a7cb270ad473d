/** A station of our own: a coordinator and, if wanted, local agents and workers, supervised. */
import type { AgentSettings } from '@minga/agent'
import type { CoordinatorSettings } from '@minga/coordinator'
import type { WorkerSettings } from '@minga/lake'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Reported } from './errors.ts'
import { isNoted, throughChannel } from './notes-channel.ts'
import { requireFolder } from './output-place.ts'
import { Supervisor } from './supervisor.ts'
import { tellEnded } from './tell-ended.ts'
import { workerFolder } from './worker-folders.ts'

export interface LocalStationOptions {
  coordinator: CoordinatorSettings
  agents: number
  concurrency?: number
  workers?: WorkersWanted
}

export interface WorkersWanted {
  count: number
  /** That a task may use before it writes to disk. */
  memoryMb?: number
}

export interface LocalStation {
  url: string
  apiKey: string
  joinToken: string
  workerToken: string
  /** One more agent of this machine, supervised like the station's own. */
  startAgent: (settings: AgentSettings) => void
  stop: () => Promise<void>
  kill: () => void
}

/** It holds little and passes much on: with 8 MB a twentieth more of its time goes to collecting
 * garbage, with more than 32 it only grows. */
const COORDINATOR_FLAGS = ['--max-semi-space-size=32']

/** Enough to sort a unit of the largest inputs in memory; with its process it stays below 1 GB. */
const WORKER_MEMORY_MB = 512

interface Greeting {
  url: string
  tokens: { apiKey: string; joinToken: string; workerToken: string }
}

export async function startLocalStation(options: LocalStationOptions): Promise<LocalStation> {
  await requireFolder('--data', options.coordinator.data)
  const supervisor = new Supervisor(options.coordinator.data)
  const { url, tokens } = await startCoordinatorProcess(supervisor, options.coordinator)
  supervisor.note()
  // The station's own certificate may be signed by nobody else.
  const { tls } = options.coordinator
  const trust = tls ? { NODE_EXTRA_CA_CERTS: tls.certFile } : {}
  const startAgent = (settings: AgentSettings): void =>
    supervisor.start({
      role: 'agent',
      name: settings.name ?? 'agent',
      module: new URL(import.meta.resolve('@minga/agent/main')),
      env: () => ({ MINGA_AGENT: JSON.stringify(settings), ...trust }),
    })
  for (let i = 1; i <= options.agents; i++) {
    startAgent({
      stationUrl: url,
      // Its address may change from run to run; the folder is the station's own.
      station: 'own',
      token: tokens.joinToken,
      data: join(options.coordinator.data, 'agents', `local-${i}`),
      name: `local-${i}`,
      allowPrivateAddresses: options.coordinator.allowPrivateAddresses,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    })
  }
  if (options.workers !== undefined) {
    const { data } = options.coordinator
    const { workerToken: token } = tokens
    startWorkers(supervisor, options.workers, { url, token, data, env: trust })
  }
  return {
    url,
    ...tokens,
    startAgent,
    stop: () => supervisor.stop(),
    kill: () => supervisor.kill(),
  }
}

export interface WorkerStationFacts {
  url: string
  token: string
  /** The station's folder, whose lake the workers reach; null when it is on another machine. */
  data: string | null
  env?: Record<string, string>
}

/** Workers of a station, which may be another command's. */
export function startWorkers(
  supervisor: Supervisor,
  { count, memoryMb = WORKER_MEMORY_MB }: WorkersWanted,
  { url, token, data, env = {} }: WorkerStationFacts,
): void {
  for (let i = 1; i <= count; i++) {
    const name = `${hostname()}-${process.pid}-${i}`
    const settings: WorkerSettings = {
      stationUrl: url,
      token,
      data: data === null ? null : join(data, 'lake'),
      name,
      memoryMb,
      // Each has a core to itself: what runs at once is the number of workers.
      threads: 1,
      cacheFolder: workerFolder(name),
    }
    let boot = ''
    supervisor.start({
      role: 'worker',
      name,
      module: new URL(import.meta.resolve('@minga/lake/worker')),
      env: () => {
        boot = randomUUID()
        return { MINGA_WORKER: JSON.stringify({ ...settings, boot }), ...env }
      },
      onExit: (_code, stopping) => {
        void tellEnded({ url, token, boot }, stopping)
        return false
      },
    })
  }
}

function startCoordinatorProcess(
  supervisor: Supervisor,
  settings: CoordinatorSettings,
): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    let { listen } = settings
    let hasStarted = false
    supervisor.start({
      role: 'coordinator',
      name: settings.beside ?? 'main',
      greets: true,
      flags: COORDINATOR_FLAGS,
      module: new URL(import.meta.resolve('@minga/coordinator/main')),
      env: () => ({ MINGA_COORDINATOR: JSON.stringify({ ...settings, listen }) }),
      onMessage: (message, child) => {
        const news = message as Greeting & { failed?: { code: string; message: string } }
        if (isNoted(message)) return
        if (news.failed) return hasStarted ? undefined : reject(new Reported(news.failed))
        hasStarted = true
        // Agents know this address: a restarted coordinator must come back to it.
        if (listen !== null) listen = { ...listen, port: Number(new URL(news.url).port) }
        supervisor.notes.carriedBy(throughChannel(child))
        resolve(news)
      },
      onExit: (code) => {
        // Killed from outside, it is started again; ended by itself, it has said why.
        if (hasStarted || code === null) return false
        const message = `The coordinator ended with code ${code} before it had started.`
        reject(new Reported({ code: 'MINGA_INTERNAL', message }))
        return true
      },
    })
  })
}
