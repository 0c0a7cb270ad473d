/**
 * Pages of a collection's captures, newest first. The station gives the newest ones at once; older
 * ones are found by walking down in windows of ids, since it lists upwards from any id: a window of
 * n ids holds at most n captures, so asking for n skips none and never scans the whole table.
 * Windows grow while a page stays short: captures of other collections may lie in between.
 */
import type { Capture } from '../api/api-types.ts'

export const PAGE_ROWS = 25
const FIRST_WINDOW_IDS = 50
const LAST_WINDOW_IDS = 5_000
/** A page that found little in this many windows shows what it has, and the next one goes on. */
const WINDOWS_MAX = 12

export interface CapturePage {
  captures: Capture[]
  /** Pass it on to get the next page; 0 when there is nothing further down. */
  before: number
}

export interface CaptureSource {
  collectionId: number
  /** The collection's own, newest first. */
  readNewest(limit: number): Promise<Capture[]>
  /** Captures of all collections with ids above `afterId`, oldest first. */
  readAfter(afterId: number, limit: number): Promise<Capture[]>
}

/** Captures with ids below `before`, or the newest when it is null. */
export async function capturePage(
  source: CaptureSource,
  before: number | null,
): Promise<CapturePage> {
  if (before !== null) return olderPage(source, before)
  const captures = await source.readNewest(PAGE_ROWS)
  const isFull = captures.length === PAGE_ROWS
  return { captures, before: isFull ? captures.at(-1)!.id : 0 }
}

async function olderPage(source: CaptureSource, before: number): Promise<CapturePage> {
  const captures: Capture[] = []
  let top = before
  let size = FIRST_WINDOW_IDS
  for (let i = 0; i < WINDOWS_MAX && top > 1 && captures.length < PAGE_ROWS; i++) {
    const bottom = Math.max(1, top - size)
    const window = await source.readAfter(bottom - 1, top - bottom)
    const ours = window.filter(
      ({ id, collectionId }) => id < top && collectionId === source.collectionId,
    )
    captures.push(...ours.toReversed())
    top = bottom
    size = Math.min(size * 2, LAST_WINDOW_IDS)
  }
  if (captures.length > PAGE_ROWS) {
    captures.length = PAGE_ROWS
    top = captures.at(-1)!.id
  }
  return { captures, before: top > 1 ? top : 0 }
}
