/**
 * Randomness that a test can repeat: the same seed gives the same numbers on every machine. `mixed`
 * is stateless, so page 7 of host 3 is the same in any order of calls.
 */

export interface SeededRandom {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform integer in [0, below). */
  integer(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
}

const TWO_TO_32 = 4_294_967_296

/** 32 well-stirred bits from a list of integers: multiply-and-xorshift rounds per integer. */
export function mixed(...parts: readonly number[]): number {
  let state = 0x9e3779b9
  for (const part of parts) {
    state = Math.imul(state ^ (part | 0), 0x85ebca6b)
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
    state ^= state >>> 16
  }
  return state >>> 0
}

/** As `mixed`, but uniform in [0, 1). */
export function mixedFraction(...parts: readonly number[]): number {
  return mixed(...parts) / TWO_TO_32
}

export function seededRandom(seed: number): SeededRandom {
  let step = 0
  const next = (): number => {
    step += 1
    return mixed(seed, step) / TWO_TO_32
  }
  const integer = (below: number): number => Math.floor(next() * below)
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[integer(items.length)]
      if (item === undefined) throw new RangeError('Nothing to pick from: the list is empty.')
      return item
    },
    shuffled: (items) => {
      // Sorting by a drawn key is a fair shuffle and stays readable; lists here are small.
      const keyed = items.map((item) => ({ item, key: next() }))
      return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
    },
  }
}
