/** A station of our own: a coordinator and, if wanted, local agents and workers, supervised. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { AgentSettings } from '@minga/agent'
import type { CoordinatorSettings } from '@minga/coordinator'
import type { WorkerSettings } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { agentProcess } from './agent-process.ts'
import { Reported } from './errors.ts'
import { isNoted, throughChannel } from './notes-channel.ts'
import { requireDataFolder } from './output-place.ts'
import { Supervisor } from './supervisor.ts'
import { workerFolder } from './worker-folders.ts'

export interface LocalStationOptions {
  coordinator: CoordinatorSettings
  agents: number
  concurrency?: number
  workers?: WorkersWanted
  /** Nothing is printed. */
  isQuiet?: boolean
}

export interface WorkersWanted {
  count: number
  /** That a task may use before it writes to disk. */
  memoryMb?: number
}

export interface LocalStation {
  url: string
  /** The address that signs in the operator's browser, once and within a quarter of an hour. */
  signIn: string
  apiKey: string
  joinToken: string
  workerToken: string
  /** One more agent of this machine, supervised like the station's own. */
  startAgent: (settings: AgentSettings) => void
  stop: () => Promise<void>
  kill: () => void
}

/**
 * It holds little and passes much on: with 8 MB a twentieth more of its time goes to collecting garbage, with
 * more than 32 it only grows. It has them from the start: most of what is read then stays, and each collection
 * on the way up from 1 MB would copy it for nothing.
 */
const COORDINATOR_FLAGS = ['--min-semi-space-size=32', '--max-semi-space-size=32']

/** Enough to sort a unit of the largest inputs in memory; with its process it stays below 1 GB. */
const WORKER_MEMORY_MB = 512

interface Greeting {
  url: string
  signIn: string
  tokens: { apiKey: string; joinToken: string; workerToken: string }
}

export async function startLocalStation(options: LocalStationOptions): Promise<LocalStation> {
  await requireDataFolder(options.coordinator.data)
  const { isQuiet = false } = options
  const supervisor = new Supervisor(options.coordinator.data, { isQuiet })
  const greeting = startCoordinatorProcess(supervisor, options.coordinator)
  const agents = agentsOf(supervisor, options.coordinator)
  for (let i = 1; i <= options.agents; i++) {
    const name = `local-${i}`
    const data = join(options.coordinator.data, 'agents', name)
    agents.start({ name, data }, async () => ({ ...ownAgent(options, name, await greeting), data }))
  }
  if (options.workers !== undefined) {
    startWorkers(
      supervisor,
      options.workers,
      async () => {
        const { url, tokens } = await greeting
        return { url, token: tokens.workerToken, data: options.coordinator.data }
      },
      agents.trust,
    )
  }
  const { url, tokens, signIn } = await greeting.catch(async (error: unknown) => {
    await supervisor.stop()
    throw error
  })
  supervisor.note()
  const startAgent = (settings: AgentSettings): void =>
    agents.start({ name: settings.name ?? 'agent', data: settings.data }, async () => settings)
  return {
    url,
    signIn,
    ...tokens,
    startAgent,
    stop: () => supervisor.stop(),
    kill: () => supervisor.kill(),
  }
}

interface Agents {
  /** The station's own certificate may be signed by no one else. */
  trust: Record<string, string>
  start: (agent: { name: string; data: string }, settings: () => Promise<AgentSettings>) => void
}

function agentsOf(supervisor: Supervisor, { tls }: CoordinatorSettings): Agents {
  const trust: Record<string, string> = tls ? { NODE_EXTRA_CA_CERTS: tls.certFile } : {}
  const module = new URL(import.meta.resolve('@minga/agent/main'))
  return {
    trust,
    start: ({ name, data }, settings) => {
      const { flags, env } = agentProcess(module, data)
      supervisor.start({
        role: 'agent',
        name,
        module,
        env: () => ({ ...trust, ...env }),
        settings,
        flags,
      })
    },
  }
}

function ownAgent(
  { coordinator, concurrency }: LocalStationOptions,
  name: string,
  { url, tokens }: Greeting,
): Omit<AgentSettings, 'data'> {
  return {
    stationUrl: url,
    // Its address may change from run to run; the folder is the station's own.
    station: 'own',
    token: tokens.joinToken,
    name,
    allowPrivateAddresses: coordinator.allowPrivateAddresses,
    ...(concurrency === undefined ? {} : { concurrency }),
  }
}

export interface WorkerStationFacts {
  url: string
  token: string
  /** The station's folder, whose lake the workers reach; null when it is on another machine. */
  data: string | null
}

/** Workers of a station, which may be another command's, and may still be starting. */
export function startWorkers(
  supervisor: Supervisor,
  { count, memoryMb = WORKER_MEMORY_MB }: WorkersWanted,
  station: () => Promise<WorkerStationFacts>,
  trust: Record<string, string> = {},
): void {
  for (let i = 1; i <= count; i++) {
    const name = `${hostname()}-${process.pid}-${i}`
    let started: DeadWorker | null = null
    supervisor.start({
      role: 'worker',
      name,
      module: new URL(import.meta.resolve('@minga/lake/worker')),
      env: () => trust,
      settings: async (): Promise<WorkerSettings> => {
        const { url, token, data } = await station()
        const boot = randomUUID()
        started = { url, token, boot }
        return {
          ...workerSettings(name, memoryMb),
          stationUrl: url,
          token,
          data: lakeOf(data),
          boot,
        }
      },
      onExit: (_code, stopping) => {
        if (started !== null) void reportWorkerExit(started, stopping)
        return false
      },
    })
  }
}

const lakeOf = (data: string | null): string | null => (data === null ? null : join(data, 'lake'))

function workerSettings(
  name: string,
  memoryMb: number,
): Pick<WorkerSettings, 'name' | 'memoryMb' | 'threads' | 'cacheFolder'> {
  return {
    name,
    memoryMb,
    // Each has a core to itself: what runs at once is the number of workers.
    threads: 1,
    cacheFolder: workerFolder(name),
  }
}

function startCoordinatorProcess(
  supervisor: Supervisor,
  settings: CoordinatorSettings,
): Promise<Greeting> {
  return new Promise((started, reject) => {
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
        started(news)
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

interface DeadWorker {
  url: string
  token: string
  boot: string
}

/** A coordinator that was killed as well is back by then; later the leases have ended by themselves. */
const PATIENCE_MS = 10_000
const CALL_MS = 2_000
const PAUSE_MS = 200

/** Tells a station that a worker is dead, so that nothing waits for the end of its leases. */
async function reportWorkerExit(dead: DeadWorker, signal: AbortSignal): Promise<void> {
  const untilMs = systemClock.monotonicMs() + PATIENCE_MS
  while (!signal.aborted && systemClock.monotonicMs() < untilMs) {
    if (await hasHeard(dead, signal)) return
    await systemClock.sleep(PAUSE_MS, signal)
  }
}

async function hasHeard({ url, token, boot }: DeadWorker, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${url}/worker/ended`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ boot }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    })
    await response.arrayBuffer()
    // A refusal is an answer: asking again changes nothing.
    return response.status < 500
  } catch {
    return false
  }
}
