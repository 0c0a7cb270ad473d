/**
 * How two versions of a page differ, judged from their sketches alone.
 *
 * Importance of a change by three weighted sums (F(μ) < Σα + Σβ + Σγ), each normalised to [0,1]:
 *   visual α:     share of the looks (classes, styles, pictures) that came or went
 *   structural β: share of the elements and form fields that came or went
 *   content γ:    share of the words (and link targets) that came or went
 *   magnitude = 1 − (1 − γ)(1 − β/2)(1 − α/4)      important ⇔ magnitude > threshold
 * Combined this way it stays in [0,1], rises with each of them, and is γ itself when only words
 * change.
 */
import { simhashDifference } from './hash.ts'
import { ignoredPlaces, isSameNode, noiseClassOf, type NoiseMask } from './noise-mask.ts'
import {
  foldNodes,
  isSampled,
  totalOf,
  type Block,
  type SketchNode,
  type Sketch,
} from './sketch.ts'

export interface Change {
  changed: boolean
  visual: number
  structural: number
  content: number
  magnitude: number
  isImportant: boolean
  /** What the judgement rests on: see docs/change-detection.md. */
  reasons: ChangeReason[]
  /** Something differs that the mask ignores. */
  hasIgnored: boolean
}

export type ChangeReason =
  | 'bytes'
  | 'kind'
  | 'title'
  | 'words'
  | 'exchanged'
  | 'structure'
  | 'look'
  | 'moved'
  | 'reflowed'
  | 'noise-masked'
  | 'changes-on-every-fetch'

export interface CompareOptions {
  mask: NoiseMask | null
  /** From 0 to 1. */
  threshold: number
}

const IGNORED = new Set<ChangeReason>(['noise-masked', 'changes-on-every-fetch'])
const VISUAL_WEIGHT = 0.25
const STRUCTURAL_WEIGHT = 0.5

export function compareSketches(before: Sketch, after: Sketch, options: CompareOptions): Change {
  if (before.kind !== after.kind) return changeOf([0, 0, 1], options, ['kind'])
  if (before.kind === 'binary') {
    const isSame = before.digest === after.digest
    if (noiseClassOf(options.mask) === 'restless') {
      return changeOf([0, 0, 0], options, isSame ? [] : ['changes-on-every-fetch'])
    }
    return changeOf([0, 0, isSame ? 0 : 1], options, isSame ? [] : ['bytes'])
  }
  const pair = countedParts(before, after, options.mask)
  const structural = structuralChange(pair)
  const visual = visualChange(pair)
  const { content, reasons } = contentChange(pair, structural > 0)
  if (content > 0 && before.title !== after.title) reasons.push('title')
  if (structural > 0) reasons.push('structure')
  if (visual > 0) reasons.push('look')
  if (pair.isMaskedDifferent) {
    const isRestless = noiseClassOf(options.mask) === 'restless'
    reasons.push(isRestless ? 'changes-on-every-fetch' : 'noise-masked')
  }
  return changeOf([visual, structural, content], options, reasons)
}

export function magnitudeOf(visual: number, structural: number, content: number): number {
  return 1 - (1 - content) * (1 - STRUCTURAL_WEIGHT * structural) * (1 - VISUAL_WEIGHT * visual)
}

function changeOf(
  [visual, structural, content]: [visual: number, structural: number, content: number],
  { threshold }: CompareOptions,
  reasons: ChangeReason[],
): Change {
  const magnitude = magnitudeOf(visual, structural, content)
  const changed = magnitude > 0
  const isImportant = changed && magnitude > threshold
  const hasIgnored = reasons.some((reason) => IGNORED.has(reason))
  return { changed, visual, structural, content, magnitude, isImportant, reasons, hasIgnored }
}

interface CountedPair {
  before: Sketch
  after: Sketch
  /** Without masked places. */
  placesBefore: SketchNode[]
  placesAfter: SketchNode[]
  totalBefore: SketchNode
  totalAfter: SketchNode
  /** Key of a place → it is noise. */
  isMasked: (place: number) => boolean
  isMaskedDifferent: boolean
}

function countedParts(before: Sketch, after: Sketch, mask: NoiseMask | null): CountedPair {
  const bits = Math.min(before.placeBits, after.placeBits, mask?.bits ?? before.placeBits)
  const [allBefore, allAfter] = [foldNodes(before.nodes, bits), foldNodes(after.nodes, bits)]
  const masked = ignoredPlaces(mask, { bits, before, after }, [allBefore, allAfter])
  const counts = ({ key }: SketchNode): boolean => !masked.has(key)
  const [placesBefore, placesAfter] = [allBefore.filter(counts), allAfter.filter(counts)]
  const hides = ({ key }: SketchNode): boolean => masked.has(key)
  const [hiddenBefore, hiddenAfter] = [allBefore.filter(hides), allAfter.filter(hides)]
  const known = new Map(hiddenBefore.map((node) => [node.key, node]))
  const isMaskedDifferent =
    hiddenBefore.length !== hiddenAfter.length ||
    hiddenAfter.some((node) => !isSameNode(known.get(node.key), node))
  return {
    before,
    after,
    placesBefore,
    placesAfter,
    totalBefore: totalOf(placesBefore),
    totalAfter: totalOf(placesAfter),
    isMasked: (place) => masked.has(place & ((1 << bits) - 1)),
    isMaskedDifferent,
  }
}

