import { availableParallelism } from 'node:os'

/** Microseconds of processor time: used by this program since it started, and there to be used. */
export function processorUse(): { used: number; whole: number } {
  const { user, system } = process.cpuUsage()
  return { used: user + system, whole: process.uptime() * 1_000_000 * availableParallelism() }
}
