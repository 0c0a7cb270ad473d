/**
 * What a visit says of a page, given what is remembered of it, and what a twin teaches. Pure: the station
 * and the simulation run the same code.
 *
 * A visit that differs only where the page is ignored leaves what it was compared with as it is. When such
 * a region turns out not to be noise, the next visit therefore still finds what was hidden there.
 */
import { compareSketches, type Change } from './compare.ts'
import {
  countMaskedVisit,
  isUndecided,
  learnNoise,
  maskAt,
  warnedRegions,
  type LearntNoise,
  type NoiseRegion,
} from './learn-noise.ts'
import { maskedKeys, type NoiseMask } from './noise-mask.ts'
import { foldNodes, totalOf, type Sketch } from './sketch.ts'
import type { TwinEvidence } from './twin-evidence.ts'

export interface PageMemory {
  /** The version that visits are compared with. */
  sketch: Sketch
  /** Keys of the states it was seen in, the newest first. */
  states: StateKey[]
  noise: LearntNoise | null
}

export interface JudgedVisit {
  outcome: 'changed' | 'unchanged' | 'noise'
  /** The page shows a state again that it had shortly before. */
  isReturn: boolean
  change: Change
  memory: PageMemory
  /** A twin of this visit would teach something. */
  wantsTwin: boolean
  /** Ignored regions that may hide what people watch for, found by this visit. */
  warnings: NoiseRegion[]
}

export interface JudgeOptions {
  at: number
  threshold: number
  /** Changes found before this visit. */
  changes: number
}

/** States remembered: enough for a page that rotates among a few, few enough that a page may return
 * to what it was last year and count. */
const STATES_MAX = 4
/** Twins follow the first changes, which may be noise that is not known yet; later they cost more than they teach. */
const EARLY_CHANGES = 3
/** A page may get a noisy part late in its life: a twin now and then finds it. */
const LATER_CHANGES_EVERY = 8

export function firstVisit(sketch: Sketch): PageMemory {
  return { sketch, states: statesAfter([], sketch, null), noise: null }
}

export function judgeVisit(memory: PageMemory, after: Sketch, options: JudgeOptions): JudgedVisit {
  const { at, threshold, changes } = options
  const mask = maskAt(memory.noise, at)
  const change = compareSketches(memory.sketch, after, { mask, threshold })
  const isReturn = change.changed && isKnownState(memory.states.slice(1), after, mask)
  const isChange = change.changed && !isReturn
  const isOnlyNoise = !change.changed && change.hasIgnored
  const noise =
    memory.noise === null || mask === null
      ? memory.noise
      : countMaskedVisit(memory.noise, [memory.sketch, after], at)
  const known = new Set(warnedRegions(memory.noise, at).map(({ key }) => key))
  const isEarly = changes < EARLY_CHANGES || changes % LATER_CHANGES_EVERY === 0
  return {
    outcome: isChange ? 'changed' : isOnlyNoise ? 'noise' : 'unchanged',
    isReturn,
    change: isChange ? change : { ...change, isImportant: false },
    memory: {
      sketch: isOnlyNoise ? memory.sketch : after,
      states: change.changed ? statesAfter(memory.states, after, mask) : memory.states,
      noise,
    },
    wantsTwin: (isChange && isEarly) || change.hasIgnored || isUndecided(noise),
    warnings: warnedRegions(noise, at).filter(({ key }) => !known.has(key)),
  }
}

/** What a twin teaches. The version that visits are compared with stays: a twin observes no change. */
export function learnTwin(
  memory: PageMemory,
  evidence: TwinEvidence,
  at: number,
): { memory: PageMemory; wantsTwin: boolean } {
  const noise = learnNoise(memory.noise, evidence, at)
  const [before, after] = [maskAt(memory.noise, at), maskAt(noise, at)]
  // States are distinguished without noise: those from before another mask cannot be recognised any more.
  const states = isSameMask(before, after) ? memory.states : statesAfter([], memory.sketch, after)
  return { memory: { ...memory, states, noise }, wantsTwin: isUndecided(noise) }
}

function isSameMask(first: NoiseMask | null, second: NoiseMask | null): boolean {
  const keysOf = (mask: NoiseMask | null): number[] =>
    [...(mask?.keys ?? [])].toSorted((a, b) => a - b)
  return first?.bits === second?.bits && String(keysOf(first)) === String(keysOf(second))
}

/** The newest first, each once. */
function statesAfter(
  states: readonly StateKey[],
  after: Sketch,
  mask: NoiseMask | null,
): StateKey[] {
  const key = stateKey(after, mask)
  return [key, ...states.filter((state) => state !== key)].slice(0, STATES_MAX)
}

/** A short text; equal for equal states. */
export type StateKey = string

/**
 * Pages that go back and forth between a few versions (two servers out of step, an experiment): a state
 * seen shortly before is no new version. The caller keeps the last few keys of a page.
 */
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
