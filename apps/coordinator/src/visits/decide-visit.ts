/**
 * Step 8, second half: what a visit found. Pure. The rules, in order:
 *   failed     an error, an error page that says 200, a cut body, a redirect that leads nowhere:
 *              never a change, and nothing is forgotten of what counted before;
 *   first      there is nothing to compare with;
 *   unchanged  the same digest, only noise, or a state that the archive already holds (a page that
 *              alternates between two versions shows no third one);
 *   changed    the rest, with its magnitudes.
 */
import {
  BadSketch,
  compareSketches,
  decodeMask,
  decodeSketch,
  encodeMask,
  isKnownState,
  learnNoise,
  stateKey,
  type Change,
  type NoiseMask,
  type Sketch,
  type StateKey,
} from '@minga/forecast'
import type { VisitOutcome } from '@minga/protocol'
import type { ForecastRow, WatchRow } from './forecast-rows.ts'
import type { Reading } from './read-visits.ts'
import type { Memory } from './sketch-rows.ts'

export type Finding =
  | { type: 'failed'; at: number; code: string }
  | {
      type: 'seen'
      at: number
      digest: string
      bytes: number
      reading: Reading | null
      /** Where the document was fetched that the visit led to. */
      hostId: number
      hash: number
    }

type Magnitudes = Pick<Change, 'visual' | 'structural' | 'content' | 'magnitude' | 'isImportant'>

export interface Visit {
  outcome: VisitOutcome
  at: number
  code: string | null
  change: Magnitudes
  bytes: number
  captureId: number | null
  /** Null: what is remembered stays as it is. */
  memory: Memory | null
  /** The second look of a pair teaches what is noise; it observes nothing. */
  isTwin: boolean
}

export interface Deciding {
  forecast: ForecastRow
  watch: WatchRow
  memory: Memory | null
  finding: Finding
  captureId: number | null
  /** Digest of the capture that counted until now. */
  formerDigest: string | null
}

/** States remembered: enough for a page that rotates among a few, few enough that a page may return
 * to what it was last year and count. */
const STATES_MAX = 4
/** A pair of looks is made soon after the first visit and after early changes: later the mask knows. */
const TWIN_CHANGES_MAX = 3
/** The second look is wanted within this; later, what differs may be a change. */
const TWIN_WITHIN_MS = 60_000

const NOTHING: Magnitudes = {
  visual: 0,
  structural: 0,
  content: 0,
  magnitude: 0,
  isImportant: false,
}

export function decideVisit(args: Deciding): Visit {
  const { finding, captureId } = args
  const { at } = finding
  const base = { at, code: null, change: NOTHING, bytes: 0, captureId, memory: null, isTwin: false }
  if (finding.type === 'failed') return { ...base, outcome: 'failed', code: finding.code }
  const { reading, digest, bytes } = finding
  const seen = { ...base, bytes }
  if (reading === null) {
    // Known by its digest: not a byte has changed.
    const isSame = digest === args.formerDigest
    if (!isSame) return { ...seen, outcome: 'failed', code: 'MINGA_VISIT_UNREADABLE' }
    const isPair = isTwin(args.memory, at)
    return { ...seen, outcome: 'unchanged', memory: withoutTwin(args.memory), isTwin: isPair }
  }
  if (reading.reason !== null || reading.sketch === null) {
    return { ...seen, outcome: 'failed', code: reading.reason ?? 'unreadable' }
  }
  const memory = readable(args.memory)
  return compareVisit({ ...args, memory }, { seen, bytes: reading.sketch, reading })
}

/** What an older or damaged program left is as if nothing were remembered: the visit is a first one. */
function readable(memory: Memory | null): Memory | null {
  if (memory === null) return null
  try {
    decodeSketch(memory.sketch)
    maskOf(memory)
    return memory
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}

interface Comparing {
  seen: Omit<Visit, 'outcome'>
  bytes: Uint8Array
  reading: Reading
}

function compareVisit(args: Deciding, { seen, bytes, reading }: Comparing): Visit {
  const { forecast, watch } = args
  const after = decodeSketch(bytes)
  const former = reading.former.find(
    ({ hostId, hash }) => hostId === forecast.host_id && hash === forecast.hash,
  )
  const before = args.memory?.sketch ?? former?.sketch ?? null
  if (before === null) {
    const memory = { sketch: bytes, states: statesAfter([], after, null), noise: null }
    return {
      ...seen,
      outcome: 'first',
      memory: { ...memory, twin_until: seen.at + TWIN_WITHIN_MS },
    }
  }
  const earlier = decodeSketch(before)
  const mask = maskOf(args.memory)
  if (isTwin(args.memory, seen.at)) {
    const learnt = learnNoise(mask, earlier, after)
    // States are told apart without noise: those from before the lesson cannot be met any more.
    const states = statesAfter([], earlier, learnt)
    const memory = { sketch: before, states, noise: encodeMask(learnt), twin_until: null }
    return { ...seen, outcome: 'unchanged', code: 'twin', memory, isTwin: true }
  }
  const change = compareSketches(earlier, after, { mask, threshold: watch.settings.threshold })
  const states = statesOf(args.memory)
  const isReturn = change.changed && isKnownState(states.slice(1), after, mask)
  const isChange = change.changed && !isReturn
  const isEarly = isChange && forecast.changes < TWIN_CHANGES_MAX
  return {
    ...seen,
    outcome: isChange ? 'changed' : 'unchanged',
    code: isReturn ? 'known-state' : null,
    change: isChange ? change : { ...change, isImportant: false },
    memory: {
      sketch: bytes,
      states: change.changed ? statesAfter(states, after, mask) : JSON.stringify(states),
      noise: args.memory?.noise ?? null,
      twin_until: isEarly ? seen.at + TWIN_WITHIN_MS : null,
    },
  }
}

function isTwin(memory: Memory | null, at: number): boolean {
  return memory?.twin_until != null && at <= memory.twin_until
}

const withoutTwin = (memory: Memory | null): Memory | null =>
  memory?.twin_until == null ? null : { ...memory, twin_until: null }

function maskOf(memory: Memory | null): NoiseMask | null {
  return memory?.noise == null ? null : decodeMask(memory.noise)
}

function statesOf(memory: Memory | null): StateKey[] {
  return memory === null ? [] : (JSON.parse(memory.states) as StateKey[])
}

/** The newest first, each once. */
function statesAfter(states: readonly StateKey[], after: Sketch, mask: NoiseMask | null): string {
  const key = stateKey(after, mask)
  const others = states.filter((state) => JSON.stringify(state) !== JSON.stringify(key))
  return JSON.stringify([key, ...others].slice(0, STATES_MAX))
}
