/**
 * Which regions of a page are ignored when two versions are compared. A region is a place: the path of
 * element names, ids and classes, without ordinals. Which ones are noise is learnt in `learn-noise.ts`.
 */
import type { Block, SketchNode, Sketch } from './sketch.ts'

export interface NoiseMask {
  /** Number of bits by which places are distinguished, the fewest of any sketch seen. */
  bits: number
  /** Keys of the ignored places. */
  keys: ReadonlySet<number>
  /** The share of the words that the ignored places held when they were last seen. */
  share: number
}

/** `quiet`: nothing is ignored; `partly`: some places are; `restless`: nearly the whole page is. */
export type NoiseClass = 'quiet' | 'partly' | 'restless'

/** Above this share, what is left of the page is a frame around noise. */
const RESTLESS_SHARE = 0.8
/** Pictures come in links in frames. */
const DEEPEST_STRAY = 4

export function noiseClassOf(mask: NoiseMask | null): NoiseClass {
  if (mask === null || mask.keys.size === 0) return 'quiet'
  return mask.share > RESTLESS_SHARE ? 'restless' : 'partly'
}

/**
 * Which of these places are noise; `bits` is the precision with which places were distinguished.
 */
export function maskedKeys(mask: NoiseMask | null, bits: number): Set<number> {
  return new Set([...(mask?.keys ?? [])].map((key) => key & ((1 << bits) - 1)))
}

/**
 * The places that are ignored between these two versions. A place that only grew is not: noise shows
 * something else instead, while a new sentence or list item comes in addition to what was there.
 */
export function ignoredPlaces(
  mask: NoiseMask | null,
  { bits, before, after }: { bits: number; before: Sketch; after: Sketch },
  [placesBefore, placesAfter]: readonly [readonly SketchNode[], readonly SketchNode[]],
): Set<number> {
  const masked = maskedKeys(mask, bits)
  // Of a page with very many texts only a sample is known, which says nothing of what was added.
  const isWhole = before.sampleShift === 0 && after.sampleShift === 0
  for (const key of isWhole ? masked : []) {
    if (hasOnlyGrown(blocksAt(before, key, bits), blocksAt(after, key, bits))) masked.delete(key)
  }
  return withStrayPlaces(masked, placesBefore, placesAfter)
}

function blocksAt({ blocks }: Sketch, key: number, bits: number): Block[] {
  return blocks.filter(({ place }) => (place & ((1 << bits) - 1)) === key)
}

function hasOnlyGrown(before: readonly Block[], after: readonly Block[]): boolean {
  const countOf = (blocks: readonly Block[]): Map<number, number> => {
    const counts = new Map<number, number>()
    for (const { hash, count } of blocks) counts.set(hash, (counts.get(hash) ?? 0) + count)
    return counts
  }
  const [old, fresh] = [countOf(before), countOf(after)]
  const sum = (counts: Map<number, number>): number =>
    [...counts.values()].reduce((all, count) => all + count, 0)
  const isAllKept = [...old].every(([hash, count]) => (fresh.get(hash) ?? 0) >= count)
  return old.size > 0 && isAllKept && sum(fresh) > sum(old)
}

/**
 * Noise of another shape, as the picture in a slot that showed none when its noise was learnt. A place is
 * noise too when it has no text of its own and all places inside it are noise; and when only one version
 * has it and all places around it are noise.
 */
function withStrayPlaces(
  masked: Set<number>,
  before: readonly SketchNode[],
  after: readonly SketchNode[],
): Set<number> {
  if (masked.size === 0) return masked
  const inBefore = new Map(before.map((node) => [node.key, node]))
  const inAfter = new Map(after.map((node) => [node.key, node]))
  const all = new Set(masked)
  const children = Map.groupBy(
    before.filter(({ key }) => inAfter.has(key)),
    ({ parent }) => parent,
  )
  const isAllNoise = (parent: number): boolean =>
    children.get(parent)?.every(({ key }) => all.has(key)) ?? false
  for (let depth = 0; depth < DEEPEST_STRAY; depth++) {
    for (const { key, parent, text } of [...before, ...after]) {
      const isStray = !inBefore.has(key) || !inAfter.has(key)
      const isBox = !isStray && text === 0 && isAllNoise(key)
      if (isBox || (isStray && (all.has(parent) || isAllNoise(parent)))) all.add(key)
    }
  }
  return all
}

export function isSameNode(first: SketchNode | undefined, second: SketchNode | undefined): boolean {
  if (first === undefined || second === undefined) return false
  const isSameText = first.textSum === second.textSum && first.itemSum === second.itemSum
  return isSameText && first.shapeSum === second.shapeSum && first.lookSum === second.lookSum
}
