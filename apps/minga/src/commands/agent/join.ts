/** `minga agent join`: works for a station in the foreground, and serves its page. */
import { lockFolder, type LentAgentSettings } from '@minga/agent'
import { usePrivateUmask } from '@minga/protocol'
import { resolve } from 'node:path'
import { Interrupts } from '../../interrupts.ts'
import { runLentAgent, type AgentEnd } from '../../lent-agent-process.ts'
import { stationAddress, warnAboutPrivateAddresses } from '../../options.ts'
import { requireDataFolder } from '../../output-place.ts'
import { ProcessesFile } from '../../processes.ts'
import { limitsIn, type LimitOptions } from './limits.ts'

export interface JoinOptions extends LimitOptions {
  token?: string
  data: string
  name?: string
  concurrency?: number
  page: boolean
  pagePort: number
  allowPrivateAddresses?: boolean
  sign: boolean
  loadTests?: boolean
  wikiLogIns?: boolean
}

export async function join(station: string, options: JoinOptions): Promise<number> {
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  const data = resolve(options.data)
  const settings = await settingsOf(new URL(stationAddress('STATION')(station)).href, data, options)
  usePrivateUmask()
  await requireDataFolder(data)
  const { code, signal } = await runInFolder(settings)
  // Shells and service managers see why the agent ended.
  if (signal !== null) process.kill(process.pid, signal)
  return code
}

/** One agent at a time: no other process removes what an earlier one left in the folder. */
async function runInFolder(settings: LentAgentSettings): Promise<AgentEnd> {
  const unlock = await lockFolder(settings.data)
  const kill = new AbortController()
  const interrupts = new Interrupts(() => kill.abort(), null)
  interrupts.signal.addEventListener('abort', () =>
    process.stderr.write('minga: stopping; requests in flight are finished…\n'),
  )
  const processes = new ProcessesFile(settings.data)
  try {
    await processes.write([{ pid: process.pid, role: 'agent' }])
    return await runLentAgent({ settings, stop: interrupts.signal, kill: kill.signal })
  } finally {
    interrupts.end()
    await processes.write([])
    unlock()
  }
}

async function settingsOf(
  stationUrl: string,
  data: string,
  options: JoinOptions,
): Promise<LentAgentSettings> {
  return {
    stationUrl,
    data,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    signRequests: options.sign,
    loadTests: options.loadTests ?? false,
    wikiLogIns: options.wikiLogIns ?? false,
    volunteer: { limits: await limitsIn(options) },
    ...(options.page ? { page: { port: options.pagePort, pid: process.pid } } : {}),
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  }
}
