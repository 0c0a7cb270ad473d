/**
 * The longest common subsequence of two lists of numbers: which places of the one stay in the
 * other. Common ends are cut off and what occurs on one side alone is left out, which changes no
 * optimum. Then Myers ("An O(ND) difference algorithm and its variations", Algorithmica 1986) where
 * the lists are alike, a table where they are small; otherwise what occurs exactly once on both
 * sides anchors the rest (patience), and without an anchor the middle counts as replaced, as a
 * reader would see no similarity in it. So the cost is bounded, and only the last case may miss the
 * longest. Where texts are crafted to be costly, a limit of work ends the search for the longest:
 * the rest is anchored or replaced.
 */

/** Insertions and deletions that Myers's search goes through; its trace takes the square of this, twice, in bytes. */
const DIFFERENCE_MAX = 1000

/** Cells of the table: two bytes each, a few milliseconds. */
const TABLE_MAX = 1_000_000

/** How often what lies between anchors is anchored again: texts for readers need two or three levels. */
const LEVELS_MAX = 12

export type Pair = [before: number, after: number]

/** What the comparisons of two texts may still cost together, in steps of about two nanoseconds. */
export interface Work {
  steps: number
}

/** Half a second; the changes between two versions of a long page take a hundredth of it. */
export const newWork = (): Work => ({ steps: 200_000_000 })

/** Pairs of places, rising on both sides. */
export function commonSubsequence(
  before: Int32Array,
  after: Int32Array,
  work: Work = newWork(),
): Pair[] {
  const matching: Matching = { pairs: [], work, level: 0 }
  match(
    { list: before, from: 0, until: before.length },
    { list: after, from: 0, until: after.length },
    matching,
  )
  return matching.pairs
}

interface Matching {
  pairs: Pair[]
  work: Work
  level: number
}

interface Range {
  list: Int32Array
  from: number
  until: number
}

function match(a: Range, b: Range, matching: Matching): void {
  const { pairs } = matching
  let [from, other] = [a.from, b.from]
  while (from < a.until && other < b.until && a.list[from] === b.list[other]) {
    pairs.push([from, other])
    from += 1
    other += 1
  }
  let [until, otherUntil] = [a.until, b.until]
  while (until > from && otherUntil > other && a.list[until - 1] === b.list[otherUntil - 1]) {
    until -= 1
    otherUntil -= 1
  }
  matchMiddle(
    { list: a.list, from, until },
    { list: b.list, from: other, until: otherUntil },
    matching,
  )
  for (let i = 0; until + i < a.until; i += 1) pairs.push([until + i, otherUntil + i])
}

function matchMiddle(a: Range, b: Range, matching: Matching): void {
  const { pairs, work, level } = matching
  const places = sharedPlaces(a, b)
  if (places.before.length === 0 || places.after.length === 0) return
  const found = longestOf(valuesAt(a.list, places.before), valuesAt(b.list, places.after), work)
  if (found !== null) {
    for (const [i, j] of found) pairs.push([places.before[i]!, places.after[j]!])
    return
  }
  if (level === LEVELS_MAX) return
  let [from, other] = [a.from, b.from]
  const inner = { ...matching, level: level + 1 }
  const anchors = anchorsOf(a, b)
  for (const [i, j] of anchors) {
    match({ list: a.list, from, until: i }, { list: b.list, from: other, until: j }, inner)
    pairs.push([i, j])
    from = i + 1
    other = j + 1
  }
  // Without an anchor there is nothing to hold on to: the middle was replaced.
  if (anchors.length > 0) {
    match(
      { list: a.list, from, until: a.until },
      { list: b.list, from: other, until: b.until },
      inner,
    )
  }
}

/** Places of what occurs on both sides: the rest can be in no common subsequence. */
function sharedPlaces(a: Range, b: Range): { before: number[]; after: number[] } {
  const [inA, inB] = [countsOf(a), countsOf(b)]
  const shared = ({ list, from, until }: Range, others: Map<number, number>): number[] => {
    const places: number[] = []
    for (let i = from; i < until; i += 1) if (others.has(list[i]!)) places.push(i)
    return places
  }
  return { before: shared(a, inB), after: shared(b, inA) }
}

