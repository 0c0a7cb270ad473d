/**
 * The coordinator as a process of its own. Settings come as JSON in MINGA_COORDINATOR; its
 * address goes to the parent. It ends with its parent: when the channel to it closes, so do we.
 */
import { beatParent, isMingaError, systemClock } from '@minga/protocol'
import { fromSystemError } from '@minga/store'
import { startCoordinator, type CoordinatorSettings } from './start.ts'

const settings = JSON.parse(process.env['MINGA_COORDINATOR'] ?? '{}') as CoordinatorSettings
process.on('disconnect', () => process.exit(1))
beatParent(systemClock, process.env)

try {
  const coordinator = await startCoordinator({ ...settings, environment: process.env })
  process.send?.({ url: coordinator.url, tokens: coordinator.tokens })
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    void coordinator.close().then(
      () => process.exit(0),
      (cause: unknown) => {
        const { code, message } = failureOf(cause)
        process.stderr.write(`minga: ${message} (${code})\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  // Ctrl-C reaches the whole group; a child waits for its parent's word instead.
  process.on('SIGINT', () => (process.send ? undefined : stop()))
  process.on('message', (message) => (message === 'stop' ? stop() : undefined))
} catch (cause) {
  process.send?.({ failed: failureOf(cause) }, () => process.exit(1))
  if (!process.send) throw cause
}

/** A disk may be full at any step of a start or an end. */
function failureOf(cause: unknown): { code: string; message: string } {
  const error = fromSystemError(cause, settings.data)
  const code = isMingaError(error) ? error.code : 'MINGA_INTERNAL'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
