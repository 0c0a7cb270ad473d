/**
 * The delay that a collection itself requires: its part of the delay, see `delayOf` in
 * host-clock.ts. The site's own requirements (robots.txt, its owner's rule, Retry-After) and the
 * back-off apply in addition, and the longest counts. So a policy that shortens can never override
 * a site's requirement.
 *
 * Policies other than `constant` are chosen by the owner of the collection. They apply to a host
 * that copes; one that complained, strains or is unknown gets the collection's whole delay again.
 * The delay is taken with the lease, so no number of agents makes a site be hit faster.
 */
import type { CollectionSpec } from '@minga/protocol'
import { isComplaint } from './host-clock.ts'

/** A small server would notice a shorter one, whatever the user entered. */
const FLOOR_LEAST_MS = 250
/** A policy that lengthens goes no further by itself; a longer delay of the collection's own counts. */
const CEILING_MS = 60_000
/** Good answers until a host is known to cope: a few could be a cache's. */
const COPES_AFTER = 10
/** With fewer pages known no host passes for a dense one: a crawl that has just begun knows nothing. */
const PAGES_MAX_LEAST = 1_000
const TENFOLD = 10

/** What a policy remembers of a host in a collection; nothing of it is known at first (0). */
export interface Pace {
  /** How long the last download took. */
  lastMs: number
  /** The delay that `adaptive` has come to. */
  paceMs: number
  /** The usual time to the first byte. */
  firstByteMs: number
}

export interface PolitenessFacts extends Pace {
  /** The collection's own delay, and how far a policy may shorten it. */
  delayMs: number
  delayMinMs: number
  /** Pages known of this host, and of the host of which the collection knows most. */
  pages: number
  pagesMax: number
  /** See `HostMood`. */
  goodAnswers: number
  backoffMs: number
}

export type PolitenessPolicy = (facts: PolitenessFacts) => number

const POLICIES: Record<CollectionSpec['politeness'], PolitenessPolicy> = {
  constant: ({ delayMs }) => delayMs,
  density: (facts) =>
    densityDelayMs({
      pages: facts.pages,
      pagesMax: Math.max(facts.pagesMax, PAGES_MAX_LEAST),
      maxMs: facts.delayMs,
      minMs: floorOf(facts),
    }),
  tenfold: (facts) =>
    facts.lastMs === 0
      ? facts.delayMs
      : tenfoldDelayMs({
          lastMs: facts.lastMs,
          minMs: floorOf(facts),
          maxMs: ceilingOf(facts),
        }),
  adaptive: (facts) =>
    facts.paceMs === 0
      ? facts.delayMs
      : Math.min(ceilingOf(facts), Math.max(floorOf(facts), facts.paceMs)),
}

/** The collection's part of a host's delay. */
export function politeDelayMs(
  politeness: CollectionSpec['politeness'],
  facts: PolitenessFacts,
): number {
  // A collection without any delay needs no policy about it.
  if (facts.delayMs === 0) return 0
  const delayMs = POLICIES[politeness](facts)
  return copes(facts) ? delayMs : Math.max(facts.delayMs, delayMs)
}

function copes({ goodAnswers, backoffMs }: PolitenessFacts): boolean {
  return goodAnswers >= COPES_AFTER && backoffMs === 0
}

type Bounds = Pick<PolitenessFacts, 'delayMs' | 'delayMinMs'>

/** A collection whose delay is shorter than the floor keeps it: it is never lengthened by that. */
function floorOf({ delayMs, delayMinMs }: Bounds): number {
  return Math.min(delayMs, Math.max(delayMinMs, FLOOR_LEAST_MS))
}

function ceilingOf({ delayMs }: Pick<Bounds, 'delayMs'>): number {
  return Math.max(delayMs, CEILING_MS)
}

/**
 * Dense hosts are taken for strong ones: from `maxMs` for a single page down to `minMs` for the host
 * with most pages, as the logarithm of the pages (spec 2, eq. 5.4). Density is not capacity, so this is
 * no more than a bounded guess, for hosts that cope.
 */
export function densityDelayMs(args: {
  pages: number
  pagesMax: number
  maxMs: number
  minMs: number
}): number {
  const { pages, pagesMax, maxMs, minMs } = args
  if (pages <= 1 || pagesMax <= 1 || minMs >= maxMs) return maxMs
  const share = Math.min(1, Math.log(pages) / Math.log(pagesMax))
  return Math.ceil(maxMs - share * (maxMs - minMs))
}

