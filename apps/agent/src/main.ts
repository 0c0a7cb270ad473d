/**
 * The agent as a separate process. Settings come as JSON in MINGA_AGENT or as a message (a token must
 * not show in the process list). It ends with its parent: when the channel to it closes, so do we.
 */
import {
  beatParent,
  childSettings,
  isMingaError,
  systemClock,
  usePrivateUmask,
} from '@minga/protocol'
import { watchParent } from './os.ts'
import { startAgent, type AgentSettings } from './run.ts'
import { restrictWorkers } from './sandbox/restrict-workers.ts'

restrictWorkers()
usePrivateUmask()
const stop = new AbortController()
const stopNow = (): void => {
  // The first time finishes what is in flight; the second does not wait.
  if (stop.signal.aborted) process.exit(1)
  stop.abort()
}
// Ctrl-C, timeout and systemd reach the whole group; a child waits for its parent's word instead.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => (process.send ? undefined : stopNow()))
process.on('message', (message) => (message === 'stop' ? stopNow() : undefined))
process.on('disconnect', () => process.exit(1))
beatParent(systemClock, process.env)

try {
  const settings = await childSettings('MINGA_AGENT', process.env, stop.signal)
  await startAgent(settings as AgentSettings, stop.signal, { isAbandoned: watchParent() })
  process.exit(0)
} catch (error) {
  // Stopped before it had anything to do.
  if (stop.signal.aborted) process.exit(0)
  process.stderr.write(`minga agent: ${describe(error)}\n`)
  process.exit(1)
}

function describe(error: unknown): string {
  if (isMingaError(error)) return `${error.code} ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
