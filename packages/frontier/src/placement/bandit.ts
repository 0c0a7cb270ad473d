/**
 * Which agent is fastest for a region is learnt by trying: a bandit. The rule is MOSS (Audibert and
 * Bubeck, "Minimax policies for adversarial and stochastic bandits", COLT 2009): an arm's index is
 * its mean, improved by √(max(0, ln(T / (K·s))) / s) after s samples. Unlike UCB1's, this index
 * changes only when its own arm is tried, so a database index can keep all arms in order and the
 * best is one seek away. Response times have no upper bound and vary with their size, so the bonus
 * is a share of the mean. Samples are capped: old ones fade (as in discounted UCB: Garivier and
 * Moulines, "On upper-confidence bound policies for switching bandits", ALT 2011) and no arm is
 * ever given up for good.
 */

/** Tries per arm that the bonus assumes, T/K. */
const TRIES_PER_ARM = 256
/** Samples that count; the newest weighs 1/64 at least, so a changed agent is noticed soon. */
const SAMPLES_MAX = 64
/** However uncertain, a known time is not hoped to fall below this share. */
const HOPE_MIN = 0.1

export interface Arm {
  samples: number
  meanMs: number
}

export function tried(arm: Arm | null, elapsedMs: number): Arm {
  const samples = Math.min(SAMPLES_MAX, (arm?.samples ?? 0) + 1)
  const meanMs = arm?.meanMs ?? 0
  return { samples, meanMs: meanMs + (elapsedMs - meanMs) / samples }
}

/** The index: what the arm's response time may hopefully turn out to be. */
export function hopefulMs({ samples, meanMs }: Arm): number {
  const bonus = Math.sqrt(Math.max(0, Math.log(TRIES_PER_ARM / samples)) / samples)
  return meanMs * Math.max(HOPE_MIN, 1 - bonus)
}

/** Times faster than the best known that an untried agent is hoped to be: it is tried next, but
 * its growing queue keeps it from being given everything before it has answered once. */
const UNTRIED_HOPE = 0.5

/** What to expect of an agent without a measurement for this region. */
export function untriedMs(known: { bestMs: number | null; overallMs: number }): number {
  if (known.bestMs !== null) return known.bestMs * UNTRIED_HOPE
  return known.overallMs > 0 ? known.overallMs : 1
}
