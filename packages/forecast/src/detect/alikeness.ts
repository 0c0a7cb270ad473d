/** How much two versions share, by the weight of their blocks. */
import { isSampled, type Block, type Sketch } from './sketch.ts'

export interface Alikeness {
  /** The share of the first that is in the second. */
  kept: number
  /** The share of the second that was in the first. */
  known: number
}

export function alikeness(before: Sketch, after: Sketch): Alikeness {
  const shift = Math.max(before.sampleShift, after.sampleShift)
  const sample = ({ blocks }: Sketch): Block[] =>
    blocks.filter(({ hash }) => isSampled(hash, shift))
  const [old, fresh] = [sample(before), sample(after)]
  return { kept: sharedWeight(old, fresh), known: sharedWeight(fresh, old) }
}

function sharedWeight(blocks: readonly Block[], others: readonly Block[]): number {
  const hashes = new Set(others.map(({ hash }) => hash))
  const all = blocks.reduce((sum, { weight, count }) => sum + weight * count, 0)
  const shared = blocks.reduce(
    (sum, { hash, weight, count }) => sum + (hashes.has(hash) ? weight * count : 0),
    0,
  )
  return all === 0 ? 0 : shared / all
}
