/** Builds an agent from its settings and runs it until the signal. */
import { createFetcher, DEFAULT_LIMITS } from '@minga/net'
import { systemClock } from '@minga/protocol'
import { randomUUID } from 'node:crypto'
import { StationUnreachable } from './errors.ts'
import { DEFAULT_MACHINE_LIMITS, type Machine } from './machine.ts'
import { runAgent } from './pipeline.ts'
import { startRecorder } from './recorder.ts'
import { Station } from './station.ts'

export interface AgentSettings {
  stationUrl: string
  token: string
  device: string
  concurrency?: number
  /** Both sides must agree before a private address is dialled: this machine and the station. */
  allowPrivateAddresses: boolean
}

const AGENT_SOFTWARE = 'minga-agent/0.1.0'
const HELLO_RETRY_MS = 500

export async function startAgent(settings: AgentSettings, signal: AbortSignal): Promise<void> {
  const station = new Station({
    url: settings.stationUrl,
    token: settings.token,
    device: settings.device,
    boot: randomUUID(),
    software: AGENT_SOFTWARE,
  })
  const welcome = await sayHello(station, signal)
  if (welcome === null) return
  const { concurrency = DEFAULT_MACHINE_LIMITS.concurrency } = settings
  const fetcher = createFetcher({
    clock: systemClock,
    userAgent: welcome.userAgent,
    guard: {
      allowPrivateAddresses: settings.allowPrivateAddresses && welcome.allowPrivateAddresses,
    },
    limits: { ...DEFAULT_LIMITS, bodyBytesMax: welcome.limits.bodyBytesMax },
  })
  const recorder = startRecorder()
  const machine: Machine = {
    clock: systemClock,
    fetcher,
    recorder,
    limits: { ...DEFAULT_MACHINE_LIMITS, concurrency },
  }
  try {
    await runAgent(station, machine, signal)
  } finally {
    await Promise.all([fetcher.close(), recorder.close()])
  }
}

/** The station may still be starting: keep knocking until it opens or we are told to stop. */
async function sayHello(
  station: Station,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Station['hello']>> | null> {
  while (!signal.aborted) {
    try {
      return await station.hello()
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
      await systemClock.sleep(HELLO_RETRY_MS, signal)
    }
  }
  return null
}
