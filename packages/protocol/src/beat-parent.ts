/**
 * Heartbeats of a child process to its parent. They come from the main loop itself and not from a
 * separate thread: while that loop is stuck, or the process is suspended, there are none, and the
 * parent replaces it.
 */
import type { Clock } from './clock.ts'

export const BEAT = 'beat'

/**
 * Sends a heartbeat every MINGA_BEAT_MS milliseconds until the channel closes; does nothing when
 * the parent requested none. The variable is taken out of `env`: a grandchild has its own parent.
 */
export function beatParent(clock: Pick<Clock, 'sleep'>, env: NodeJS.ProcessEnv): void {
  const everyMs = Number(env['MINGA_BEAT_MS'] ?? 0)
  delete env['MINGA_BEAT_MS']
  if (everyMs > 0) void keepBeating(clock, everyMs)
}

async function keepBeating(clock: Pick<Clock, 'sleep'>, everyMs: number): Promise<void> {
  while (process.connected) {
    // A parent that is gone says so by the channel's end, for which children listen.
    process.send?.(BEAT, undefined, undefined, () => {})
    await clock.sleep(everyMs)
  }
}
