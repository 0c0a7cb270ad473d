/**
 * What to believe of a page before its first visit: what was learnt of its siblings (empirical
 * Bayes; Grimes and Ford, "Microscale evolution of web pages", WWW 2008, show its worth). Three
 * kinds of kin, from the widest to the closest: category, host, URL pattern. Each holds the sum of
 * its members' posteriors (one step of Laird's nonparametric mixture, JASA 1978); the prior begins
 * with the broad one and each closer kin with enough members takes over in proportion to them.
 * Learning is 48 additions per kin, asking 150 operations.
 */
import { BROAD, GRID_POINTS, normalise } from './grid.ts'
import type { Belief, Prior } from './belief.ts'
import { UnreadablePriors } from './errors.ts'

/** Where a page belongs. `toPriorKey` makes it from the URL. */
export interface PriorKey {
  category: string | null
  host: string
  pattern: string
}

interface Kin {
  members: number
  readonly sums: Float32Array
}

/** Kin by key; the least recently taught stands first. */
export interface PriorTree {
  readonly kin: Map<string, Kin>
}

/** Fewer members say more about chance than about the kin. */
const ENOUGH_MEMBERS = 3
/** Members that the wider kin is worth when a closer one takes over. */
const WIDER_WORTH = 3
/** Beyond so many members the oldest fade, so that a host may change its ways. */
const MOST_MEMBERS = 200
/** A posterior from fewer observations is mostly its own prior and would only echo it. */
const LEAST_EVIDENCE = 6
/** Share of the broad prior kept in any: a page unlike its siblings is found out in a few visits. */
const OPENNESS = 0.03
/** About 20 MB. The kin not taught for longest leaves first. */
const MOST_KIN = 50_000
const PATTERN_LENGTH = 200

export const newPriorTree = (): PriorTree => ({ kin: new Map() })

/** Digits become `#`, the last segment `*`: pages made by one template share a pattern. */
export function toPriorKey(url: string, category: string | number | null = null): PriorKey {
  const parsed = URL.parse(url)
  const host = parsed?.host ?? ''
  const path = parsed?.pathname ?? url
  const folder = path.slice(0, path.lastIndexOf('/') + 1).replaceAll(/\d+/g, '#')
  const leaf = path.endsWith('/') ? '' : '*'
  const query = parsed?.search ? '?' : ''
  const pattern = `${folder}${leaf}${query}`.slice(0, PATTERN_LENGTH)
  return { category: category === null ? null : String(category), host, pattern }
}

/**
 * Is this the moment to teach a belief to its kin? After 8 observations and at every doubling:
 * often enough to count, seldom enough that no page outvotes its siblings.
 */
export function isRipe(belief: Belief): boolean {
  const { visits } = belief
  return visits >= 8 && (visits & (visits - 1)) === 0
}

export function learnPrior(tree: PriorTree, priorKey: PriorKey, belief: Belief): void {
  if (belief.evidence < LEAST_EVIDENCE) return
  for (const { key } of keysOf(priorKey)) {
    const kin = tree.kin.get(key) ?? { members: 0, sums: new Float32Array(GRID_POINTS) }
    tree.kin.delete(key)
    tree.kin.set(key, kin)
    const kept = kin.members < MOST_MEMBERS ? 1 : MOST_MEMBERS / (MOST_MEMBERS + 1)
    kin.members = kin.members * kept + kept
    for (let i = 0; i < GRID_POINTS; i++) kin.sums[i] = (kin.sums[i]! + belief.weights[i]!) * kept
  }
  for (const key of tree.kin.keys()) {
    if (tree.kin.size <= MOST_KIN) break
    tree.kin.delete(key)
  }
}

export function priorFor(tree: PriorTree, priorKey: PriorKey): Prior {
  const weights = Float64Array.from(BROAD)
  let source = 'pages in general'
  for (const { key, words } of keysOf(priorKey)) {
    const kin = tree.kin.get(key)
    if (kin === undefined || kin.members < ENOUGH_MEMBERS) continue
    const whole = kin.members + WIDER_WORTH
    for (let i = 0; i < GRID_POINTS; i++) {
      weights[i] = (weights[i]! * WIDER_WORTH + kin.sums[i]!) / whole
    }
    source = `${Math.round(kin.members)} pages of ${words}`
  }
  for (let i = 0; i < GRID_POINTS; i++) {
    weights[i] = weights[i]! * (1 - OPENNESS) + BROAD[i]! * OPENNESS
  }
  normalise(weights)
  return { weights, source }
}

/** From the widest to the closest. */
function keysOf({ category, host, pattern }: PriorKey): { key: string; words: string }[] {
  const keys = [
    { key: `host ${host}`, words: host },
    { key: `pattern ${host}${pattern}`, words: `${host}${pattern}` },
  ]
  return category === null
    ? keys
    : [{ key: `category ${category}`, words: `category ${category}` }, ...keys]
}

const VERSION = 1
const KIN_BYTES = 4 + 4 * GRID_POINTS

/** Version, then for every kin: length of its key, key, members and sums as 32-bit floats. */
export function encodePriorTree(tree: PriorTree): Uint8Array {
  const keys = [...tree.kin.keys()].map((key) => new TextEncoder().encode(key))
  const length = keys.reduce((sum, key) => sum + 2 + key.length + KIN_BYTES, 1)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  bytes[0] = VERSION
  let at = 1
  for (const [n, kin] of [...tree.kin.values()].entries()) {
    const key = keys[n]!
    view.setUint16(at, key.length, true)
    bytes.set(key, at + 2)
    at += 2 + key.length
    view.setFloat32(at, kin.members, true)
    for (let i = 0; i < GRID_POINTS; i++) view.setFloat32(at + 4 + 4 * i, kin.sums[i]!, true)
    at += KIN_BYTES
  }
  return bytes
}

export function decodePriorTree(bytes: Uint8Array): PriorTree {
  const tree = newPriorTree()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] !== VERSION) throw new UnreadablePriors(bytes)
  for (let at = 1; at < bytes.length; at += KIN_BYTES) {
    if (at + 2 > bytes.length) throw new UnreadablePriors(bytes)
    const end = at + 2 + view.getUint16(at, true)
    if (end + KIN_BYTES > bytes.length) throw new UnreadablePriors(bytes)
    const key = new TextDecoder().decode(bytes.subarray(at + 2, end))
    const sums = new Float32Array(GRID_POINTS)
    for (let i = 0; i < GRID_POINTS; i++) sums[i] = view.getFloat32(end + 4 + 4 * i, true)
    tree.kin.set(key, { members: view.getFloat32(end, true), sums })
    at = end
  }
  return tree
}
