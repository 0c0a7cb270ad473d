/**
 * The agent as a separate process. Settings come as JSON in MINGA_AGENT or as a message (a token must
 * not show in the process list). It ends with its parent: when the channel to it closes, so do we.
 */
import {
  beatParent,
  childSettings,
  describeError,
  stopWithParent,
  systemClock,
  usePrivateUmask,
} from '@minga/protocol'
import { watchParent } from './system/os.ts'
import { startAgent, type AgentSettings } from './run.ts'
import { restrictWorkers } from './sandbox/restrict-workers.ts'

restrictWorkers()
usePrivateUmask()
const stop = stopWithParent()
beatParent(systemClock, process.env)

try {
  const settings = await childSettings('MINGA_AGENT', process.env, stop)
  await startAgent(settings as AgentSettings, stop, { isAbandoned: watchParent() })
  process.exit(0)
} catch (error) {
  // Stopped before it had anything to do.
  if (stop.aborted) process.exit(0)
  process.stderr.write(`minga agent: ${describeError(error)}\n`)
  process.exit(1)
}
