/**
 * The agent of a machine that is lent, as a separate process, so that it can run under Node's permission model. The
 * settings come as a message, and so does what only a program can tell of the machine; what fails is reported to the
 * parent, which has the exit codes.
 */
import { childSettings, isMingaError, stopWithParent, usePrivateUmask } from '@minga/protocol'
import { startLentAgent, type LentAgentSettings } from './owner/lent-agent.ts'
import { watchParent } from './system/os.ts'
import { askParentForPower } from './owner/power-channel.ts'
import { restrictWorkers } from './sandbox/restrict-workers.ts'

restrictWorkers()
usePrivateUmask()
const stop = stopWithParent()

try {
  const settings = await childSettings('MINGA_AGENT', process.env, stop)
  const companions = { isAbandoned: watchParent(), power: askParentForPower }
  await startLentAgent(settings as LentAgentSettings, stop, companions)
  process.exit(0)
} catch (error) {
  // Stopped before it had anything to do.
  if (stop.aborted && !isMingaError(error)) process.exit(0)
  // Ended before the message is on its way, the process would take it along.
  process.send?.({ failed: failureOf(error) }, undefined, undefined, () => process.exit(1))
}

function failureOf(error: unknown): { code: string; message: string; retry: string } {
  if (isMingaError(error)) return { code: error.code, message: error.message, retry: error.retry }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'MINGA_INTERNAL', message, retry: 'never' }
}
