/**
 * Pages that go back and forth between a few versions (two servers out of step, an experiment): a state
 * seen shortly before is no new version. The caller keeps the last few keys of a page.
 */
import { maskedKeys, type NoiseMask } from './noise-mask.ts'
import { foldNodes, totalOf, type Sketch } from './sketch.ts'

/** A short text; equal for equal states. */
export type StateKey = string

export function stateKey(sketch: Sketch, mask: NoiseMask | null = null): StateKey {
  if (sketch.kind === 'binary') return `binary-${sketch.digest}`
  const bits = Math.min(sketch.placeBits, mask?.bits ?? sketch.placeBits)
  const masked = maskedKeys(mask, bits)
  const counted = foldNodes(sketch.nodes, bits).filter(({ key }) => !masked.has(key))
  const { textSum, itemSum, shapeSum, lookSum } = totalOf(counted)
  const sums = [textSum, itemSum, shapeSum, lookSum].map((sum) => sum.toString(36))
  return `${sketch.kind}-${sums.join('-')}`
}

export function isKnownState(
  recent: readonly StateKey[],
  after: Sketch,
  mask: NoiseMask | null = null,
): boolean {
  return recent.includes(stateKey(after, mask))
}
