/**
 * How much two texts share at their beginning and at their end. Most edits change one place, so this alone
 * finds most of what a revision has from the one before, at the speed of comparing memory.
 */

export interface SharedEnds {
  /** Bytes at the beginning that are equal. */
  start: number
  /** Bytes at the end, not counting those. */
  end: number
}

const FIRST_STEP = 64
/** Below it, byte by byte is faster than another call. */
const LAST_STEP = 16

export function sharedEnds(one: Buffer, other: Buffer): SharedEnds {
  const shorter = Math.min(one.length, other.length)
  const start = equalRun(shorter, (from, to) => one.compare(other, from, to, from, to) === 0)
  const end = equalRun(shorter - start, (from, to) => {
    const [oneFrom, oneTo] = [one.length - to, one.length - from]
    return one.compare(other, other.length - to, other.length - from, oneFrom, oneTo) === 0
  })
  return { start, end }
}

/** Steps that double while all is equal and shrink where something differs. */
function equalRun(length: number, isEqual: (from: number, to: number) => boolean): number {
  let run = 0
  let step = FIRST_STEP
  while (run < length) {
    const to = Math.min(length, run + step)
    if (isEqual(run, to)) {
      run = to
      step *= 2
    } else if (step <= LAST_STEP) {
      while (isEqual(run, run + 1)) run += 1
      return run
    } else {
      step = Math.max(LAST_STEP, step >> 2)
    }
  }
  return run
}
