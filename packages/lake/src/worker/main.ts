/**
 * A worker as a separate process. Settings come as JSON in MINGA_WORKER or as a message (a token must not show in the
 * process list). It ends with its parent: when the channel to it closes, so do we.
 */
import { beatParent } from '@minga/protocol/beat-parent'
import { childSettings } from '@minga/protocol/child-settings'
import { systemClock } from '@minga/protocol/clock'
import { isMingaError } from '@minga/protocol/errors'
import { usePrivateUmask } from '@minga/protocol/private-files'
import { startWorker, type WorkerSettings } from './start-worker.ts'

usePrivateUmask()
const stop = new AbortController()
const stopNow = (): void => {
  // The first time gives the task back; the second does not wait.
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
  const given = await childSettings('MINGA_WORKER', process.env, stop.signal)
  const settings = given as WorkerSettings
  await startWorker(settings, stop.signal, (isDrained) => sayDrained(settings.name, isDrained))
  process.exit(0)
} catch (error) {
  // Stopped before it had anything to do.
  if (stop.signal.aborted) process.exit(0)
  process.stderr.write(`minga worker: ${describe(error)}\n`)
  process.exit(1)
}

function sayDrained(name: string, isDrained: boolean): void {
  const what = isDrained ? 'is drained: it takes no more tasks until it is resumed' : 'goes on'
  process.stderr.write(`minga: worker ${name} ${what}\n`)
}

function describe(error: unknown): string {
  if (isMingaError(error)) return `${error.code} ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
