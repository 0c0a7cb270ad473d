/** Randomness that comes from a seed, so that a run can be repeated. */
export interface Dice {
  /** Uniform integer in [0, below). */
  integer(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
}

/** Both bounds included. */
export function between(dice: Dice, least: number, most: number): number {
  return least + dice.integer(most - least + 1)
}
