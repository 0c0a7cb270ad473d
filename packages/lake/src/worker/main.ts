/**
 * A worker as a separate process. Settings come as JSON in MINGA_WORKER or as a message (a token must not show in the
 * process list). It ends with its parent: when the channel to it closes, so do we.
 */
import { beatParent } from '@minga/protocol/beat-parent'
import { childSettings } from '@minga/protocol/child-settings'
import { systemClock } from '@minga/protocol/clock'
import { describeError } from '@minga/protocol/errors'
import { usePrivateUmask } from '@minga/protocol/private-files'
import { stopWithParent } from '@minga/protocol/stop-with-parent'
import { startWorker, type WorkerSettings } from './start-worker.ts'

usePrivateUmask()
const stop = stopWithParent()
beatParent(systemClock, process.env)

try {
  const given = await childSettings('MINGA_WORKER', process.env, stop)
  const settings = given as WorkerSettings
  await startWorker(settings, stop, (isDrained) => sayDrained(settings.name, isDrained))
  process.exit(0)
} catch (error) {
  // Stopped before it had anything to do.
  if (stop.aborted) process.exit(0)
  process.stderr.write(`minga worker: ${describeError(error)}\n`)
  process.exit(1)
}

function sayDrained(name: string, isDrained: boolean): void {
  const what = isDrained ? 'is drained: it takes no more tasks until it is resumed' : 'goes on'
  process.stderr.write(`minga: worker ${name} ${what}\n`)
}
