/**
 * A child must not outlive its parent, not even one killed with −9, which can say nothing.
 * The parent keeps one end of a pipe open and passes the other as the descriptor named in
 * `MINGA_LIFELINE_FD`; the kernel closes the parent's end whatever it dies of, and the child
 * sees the pipe end. Polling the parent's pid instead would race with pid reuse.
 */
import { Socket } from 'node:net'

/** "Forced" in the table of exit codes: no process is left that could have asked politely. */
const EXIT_FORCED = 13

/**
 * Calls `onCut` (by default: exit) when the parent is gone. Does nothing without a lifeline.
 * The variable is taken out of `env`: a grandchild has its own parent, and no such descriptor.
 */
export function watchLifeline(
  env: NodeJS.ProcessEnv,
  onCut: () => void = () => process.exit(EXIT_FORCED),
): void {
  const fd = Number(env['MINGA_LIFELINE_FD'] ?? Number.NaN)
  delete env['MINGA_LIFELINE_FD']
  if (!Number.isInteger(fd) || fd < 0) return

  const lifeline = new Socket({ fd, readable: true, writable: false })
  lifeline.on('error', () => {}) // A reset is followed by 'close', which is what counts.
  lifeline.once('close', onCut)
  lifeline.resume()
  lifeline.unref()
}
