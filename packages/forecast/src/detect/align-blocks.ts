/**
 * Which blocks of two versions belong together. Blocks that occur once in both are anchors (patience
 * diff, Bram Cohen), the longest run of them in order is kept; equal neighbours of an anchor join it,
 * and what is left between two anchors is paired by how alike it is. O(n log n), but for gaps, where
 * every block is compared with at most `NEAR` others.
 */
import { simhashDifference } from './hash.ts'

export interface AlignedText {
  hash: number
  simhash: number
  words: number
}

/** Indices of a block before and after; null where it has none. */
export interface BlockPair {
  kind: 'same' | 'added' | 'removed' | 'moved' | 'edited'
  before: number | null
  after: number | null
}

/** In a gap a block looks for its other self only this far. */
const NEAR = 40
const ALIKE = 0.6

export function alignBlocks(
  before: readonly AlignedText[],
  after: readonly AlignedText[],
): BlockPair[] {
  const anchors = grown(longestInOrder(uniqueMatches(before, after)), before, after)
  const moved = movedBlocks(before, after, anchors)
  const movedAway = new Set(moved.values())
  const pairs: BlockPair[] = []
  let [i, j] = [0, 0]
  for (const [a, b] of [...anchors, [before.length, after.length] as const]) {
    for (const pair of gapPairs({ before, after, from: [i, j], to: [a, b], moved, movedAway }))
      pairs.push(pair)
    if (a < before.length) pairs.push({ kind: 'same', before: a, after: b })
    ;[i, j] = [a + 1, b + 1]
  }
  return pairs
}

type Match = readonly [before: number, after: number]

function uniqueMatches(before: readonly AlignedText[], after: readonly AlignedText[]): Match[] {
  const onceAfter = once(after)
  return [...once(before)].flatMap(([hash, index]): Match[] => {
    const other = onceAfter.get(hash)
    return other === undefined ? [] : [[index, other]]
  })
}

function once(texts: readonly AlignedText[]): Map<number, number> {
  const places = new Map<number, number>()
  const repeated = new Set<number>()
  for (const [index, { hash }] of texts.entries()) {
    if (places.has(hash)) repeated.add(hash)
    places.set(hash, index)
  }
  for (const hash of repeated) places.delete(hash)
  return places
}

/** The longest rising sequence of the second index; matches come in order of the first. */
function longestInOrder(matches: readonly Match[]): Match[] {
  const piles: number[] = []
  const previous = matches.map(() => -1)
  for (const [index, [, after]] of matches.entries()) {
    let [low, high] = [0, piles.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (matches[piles[middle]!]![1] < after) low = middle + 1
      else high = middle
    }
    if (low > 0) previous[index] = piles[low - 1]!
    piles[low] = index
  }
  const kept: Match[] = []
  for (let at = piles.at(-1) ?? -1; at >= 0; at = previous[at]!) kept.push(matches[at]!)
  return kept.toReversed()
}

/**
 * Equal blocks next to an anchor, and at both ends of the page, belong to it although they repeat.
 */
function grown(
  anchors: readonly Match[],
  before: readonly AlignedText[],
  after: readonly AlignedText[],
): Match[] {
  const all: Match[] = []
  let [i, j] = [0, 0]
  for (const [a, b] of [...anchors, [before.length, after.length] as const]) {
    while (i < a && j < b && before[i]!.hash === after[j]!.hash) all.push([i++, j++])
    let [endA, endB] = [a, b]
    while (endA > i && endB > j && before[endA - 1]!.hash === after[endB - 1]!.hash) {
      endA -= 1
      endB -= 1
    }
    for (; endA < a; endA++, endB++) all.push([endA, endB])
    if (a < before.length) all.push([a, b])
    ;[i, j] = [a + 1, b + 1]
  }
  return all
}

/** After → before, for blocks that stand elsewhere than they did. */
function movedBlocks(
  before: readonly AlignedText[],
  after: readonly AlignedText[],
  anchors: readonly Match[],
): Map<number, number> {
  const takenBefore = new Set(anchors.map(([index]) => index))
  const takenAfter = new Set(anchors.map(([, index]) => index))
  const waiting = new Map<number, number[]>()
  for (const [index, { hash }] of before.entries()) {
    if (takenBefore.has(index)) continue
    const list = waiting.get(hash)
    if (list === undefined) waiting.set(hash, [index])
    else list.push(index)
  }
  const moved = new Map<number, number>()
  for (const [index, { hash }] of after.entries()) {
    const from = takenAfter.has(index) ? undefined : waiting.get(hash)?.shift()
    if (from !== undefined) moved.set(index, from)
  }
  return moved
}

interface Gap {
  before: readonly AlignedText[]
  after: readonly AlignedText[]
  from: Match
  to: Match
  /** After → before. */
  moved: Map<number, number>
  movedAway: Set<number>
}

function gapPairs({ before, after, from, to, moved, movedAway }: Gap): BlockPair[] {
  const old = range(from[0], to[0]).filter((index) => !movedAway.has(index))
  const pairs: BlockPair[] = []
  let next = 0
  for (const index of range(from[1], to[1])) {
    const origin = moved.get(index)
    if (origin !== undefined) {
      pairs.push({ kind: 'moved', before: origin, after: index })
      continue
    }
    const twin = twinOf(after[index]!, old.slice(next, next + NEAR), before)
    const place = twin === null ? -1 : old.indexOf(twin, next)
    while (next < place) pairs.push({ kind: 'removed', before: old[next++]!, after: null })
    if (twin === null) pairs.push({ kind: 'added', before: null, after: index })
    else {
      pairs.push({ kind: 'edited', before: twin, after: index })
      next = place + 1
    }
  }
  while (next < old.length) pairs.push({ kind: 'removed', before: old[next++]!, after: null })
  return pairs
}

/** The block that was most like this one; of texts too short to be alike, the next of its length. */
function twinOf(
  text: AlignedText,
  candidates: readonly number[],
  before: readonly AlignedText[],
): number | null {
  let [best, bestScore]: [number | null, number] = [null, ALIKE]
  for (const candidate of candidates) {
    const other = before[candidate]!
    const isShort = text.words < 4 && other.words < 4
    const score = isShort ? 0.5 : simhashDifference(text.simhash, other.simhash)
    if (score < bestScore) [best, bestScore] = [candidate, score]
  }
  return best
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
