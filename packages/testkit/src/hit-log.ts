/**
 * What a web saw of its visitors, and the judgements tests draw from it. Pure: the hits may come
 * from a fake web in this process or from the log file of another.
 *
 * Both ends are seen from the server: `t` when the request had arrived, `end` when the last byte
 * was handed to the kernel. A busy server notices requests late, so gaps are never judged too short.
 */

export interface Hit {
  /** Microseconds of the machine's monotonic clock, the same in all its processes. */
  t: number
  /** When the response ended, one way or another; absent while it is under way. */
  end?: number
  url: string
  /** The name asked for, without port. */
  host: string
  /** The local address that was dialled. */
  address: string
  path: string
  method: string
  userAgent: string
  /** 0 when no status was sent. */
  status: number
  /** The visitor left before the response was whole. */
  aborted?: true
}

export type PolitenessUnit = 'host' | 'address'

export interface Violation {
  /** The host or address that was contacted too early. */
  unit: string
  /** From the end of the earlier response to the start of the later request; negative: overlap. */
  gapMs: number
  previous: Hit
  next: Hit
}

export interface Refetch {
  url: string
  hits: Hit[]
}

export interface HitJudge {
  hits(): Hit[]
  hitsByUrl(): Map<string, Hit[]>
  violations(rule: { delayMs: number; per: PolitenessUnit }): Violation[]
  /** The most requests that one host or address had to serve at a time. */
  concurrencyMax(per: PolitenessUnit): number
  /** URLs asked for more than once, robots.txt apart. */
  refetched(): Refetch[]
}

/** Timers and event loops are a little early or late; two milliseconds hurt no site. */
const TOLERANCE_MS = 2
const MICROSECONDS_PER_MS = 1000

export function judgeHits(hits: readonly Hit[]): HitJudge {
  return {
    hits: () => [...hits],
    hitsByUrl: () => Map.groupBy(hits, (hit) => hit.url),
    violations: ({ delayMs, per }) => {
      const lastInstant = lastInstantOf(hits)
      return grouped(hits, per).flatMap(([unit, visits]) =>
        violationsOf({ unit, visits, delayMs, lastInstant }),
      )
    },
    concurrencyMax: (per) =>
      Math.max(0, ...grouped(hits, per).map(([, visits]) => mostAtATime(visits))),
    refetched: () => {
      const pages = hits.filter((hit) => hit.path !== '/robots.txt')
      const byUrl = Map.groupBy(pages, (hit) => hit.url)
      return [...byUrl]
        .filter(([, all]) => all.length > 1)
        .map(([url, all]) => ({ url, hits: all }))
    },
  }
}

function grouped(hits: readonly Hit[], per: PolitenessUnit): [string, Hit[]][] {
  const inOrder = hits.toSorted((a, b) => a.t - b.t)
  return [...Map.groupBy(inOrder, (hit) => hit[per])]
}

function violationsOf(group: {
  unit: string
  visits: readonly Hit[]
  delayMs: number
  lastInstant: number
}): Violation[] {
  const { unit, visits, delayMs, lastInstant } = group
  const found: Violation[] = []
  let busiest: Hit | undefined
  for (const next of visits) {
    if (busiest) {
      const gapMs = (next.t - endOf(busiest, lastInstant)) / MICROSECONDS_PER_MS
      if (gapMs < delayMs - TOLERANCE_MS) found.push({ unit, gapMs, previous: busiest, next })
    }
    // The one that ends last counts, which need not be the one that began last.
    if (!busiest || endOf(next, lastInstant) >= endOf(busiest, lastInstant)) busiest = next
  }
  return found
}

/** A response without an end is still under way: whatever comes in the meantime overlaps it. */
function endOf(hit: Hit, lastInstant: number): number {
  return hit.end ?? lastInstant
}

function lastInstantOf(hits: readonly Hit[]): number {
  return hits.reduce((latest, hit) => Math.max(latest, hit.end ?? hit.t), 0)
}

function mostAtATime(visits: readonly Hit[]): number {
  const changes = visits.flatMap((hit) => [
    { at: hit.t, by: 1 },
    { at: hit.end ?? Infinity, by: -1 },
  ])
  // Ends come first among equals: back to back is not in parallel.
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let now = 0
  let most = 0
  for (const { by } of changes) {
    now += by
    most = Math.max(most, now)
  }
  return most
}
