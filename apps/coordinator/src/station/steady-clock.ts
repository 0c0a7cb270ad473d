/**
 * The station's clock: wall time that never goes backwards, neither while it runs (the machine's
 * clock was set) nor over a restart (it was set while the station was down). Host clocks are
 * compared with it, so a jump back must not hold hosts for hours, nor a jump forward free them.
 */
import type { Clock, Instant } from '@minga/protocol'

export function createSteadyClock(machine: Clock, latestSeen: Instant): Clock {
  const startWall = Math.max(machine.now(), latestSeen)
  const startMonotonic = machine.monotonicMs()
  return {
    now: () => Math.floor(startWall + machine.monotonicMs() - startMonotonic),
    monotonicMs: () => machine.monotonicMs(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
  }
}
