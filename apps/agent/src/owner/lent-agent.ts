/** The agent of a machine that is lent, with its page: in a process of its own (`lent-main.ts`), or in the command's. */
import { systemClock } from '@minga/protocol'
import type { AgentControl } from './control.ts'
import { openLocalPage, type LocalPage } from './local-page/page-server.ts'
import { startAgent, type AgentCompanions, type AgentSettings } from '../run.ts'

export interface LentAgentSettings extends AgentSettings {
  /** Without it the agent has no page. */
  page?: {
    /** The first port that is tried; 0 means any. */
    port: number
    /** The process that is to be signalled to stop the agent. */
    pid: number
  }
}

export async function startLentAgent(
  settings: LentAgentSettings,
  signal: AbortSignal,
  companions: Omit<AgentCompanions, 'onReady'> = {},
): Promise<void> {
  const { page: wanted, data } = settings
  let page: LocalPage | null = null
  const onReady = async (control: AgentControl): Promise<void> => {
    if (wanted === undefined) return
    page = await openLocalPage({ control, clock: systemClock, data, ...wanted })
    process.stderr.write(`minga: what it does and what it may use: ${page.url}/\n`)
  }
  try {
    await startAgent(settings, signal, { ...companions, onReady })
  } finally {
    await (page as LocalPage | null)?.close()
  }
}
