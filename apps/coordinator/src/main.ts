/**
 * The coordinator as a process of its own. Settings come as JSON in MINGA_COORDINATOR; its
 * address goes to the parent. It ends with its parent: when the channel to it closes, so do we.
 */
import { isMingaError } from '@minga/protocol'
import { startCoordinator, type CoordinatorSettings } from './start.ts'

const settings = JSON.parse(process.env['MINGA_COORDINATOR'] ?? '{}') as CoordinatorSettings
process.on('disconnect', () => process.exit(1))

try {
  const coordinator = await startCoordinator(settings)
  process.send?.({ url: coordinator.url, tokens: coordinator.tokens })
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    void coordinator.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  // Ctrl-C reaches the whole group; a child waits for its parent's word instead.
  process.on('SIGINT', () => (process.send ? undefined : stop()))
  process.on('message', (message) => (message === 'stop' ? stop() : undefined))
} catch (error) {
  const code = isMingaError(error) ? error.code : 'MINGA_INTERNAL'
  const message = error instanceof Error ? error.message : String(error)
  process.send?.({ failed: { code, message } }, () => process.exit(1))
  if (!process.send) throw error
}