/** Ten times as long as the last download took: a slow answer is a site asking for air. */
export function tenfoldDelayMs(args: { lastMs: number; minMs: number; maxMs: number }): number {
  return Math.min(args.maxMs, Math.max(args.minMs, Math.ceil(TENFOLD * args.lastMs)))
}

/** What the agent itself must know of the policy: the next download's time is news to it alone. */
export function restFactorOf({
  politeness,
  delayMs,
}: CollectionSpec): { times: number; atMostMs: number } | null {
  if (politeness !== 'tenfold' || delayMs === 0) return null
  return { times: TENFOLD, atMostMs: ceilingOf({ delayMs }) }
}

/**
 * The minimum delay after a lease that ended unseen, because the duration of its last download is
 * unknown.
 */
export function unseenDelayMs(spec: CollectionSpec): number {
  return restFactorOf(spec)?.atMostMs ?? 0
}

/** A good answer raises the rate by this share of the collection's own rate. */
const RATE_STEP = 0.05
/** Slower than usual by this much (and by the factor) is a site that begins to strain. */
const SLOWER_FACTOR = 2
const SLOWER_MS = 100
/** Up to here an answer is as fast as usual. */
const USUAL_FACTOR = 1.5
const USUAL_MS = 50
/** A site that slows down little by little under our own requests must not make that the usual. */
const FASTER_WEIGHT = 0.2
const SLOWER_WEIGHT = 0.02

export interface PacedAnswer {
  status: number | 'failed'
  kind: string
  totalMs: number
  /** 0 when there was none. */
  firstByteMs: number
}

/**
 * What one answer teaches. The adaptive delay follows AIMD, as TCP does: the rate rises by equal steps
 * while answers stay as fast as usual, and is halved at once when they become slower or the site
 * complains, which also takes back everything that was gained.
 */
export function paceAfter(pace: Pace, answer: PacedAnswer, bounds: Bounds): Pace {
  const paceMs = pace.paceMs === 0 ? bounds.delayMs : pace.paceMs
  if (isComplaint(answer)) {
    return { ...pace, paceMs: slowed(Math.max(paceMs, bounds.delayMs / 2), bounds) }
  }
  // A failure may have come at once: it makes the last download longer, never shorter.
  if (answer.status === 'failed') {
    return { ...pace, paceMs, lastMs: Math.max(pace.lastMs, wholeMs(answer.totalMs)) }
  }
  const after = { ...pace, paceMs, lastMs: wholeMs(answer.totalMs) }
  // Errors, redirects and robots.txt cost a site less than its pages, or more: they tell nothing.
  if (answer.status < 200 || answer.status > 299 || answer.kind === 'robots') return after
  return {
    ...after,
    paceMs: pacedMs(paceMs, { ...answer, usualMs: pace.firstByteMs }, bounds),
    firstByteMs: usualAfter(pace.firstByteMs, answer.firstByteMs),
  }
}

function pacedMs(
  paceMs: number,
  { firstByteMs, usualMs }: { firstByteMs: number; usualMs: number },
  bounds: Bounds,
): number {
  if (usualMs === 0) return paceMs
  const moreMs = firstByteMs - usualMs
  if (moreMs > SLOWER_MS && firstByteMs > SLOWER_FACTOR * usualMs) return slowed(paceMs, bounds)
  if (moreMs > USUAL_MS && firstByteMs > USUAL_FACTOR * usualMs) return paceMs
  return quickened(paceMs, bounds)
}

function slowed(paceMs: number, bounds: Bounds): number {
  return Math.min(ceilingOf(bounds), Math.ceil(2 * paceMs))
}

/** Rounded down: rounded otherwise, small steps would never arrive. */
function quickened(paceMs: number, bounds: Bounds): number {
  if (bounds.delayMs === 0) return 0
  const shorter = Math.floor(1 / (1 / paceMs + RATE_STEP / bounds.delayMs))
  return Math.max(floorOf(bounds), shorter)
}

function usualAfter(usualMs: number, newestMs: number): number {
  const newest = wholeMs(newestMs)
  if (usualMs === 0) return newest
  const weight = newest < usualMs ? FASTER_WEIGHT : SLOWER_WEIGHT
  return usualMs + weight * (newest - usualMs)
}

/** Agents say what they like; a day is enough for the longest truth. */
const DAY_MS = 86_400_000

/** Never 0, which means that nothing is known. */
function wholeMs(ms: number): number {
  return Math.min(DAY_MS, Math.max(1, Math.ceil(ms)))
}