function countsOf({ list, from, until }: Range): Map<number, number> {
  const counts = new Map<number, number>()
  for (let i = from; i < until; i += 1) counts.set(list[i]!, (counts.get(list[i]!) ?? 0) + 1)
  return counts
}

function valuesAt(list: Int32Array, places: readonly number[]): Int32Array {
  return Int32Array.from(places, (place) => list[place]!)
}

/** Null when it would cost too much. */
function longestOf(a: Int32Array, b: Int32Array, work: Work): Pair[] | null {
  const cells = a.length * b.length
  // As many differences as this cost as much as the table.
  const differencesMax = Math.min(a.length + b.length, DIFFERENCE_MAX, Math.ceil(Math.sqrt(cells)))
  const isHopeless = Math.abs(a.length - b.length) > differencesMax
  const found = isHopeless ? null : myers(a, b, { differencesMax, work })
  if (found !== null || cells > Math.min(TABLE_MAX, work.steps)) return found
  work.steps -= cells
  return longestByTable(a, b)
}

/** Cell (i, j): how long the longest is from there on. */
function longestByTable(a: Int32Array, b: Int32Array): Pair[] {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [cell, below] = [i * width + j, (i + 1) * width + j]
      table[cell] =
        a[i] === b[j] ? table[below + 1]! + 1 : Math.max(table[below]!, table[cell + 1]!)
    }
  }
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const cell = i * width + j
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (table[cell + width]! >= table[cell + 1]!) i += 1
    else j += 1
  }
  return pairs
}

/** Null when more insertions and deletions, or more steps, are needed. */
function myers(
  a: Int32Array,
  b: Int32Array,
  { differencesMax: max, work }: { differencesMax: number; work: Work },
): Pair[] | null {
  const reach = new Int32Array(2 * max + 3)
  const middle = max + 1
  const trace: Int32Array[] = []
  for (let d = 0; d <= max && work.steps > 0; d += 1) {
    trace.push(reach.slice(middle - d - 1, middle + d + 2))
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && reach[middle + k - 1]! < reach[middle + k + 1]!)
      const start = isDown ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1
      let x = start
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach[middle + k] = x
      work.steps -= 1 + x - start
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return null
}

/** trace[d] holds the reaches of diagonals −d−1 … d+1 before step d. */
function walkBack(trace: readonly Int32Array[], endA: number, endB: number): Pair[] {
  const pairs: Pair[] = []
  let [x, y] = [endA, endB]
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reach = trace[d]!
    const at = (k: number): number => reach[k + d + 1]!
    const k = x - y
    const isDown = k === -d || (k !== d && at(k - 1) < at(k + 1))
    const previousK = isDown ? k + 1 : k - 1
    const startX = d === 0 ? 0 : at(previousK)
    const startY = d === 0 ? 0 : startX - previousK
    const afterX = d === 0 ? 0 : isDown ? startX : startX + 1
    while (x > afterX) {
      x -= 1
      y -= 1
      pairs.push([x, y])
    }
    x = startX
    y = startY
  }
  return pairs.toReversed()
}

/** What occurs exactly once on both sides, in the longest order that both keep. */
function anchorsOf(a: Range, b: Range): Pair[] {
  const [inA, inB] = [countsOf(a), countsOf(b)]
  const placeInB = new Map<number, number>()
  for (let j = b.from; j < b.until; j += 1) placeInB.set(b.list[j]!, j)
  const unique: Pair[] = []
  for (let i = a.from; i < a.until; i += 1) {
    const value = a.list[i]!
    if (inA.get(value) === 1 && inB.get(value) === 1) unique.push([i, placeInB.get(value)!])
  }
  return longestRising(unique)
}

/** Patience: piles whose tops rise; each card remembers the top of the pile before it. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const tops: number[] = []
  const before = new Int32Array(pairs.length).fill(-1)
  pairs.forEach(([, j], index) => {
    let [low, high] = [0, tops.length]
    while (low < high) {
      const half = (low + high) >> 1
      if (pairs[tops[half]!]![1] < j) low = half + 1
      else high = half
    }
    if (low > 0) before[index] = tops[low - 1]!
    tops[low] = index
  })
  const rising: Pair[] = []
  for (let index = tops.at(-1) ?? -1; index >= 0; index = before[index]!) rising.push(pairs[index]!)
  return rising.toReversed()
}
