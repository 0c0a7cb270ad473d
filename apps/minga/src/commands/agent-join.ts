/** `minga agent join`: works for a station in the foreground, with its page beside it. */
import {
  lockFolder,
  openLocalPage,
  startAgent,
  type AgentControl,
  type AgentSettings,
  type LocalPage,
} from '@minga/agent'
import { systemClock, usePrivateUmask } from '@minga/protocol'
import { resolve } from 'node:path'
import { EXIT } from '../exit-codes.ts'
import { Interrupts } from '../interrupts.ts'
import { stationAddress, warnAboutPrivateAddresses } from '../options.ts'
import { requireDataFolder } from '../output-place.ts'
import { ProcessesFile } from '../processes.ts'
import { limitsIn, type LimitOptions } from './agent-limits.ts'

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
  const unlock = await lockFolder(data)
  const interrupts = new Interrupts(() => {}, null)
  interrupts.signal.addEventListener('abort', () =>
    process.stderr.write('minga: stopping, what is in flight is finished …\n'),
  )
  const processes = new ProcessesFile(data)
  const opened: LocalPage[] = []
  const onReady = async (control: AgentControl): Promise<void> => {
    await processes.write([{ pid: process.pid, role: 'agent' }])
    opened.push(options.page ? await openPage(control, data, options.pagePort) : NO_PAGE)
  }
  try {
    await startAgent(settings, interrupts.signal, { onReady })
    return EXIT.ok
  } finally {
    interrupts.end()
    for (const page of opened) {
      await page.close()
      await processes.write([])
    }
    unlock()
  }
}

const NO_PAGE: LocalPage = { url: '', close: async () => {} }

async function openPage(control: AgentControl, data: string, port: number): Promise<LocalPage> {
  const page = await openLocalPage({ control, clock: systemClock, data, port })
  process.stderr.write(`minga: what it does and what it may use: ${page.url}/\n`)
  return page
}

async function settingsOf(
  stationUrl: string,
  data: string,
  options: JoinOptions,
): Promise<AgentSettings> {
  return {
    stationUrl,
    data,
    allowPrivateAddresses: options.allowPrivateAddresses ?? false,
    signRequests: options.sign,
    loadTests: options.loadTests ?? false,
    wikiLogIns: options.wikiLogIns ?? false,
    volunteer: { limits: await limitsIn(options) },
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
  }
}
