/** A station of our own: a coordinator and, if wanted, local agents, supervised. */
import type { AgentSettings } from '@minga/agent'
import type { CoordinatorSettings } from '@minga/coordinator'
import { join } from 'node:path'
import { Reported } from './errors.ts'
import { Supervisor } from './supervisor.ts'

export interface LocalStationOptions {
  coordinator: CoordinatorSettings
  agents: number
  concurrency?: number
}

export interface LocalStation {
  url: string
  apiKey: string
  joinToken: string
  stop: () => Promise<void>
  kill: () => void
}

/** It holds little and passes much on: with 8 MB a twentieth more of its time goes to collecting
 * garbage, with more than 32 it only grows. */
const COORDINATOR_FLAGS = ['--max-semi-space-size=32']

interface Greeting {
  url: string
  tokens: { apiKey: string; joinToken: string }
}

export async function startLocalStation(options: LocalStationOptions): Promise<LocalStation> {
  const supervisor = new Supervisor(options.coordinator.data)
  const { url, tokens } = await startCoordinatorProcess(supervisor, options.coordinator)
  supervisor.note()
  // The station's own certificate may be signed by nobody else.
  const { tls } = options.coordinator
  const trust = tls ? { NODE_EXTRA_CA_CERTS: tls.certFile } : {}
  for (let i = 1; i <= options.agents; i++) {
    const settings: AgentSettings = {
      stationUrl: url,
      // Its address may change from run to run; the folder is the station's own.
      station: 'own',
      token: tokens.joinToken,
      data: join(options.coordinator.data, 'agents', `local-${i}`),
      name: `local-${i}`,
      allowPrivateAddresses: options.coordinator.allowPrivateAddresses,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    }
    supervisor.start({
      role: 'agent',
      module: new URL(import.meta.resolve('@minga/agent/main')),
      env: () => ({ MINGA_AGENT: JSON.stringify(settings), ...trust }),
    })
  }
  return { url, ...tokens, stop: () => supervisor.stop(), kill: () => supervisor.kill() }
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
      flags: COORDINATOR_FLAGS,
      module: new URL(import.meta.resolve('@minga/coordinator/main')),
      env: () => ({ MINGA_COORDINATOR: JSON.stringify({ ...settings, listen }) }),
      onMessage: (message) => {
        const news = message as Greeting & { failed?: { code: string; message: string } }
        if (news.failed) return hasStarted ? undefined : reject(new Reported(news.failed))
        hasStarted = true
        // Agents know this address: a restarted coordinator must come back to it.
        if (listen !== null) listen = { ...listen, port: Number(new URL(news.url).port) }
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
