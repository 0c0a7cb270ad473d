/**
 * May a site be left to the simple algorithm? Yes when three requirements hold over an observation:
 * at most half of the changes lost (NFR1), no more storage than the projection of the smallest
 * fixed frequency (NFR2), under 5 % of the server's capacity (NFR3).
 */

export interface Observation {
  changes: number
  lost: number
  /** Stored under the algorithm, and what the fixed frequency would have stored. */
  storedBytes: number
  fixedBytes: number
  /** What the algorithm uses of the server, and what the server has, in one unit. */
  usedCapacity: number
  wholeCapacity: number
}

export interface Requirement {
  name: 'NFR1' | 'NFR2' | 'NFR3'
  holds: boolean
  /** What was measured and the bound it is held against, both as shares. */
  measured: number
  bound: number
  text: string
}

export interface Gate {
  passes: boolean
  requirements: Requirement[]
}

const MOST_LOST = 0.5
const MOST_CAPACITY = 0.05

export function eligibility(seen: Observation): Gate {
  const lost = share(seen.lost, seen.changes)
  const stored = share(seen.storedBytes, seen.fixedBytes)
  const used = share(seen.usedCapacity, seen.wholeCapacity)
  const requirements: Requirement[] = [
    {
      name: 'NFR1',
      holds: lost <= MOST_LOST,
      measured: lost,
      bound: MOST_LOST,
      text: `${percent(lost)} of ${seen.changes} changes were lost; at most ${percent(MOST_LOST)} may be`,
    },
    {
      name: 'NFR2',
      holds: stored <= 1,
      measured: stored,
      bound: 1,
      text: `storage is ${percent(stored)} of what the fixed frequency needs; at most all of it may be`,
    },
    {
      name: 'NFR3',
      holds: used < MOST_CAPACITY,
      measured: used,
      bound: MOST_CAPACITY,
      text: `${percent(used)} of the server's capacity is used; it must be under ${percent(MOST_CAPACITY)}`,
    },
  ]
  return { passes: requirements.every(({ holds }) => holds), requirements }
}

/** Nothing of nothing is nothing: a site without changes loses none. */
function share(part: number, whole: number): number {
  if (part === 0) return 0
  return whole > 0 ? part / whole : Infinity
}

function percent(value: number): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(1)} %` : '∞ %'
}
