/**
 * How far a volunteer's device may be believed: a Beta belief about the share of its results that
 * are true, from what audits found. Only audited agreement raises it; what was never checked says
 * nothing. BOINC's adaptive replication (1/consecutive valid results, counted on replicated ones
 * only) is the model; the belief adds a bound that says when enough was seen.
 */

export interface Reputation {
  /** Audits in which the device's result was found true, since its last proven lie. */
  readonly agreements: number
  /** Proven lies. They stay when an operator releases the device: it must prove itself longer. */
  readonly lies: number
  /** The station's own device: believed and never audited. */
  readonly isTrusted: boolean
}

/** One imagined agreement and one imagined lie: nothing is known of a newcomer. */
const PRIOR_AGREEMENTS = 1
const PRIOR_LIES = 1

/**
 * The belief's lower bound is wrong once in twenty: a bound wrong more seldom only asks for more
 * audits of everyone, and the audits that never end catch the one that slipped through.
 */
const DOUBT = 0.05

/** With no lie: 98 audited agreements in a row. A device that lies in 5 % of its results gets there
 * once in 150 times. Lower lets rare liars through; higher holds honest pay for longer. */
export const PROVEN_BOUND = 0.97

/**
 * The share of a proven device's results that is audited for ever. It is what the sites pay for
 * our doubt, so small; but a device that lies only after it is long proven passes about 1/floor
 * forgeries before it is caught. Measured by `simulate.test.ts`: some 25 per such device at 0.05
 * and 10 at 0.1, which costs half as many extra fetches again; devices that lie from the start
 * pass next to none at either.
 */
export const AUDIT_FLOOR = 0.05

/** Audits per doubt: with 4, the first ten results are all audited, and the floor is reached after
 * about 240 agreements, which is some 2,400 results. */
const CAUTION = 4

/**
 * Canaries per audit where auditors exist: they cost a fetch of a page that no client waits for, so
 * few; a device whose auditors come and go is still tested. With CAUTION and the floor this is one
 * in five results of a newcomer and one in a hundred of a proven device, never none.
 */
const CANARY_SHARE = 0.2

/** How much one open complaint adds to the audit probability, and the most that all may add: a
 * client must not be able to have everything fetched twice by complaining. */
const EXTRA_PER_COMPLAINT = 0.1
const EXTRA_MAX = 0.5

/** Agreements without which no volunteer's device is proven: so many are needed where no lie is known. */
export const PROVEN_AGREEMENTS_MIN =
  Math.ceil(Math.log(DOUBT) / Math.log(PROVEN_BOUND)) - PRIOR_AGREEMENTS

/**
 * The share of agreements between two volunteers' devices that one of the station's own fetches once more: two friends
 * who agree on a forgery are found by nothing else. They meet by a draw, so rarely; more only costs fetches.
 */
export const RECHECK_SHARE = 0.1

/** The bound that the device's honesty exceeds with probability 1 − DOUBT. */
export function honestyBound(reputation: Reputation): number {
  const agreements = PRIOR_AGREEMENTS + reputation.agreements
  const lies = PRIOR_LIES + reputation.lies
  // Beta(a, 1) has the distribution function xᵃ.
  if (lies === 1) return DOUBT ** (1 / agreements)
  let [low, high] = [0, 1]
  // 40 halvings: far finer than any threshold used here.
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (betaBelow(middle, agreements, lies) < DOUBT) low = middle
    else high = middle
  }
  return low
}

/**
 * P(Beta(a, b) ≤ x) for whole a and b is the chance of at least `a` successes in a+b−1 trials of
 * chance x. Counted from the top it has only b terms, and b is one more than the lies.
 */
function betaBelow(x: number, a: number, b: number): number {
  const trials = a + b - 1
  let term = x ** trials
  let sum = term
  for (let misses = 1; misses < b; misses++) {
    term *= ((trials - misses + 1) / misses) * ((1 - x) / x)
    sum += term
  }
  return sum
}

/** May what it sends be called verified without having been fetched twice? */
export function isProven(reputation: Reputation): boolean {
  return reputation.isTrusted || honestyBound(reputation) >= PROVEN_BOUND
}

/** The chance with which the next result is audited. */
export function auditProbability(
  reputation: Reputation,
  doubts: { openComplaints?: number; floor?: number } = {},
): number {
  if (reputation.isTrusted) return 0
  const extra = Math.min(EXTRA_MAX, EXTRA_PER_COMPLAINT * (doubts.openComplaints ?? 0))
  const byDoubt = CAUTION * (1 - honestyBound(reputation))
  return Math.min(1, Math.max(doubts.floor ?? AUDIT_FLOOR, byDoubt) + extra)
}

/**
 * The probability that a result is followed by a canary. Where no device may audit this one,
 * canaries are the only check: then they are as frequent as audits would be.
 */
export function canaryProbability(
  reputation: Reputation,
  hasAuditor: boolean,
  floor: number = AUDIT_FLOOR,
): number {
  return auditProbability(reputation, { floor }) * (hasAuditor ? CANARY_SHARE : 1)
}
