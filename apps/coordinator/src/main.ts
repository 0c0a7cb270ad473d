/**
 * The coordinator as a process of its own. Settings come as JSON in MINGA_COORDINATOR; its
 * address goes to the parent. It ends with its parent: when the channel to it closes, so do we.
 */
import {
  beatParent,
  isMingaError,
  systemClock,
  usePrivateUmask,
  type NewEvent,
} from '@minga/protocol'
import { fromSystemError } from '@minga/store'
import { startCoordinator, type CoordinatorSettings } from './start.ts'

usePrivateUmask()
const settings = JSON.parse(process.env['MINGA_COORDINATOR'] ?? '{}') as CoordinatorSettings
process.on('disconnect', () => process.exit(1))

try {
  const given = {
    ...settings,
    environment: process.env,
    credentials: process.env['CREDENTIALS_DIRECTORY'],
  }
  const coordinator = await startCoordinator(given, () => beatParent(systemClock, process.env))
  const { url, tokens, signIn } = coordinator
  process.send?.({ url, tokens, signIn })
  /** What the parent saw happen to its children; it keeps what we do not say to have written. */
  const write = async ({ notes, number }: Told): Promise<void> => {
    const isWritten = await coordinator.note(notes).then(
      () => true,
      () => false,
    )
    process.send?.({ noted: number, isWritten }, undefined, undefined, () => {})
  }
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
  // Ctrl-C, timeout and systemd reach the whole group; a child waits for its parent's word instead.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => (process.send ? undefined : stop()))
  process.on('message', (message) => {
    if (message === 'stop') stop()
    else void write(message as Told)
  })
} catch (cause) {
  process.send?.({ failed: failureOf(cause) }, () => process.exit(1))
  if (!process.send) throw cause
}

interface Told {
  notes: NewEvent[]
  number: number
}

/** A disk may be full at any step of a start or an end. */
function failureOf(cause: unknown): { code: string; message: string } {
  const error = fromSystemError(cause, settings.data)
  const code = isMingaError(error) ? error.code : 'MINGA_INTERNAL'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
