/** How long the machine's processors were busy, with whatever process or with those of a test. */
import { readFileSync } from 'node:fs'
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

/** Linux counts in hundredths of a second, on every machine that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * Processor time of the children of this process that have ended, with all that they had waited for
 * themselves; 0 where there is no /proc. Its growth when a child ends is what that child took.
 */
export function endedChildrenSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the program, in parentheses, may itself contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
