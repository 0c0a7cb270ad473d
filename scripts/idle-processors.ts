/** How much of the machine's processors nobody used. */
import os from 'node:os'

/** Milliseconds of all processors since the machine started. */
export interface ProcessorTimes {
  idle: number
  all: number
}

export function processorTimes(): ProcessorTimes {
  const sum = { idle: 0, all: 0 }
  for (const { times } of os.cpus()) {
    sum.idle += times.idle
    sum.all += times.user + times.nice + times.sys + times.irq + times.idle
  }
  return sum
}

/** From 0 to 1; 0 for no time at all. */
export function idleShare(from: ProcessorTimes, to: ProcessorTimes): number {
  const all = to.all - from.all
  return all <= 0 ? 0 : (to.idle - from.idle) / all
}
