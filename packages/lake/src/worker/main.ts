/**
 * A worker as a process of its own. Settings come as JSON in MINGA_WORKER (a token must not show in the process
 * list). It ends with its parent: when the channel to it closes, so do we.
 */
import { beatParent } from '@minga/protocol/beat-parent'
import { systemClock } from '@minga/protocol/clock'
import { isMingaError } from '@minga/protocol/errors'
import { startWorker, type WorkerSettings } from './start-worker.ts'

const settings = JSON.parse(process.env['MINGA_WORKER'] ?? '{}') as WorkerSettings
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
  await startWorker(settings, stop.signal, sayDrained)
  process.exit(0)
} catch (error) {
  process.stderr.write(`minga worker: ${describe(error)}\n`)
  process.exit(1)
}

function sayDrained(isDrained: boolean): void {
  const what = isDrained ? 'is drained: it takes no more tasks until it is resumed' : 'goes on'
  process.stderr.write(`minga: worker ${settings.name} ${what}\n`)
}

function describe(error: unknown): string {
  if (isMingaError(error)) return `${error.code} ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
