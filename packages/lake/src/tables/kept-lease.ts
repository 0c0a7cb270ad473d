/**
 * A lease that its holder renews in the background until it releases it, or until the store reports
 * it lost.
 */
import { isMingaError, type Clock } from '@minga/protocol'

export interface KeptLease {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
  /** Renews no more. */
  stop(): Promise<void>
}

/** Three tries before the lease runs out: one lost call must not end a long reading. */
const TRIES = 3

/** `renew` answers whether the lease was still there. */
export function keepLease(
  { clock, leaseMs }: { clock: Pick<Clock, 'sleep'>; leaseMs: number },
  renew: () => Promise<boolean>,
): KeptLease {
  const lost = new AbortController()
  const stopped = new AbortController()
  const loop = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(leaseMs / TRIES, stopped.signal)
      if (stopped.signal.aborted) return
      if (!(await renewed(renew))) return lost.abort()
    }
  }
  const running = loop()
  return {
    signal: lost.signal,
    stop: () => {
      stopped.abort()
      return running
    },
  }
}

/** A store that cannot be reached says nothing about the lease: the next try may. */
async function renewed(renew: () => Promise<boolean>): Promise<boolean> {
  try {
    return await renew()
  } catch (error) {
    return isMingaError(error) && error.retry !== 'never'
  }
}
