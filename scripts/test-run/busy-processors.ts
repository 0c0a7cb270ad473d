/** How long the machine's processors were busy, with whatever process. */
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

/** What all processors together did in between. */
export function busySeconds(from: ProcessorTimes, to: ProcessorTimes): number {
  return (to.all - from.all - (to.idle - from.idle)) / 1000
}
