/**
 * Step 8, second half: what a visit found. Pure. The rules, in order:
 *   twin       the second fetch of a requested pair: it teaches what is noise and observes nothing;
 *   failed     an error, an error page that says 200, a cut body, a redirect that leads nowhere:
 *              never a change, and nothing is forgotten of what counted before;
 *   first      there is nothing to compare with;
 *   noise      only regions differ that are ignored as noise;
 *   unchanged  the same digest, nothing that counts, or a state that the archive already holds (a page
 *              that alternates between two versions shows no third one);
 *   changed    the rest, with its magnitudes.
 */
import {
  BadSketch,
  decodeNoise,
  decodeSketch,
  encodeNoise,
  encodeSketch,
  firstVisit,
  isMasked,
  judgeVisit,
  learnTwin,
  type Change,
  type NoiseRegion,
  type PageMemory,
  type StateKey,
} from '@minga/forecast'
import type { VisitOutcome } from '@minga/protocol'
import type { ForecastRow, WatchRow } from '../plan/forecast-rows.ts'
import type { Reading } from './read-visits.ts'
import type { Memory } from './sketch-rows.ts'
import { TWINS_MS, twinUntil, type TwinRequest } from './twin-requests.ts'

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
  /** The second fetch of a pair teaches what is noise; it observes nothing. */
  isTwin: boolean
  /** A twin is to follow; null: none. */
  twin: { visitId: number | null; visitedAt: number } | null
  /** Ignored regions that may hide what people watch for, found by this visit. */
  warnings: NoiseRegion[]
}

export interface Deciding {
  forecast: ForecastRow
  watch: WatchRow
  memory: Memory | null
  finding: Finding
  captureId: number | null
  /** Digest of the capture that counted until now. */
  formerDigest: string | null
  /** This visit was queued as a twin; null: it is an ordinary one. */
  twin: TwinRequest | null
}

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
  const none = { memory: null, isTwin: false, twin: null, warnings: [] }
  const base = { at, code: null, change: NOTHING, bytes: 0, captureId, ...none }
  if (args.twin !== null) return decideTwin(args, args.twin, base)
  if (finding.type === 'failed') return { ...base, outcome: 'failed', code: finding.code }
  const { reading, digest, bytes } = finding
  const seen = { ...base, bytes }
  if (digest === args.formerDigest && (args.memory !== null || reading === null)) {
    return { ...seen, outcome: 'unchanged', memory: countedStill(args) }
  }
  if (reading === null) return { ...seen, outcome: 'failed', code: 'MINGA_VISIT_UNREADABLE' }
  if (reading.reason !== null || reading.sketch === null) {
    return { ...seen, outcome: 'failed', code: reading.reason ?? 'unreadable' }
  }
  return compareVisit(args, { seen, bytes: reading.sketch, reading })
}

type Base = Omit<Visit, 'outcome'>

/** One that failed, came too late or cannot be compared teaches nothing, and is no visit either. */
function decideTwin(args: Deciding, request: TwinRequest, base: Base): Visit {
  const { finding, forecast } = args
  const twin: Visit = { ...base, outcome: 'unchanged', code: 'twin', isTwin: true }
  const memory = readable(args.memory)
  const isLate = finding.at > twinUntil(request)
  if (finding.type === 'failed' || isLate || memory === null) return twin
  const read = finding.reading?.twins.find(
    ({ hostId, hash, captureId }) =>
      hostId === forecast.host_id && hash === forecast.hash && captureId === request.capture_id,
  )
  const seen = { ...twin, bytes: finding.bytes }
  if (read === undefined) return seen
  const learnt = learnTwin(memory, read.evidence, finding.at)
  const isInTime = finding.at < request.visited_at + TWINS_MS
  return {
    ...seen,
    memory: stored(learnt.memory, finding.at),
    twin:
      learnt.wantsTwin && isInTime
        ? { visitId: request.visit_id, visitedAt: request.visited_at }
        : null,
  }
}

/** What an older or damaged program left is as if nothing were remembered: the visit is a first one. */
function readable(memory: Memory | null): PageMemory | null {
  if (memory === null) return null
  try {
    return {
      sketch: decodeSketch(memory.sketch),
      states: JSON.parse(memory.states) as StateKey[],
      noise: memory.noise === null ? null : decodeNoise(memory.noise),
    }
  } catch (error) {
    if (error instanceof BadSketch) return null
    throw error
  }
}

function stored({ sketch, states, noise }: PageMemory, at: number): Memory {
  const shown = noise?.regions.filter((region) => region.isRestored || isMasked(region, at)) ?? []
  return {
    sketch: encodeSketch(sketch),
    states: JSON.stringify(states),
    noise: noise === null ? null : encodeNoise(noise),
    noise_regions: shown.length,
  }
}

/** Not a byte has changed: where noise was learnt, that it stood still is counted. */
function countedStill({ memory, forecast, watch, finding }: Deciding): Memory | null {
  const known = memory?.noise == null ? null : readable(memory)
  if (known === null) return null
  const { threshold } = watch.settings
  const { changes } = forecast
  const judged = judgeVisit(known, known.sketch, { at: finding.at, threshold, changes })
  return stored(judged.memory, finding.at)
}

interface Comparing {
  seen: Base
  bytes: Uint8Array
  reading: Reading
}

function compareVisit(args: Deciding, { seen, bytes, reading }: Comparing): Visit {
  const { forecast, watch } = args
  const { at } = seen
  const after = decodeSketch(bytes)
  const former = reading.former.find(
    ({ hostId, hash }) => hostId === forecast.host_id && hash === forecast.hash,
  )
  const memory = readable(args.memory) ?? (former ? firstVisit(decodeSketch(former.sketch)) : null)
  const twin = { visitId: null, visitedAt: at }
  if (memory === null) {
    return { ...seen, outcome: 'first', memory: stored(firstVisit(after), at), twin }
  }
  const { threshold } = watch.settings
  const judged = judgeVisit(memory, after, { at, threshold, changes: forecast.changes })
  return {
    ...seen,
    outcome: judged.outcome,
    code: judged.isReturn ? 'known-state' : null,
    change: judged.change,
    memory: stored(judged.memory, at),
    twin: judged.wantsTwin ? twin : null,
    warnings: judged.warnings,
  }
}
