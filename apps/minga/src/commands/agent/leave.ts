/** `minga agent leave`: the running agent ends; with `--forget` its device is no more. */
import { forgetDevice } from '@minga/agent'
import { isMingaError, systemClock } from '@minga/protocol'
import { resolve } from 'node:path'
import { EXIT } from '../../exit-codes.ts'
import { findAgent, requireAgent, whileStopped } from './running-agent.ts'

export interface LeaveOptions {
  data: string
  now?: boolean
  forget?: boolean
}

export async function leave({ data: folder, now, forget }: LeaveOptions): Promise<number> {
  const data = resolve(folder)
  const agent = forget ? await findAgent(data) : await requireAgent(data)
  if (agent !== null) {
    process.stderr.write(`minga: ${now ? 'stopping' : 'finishing the work in progress'}…\n`)
    await agent.post(now ? '/api/stop' : '/api/finish')
    await untilStopped(data)
    process.stderr.write('minga: the agent has ended.\n')
  }
  if (forget) {
    const station = await whileStopped(data, () => forgetDevice(data))
    process.stderr.write(
      station === null
        ? 'minga: no station knew this device; its key is deleted.\n'
        : `minga: ${station} refuses this device from now on; its key is deleted.\n`,
    )
  }
  return EXIT.ok
}

const LOOK_MS = 200

/** As long as it takes: Ctrl-C ends this command, and not the agent. */
async function untilStopped(data: string): Promise<void> {
  for (;;) {
    try {
      return await whileStopped(data, async () => {})
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_AGENT_WITHOUT_PAGE') throw error
    }
    await systemClock.sleep(LOOK_MS)
  }
}
