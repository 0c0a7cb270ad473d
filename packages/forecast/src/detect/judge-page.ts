/**
 * May what was fetched be compared at all? An error, a redirect, half a page or a page that only says it
 * is not there tells nothing about the page that was: never a change, and not a state to remember.
 */
import type { PageBody } from './page-body.ts'
import { isSampled, type Block, type Sketch } from './sketch.ts'

export interface PageJudgement {
  counts: boolean
  reason: UncountedReason | null
}

export type UncountedReason =
  | 'error-status'
  | 'redirect'
  | 'truncated'
  | 'empty'
  | 'soft-404'
  | 'unavailable'

/** A page that says "not found" and little else; an article with those words in its title has more. */
const FEW_WORDS = 200
/** Less than this of the page before is left. */
const LITTLE_LEFT = 0.35
/** A page cut short still begins as it did: what is left of it is nearly all from before. */
const CUT_SHORT = 0.8

export function judgePage(page: PageBody, sketch: Sketch, before: Sketch | null): PageJudgement {
  const reason = byStatus(page.status) ?? byContent(page, sketch, before)
  return { counts: reason === null, reason }
}

function byStatus(status: number): UncountedReason | null {
  if (status >= 300 && status < 400) return 'redirect'
  if (status < 200 || status >= 400) return 'error-status'
  return status === 206 ? 'truncated' : null
}

function byContent(page: PageBody, sketch: Sketch, before: Sketch | null): UncountedReason | null {
  if (page.isTruncated) return 'truncated'
  if (before !== null && isEmptied(page, sketch, before)) return 'empty'
  if (sketch.alarm !== null && sketch.alarm !== before?.alarm && isOutOfPlace(sketch, before)) {
    return sketch.alarm === 'missing' ? 'soft-404' : 'unavailable'
  }
  return before !== null && isCutShort(sketch, before) ? 'truncated' : null
}

function isEmptied(page: PageBody, sketch: Sketch, before: Sketch): boolean {
  if (page.body.byteLength === 0) return before.words > 0 || before.kind === 'binary'
  return sketch.kind !== 'binary' && sketch.words === 0 && before.words > 0
}

function isOutOfPlace(sketch: Sketch, before: Sketch | null): boolean {
  if (before === null) return sketch.words < FEW_WORDS
  const isRetitled = sketch.title !== before.title
  if (isRetitled && sketch.words < FEW_WORDS) return true
  return alikeness(before, sketch).kept < LITTLE_LEFT
}

/**
 * The connection closed in the middle unnoticed: the end is missing, everything before it is
 * unchanged.
 */
function isCutShort(sketch: Sketch, before: Sketch): boolean {
  if (sketch.kind !== 'html' || !before.isClosed || sketch.isClosed) return false
  return sketch.words < before.words && alikeness(before, sketch).known > CUT_SHORT
}

interface Alikeness {
  /** The share of the first that is in the second. */
  kept: number
  /** The share of the second that was in the first. */
  known: number
}

/** How much two versions share, by the weight of their blocks. */
function alikeness(before: Sketch, after: Sketch): Alikeness {
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