function structuralChange(pair: CountedPair): number {
  const { totalBefore, totalAfter, before, after } = pair
  if (totalBefore.shapeSum === totalAfter.shapeSum) return 0
  const all = totalBefore.shape + totalAfter.shape
  const differing = difference(before.shapes, after.shapes) * countedShare(pair, 'shape')
  return share(differing, all)
}

function visualChange(pair: CountedPair): number {
  const { totalBefore, totalAfter, before, after } = pair
  if (totalBefore.lookSum === totalAfter.lookSum) return 0
  const all = totalBefore.look + totalAfter.look
  return share(difference(before.looks, after.looks) * countedShare(pair, 'look'), all)
}

function difference(before: Uint32Array, after: Uint32Array): number {
  return before.reduce((sum, count, bucket) => sum + Math.abs(count - after[bucket]!), 0)
}

/** At least one thing has changed when we are asked, even if its bucket does not show it. */
function share(differing: number, all: number): number {
  return Math.min(1, Math.max(1, differing) / Math.max(1, all))
}

/** How much of what differs stands outside masked places: the buckets do not know places. */
function countedShare(pair: CountedPair, of: 'shape' | 'look'): number {
  if (!pair.isMaskedDifferent) return 1
  const counted = placesDifference(pair.placesBefore, pair.placesAfter, of)
  const all = placesDifference(pair.before.nodes, pair.after.nodes, of)
  return all === 0 ? 1 : Math.min(1, counted / all)
}

function placesDifference(before: SketchNode[], after: SketchNode[], of: 'shape' | 'look'): number {
  const left = new Map(before.map((node) => [node.key, node]))
  let sum = 0
  for (const node of after) {
    const other = left.get(node.key)
    left.delete(node.key)
    const isSame = other !== undefined && other[`${of}Sum`] === node[`${of}Sum`]
    if (!isSame) sum += Math.max(1, Math.abs(node[of] - (other?.[of] ?? 0)))
  }
  for (const node of left.values()) sum += node[of]
  return sum
}

function contentChange(
  pair: CountedPair,
  isRestructured: boolean,
): { content: number; reasons: ChangeReason[] } {
  const { totalBefore, totalAfter } = pair
  const all = totalBefore.text + totalAfter.text
  if (totalBefore.textSum === totalAfter.textSum) {
    const isExchanged = !isRestructured && totalBefore.itemSum !== totalAfter.itemSum
    if (isExchanged) return { content: share(4, all), reasons: ['exchanged'] }
    const isMoved = pair.before.order !== pair.after.order && !pair.isMaskedDifferent
    return { content: 0, reasons: isMoved ? ['moved'] : [] }
  }
  // New markup may cut the same words into other blocks; that is no change of what is said.
  if (isRestructured && totalBefore.wordSum === totalAfter.wordSum) {
    return { content: 0, reasons: ['reflowed'] }
  }
  return { content: share(2 * wordsChanged(pair), all), reasons: ['words'] }
}

/** Half the weight that came and went, estimated from the blocks that both sketches would keep. */
function wordsChanged(pair: CountedPair): number {
  const shift = Math.max(pair.before.sampleShift, pair.after.sampleShift)
  const counts = ({ hash, place }: Block): boolean =>
    isSampled(hash, shift) && !pair.isMasked(place)
  const removed = surplus(pair.before.blocks.filter(counts), pair.after.blocks.filter(counts))
  const added = surplus(pair.after.blocks.filter(counts), pair.before.blocks.filter(counts))
  let weight = 0
  for (const block of removed) {
    const twin = closest(block, added)
    if (twin === null) {
      weight += block.weight / 2
      continue
    }
    added.splice(added.indexOf(twin), 1)
    const edited = simhashDifference(block.simhash, twin.simhash)
    const grown = Math.abs(block.weight - twin.weight) / 2
    weight += Math.max(edited * Math.min(block.weight, twin.weight), grown, 1)
  }
  for (const block of added) weight += block.weight / 2
  return weight * 2 ** shift
}

/** The blocks of the first list that the second has fewer of, wherever they stand; one per copy. */
function surplus(list: readonly Block[], other: readonly Block[]): Block[] {
  const left = new Map<number, number>()
  for (const { hash, count } of other) left.set(hash, (left.get(hash) ?? 0) + count)
  return list.flatMap((block) => {
    const known = left.get(block.hash) ?? 0
    left.set(block.hash, Math.max(0, known - block.count))
    const copies = block.count - known
    return copies > 0 ? [{ ...block, weight: block.weight * copies, count: 1 }] : []
  })
}

/** More alike than not, and at the same place if there is one such. */
function closest(block: Block, candidates: readonly Block[]): Block | null {
  if (block.simhash === 0) return null
  let best: Block | null = null
  let bestScore = 0.5
  for (const candidate of candidates) {
    if (candidate.simhash === 0) continue
    const elsewhere = candidate.place === block.place ? 0 : 0.1
    const score = simhashDifference(block.simhash, candidate.simhash) + elsewhere
    if (score < bestScore) [best, bestScore] = [candidate, score]
  }
  return best
}
