/**
 * Many small segments of a part become few. Segments are compared by size: as soon as several of
 * about one size are there, they become one of the next size. So a byte is rewritten a few times in
 * all, and the number of segments grows with the logarithm of what they hold.
 */
import { rewriteSegments } from './rewrite-segments.ts'
import type { RevisionStore } from './revision-store.ts'
import type { SegmentRow } from './segment-operations.ts'

/** Segments of one size that make one of the next. Fewer means more writing, more means slower reading. */
const FAN = 4
/** Below it all are of one size: files so small cost more than what is in them. */
const SMALLEST_BYTES = 16 * 1024 * 1024

/** Which segments are to become one, if any; `isWhole`: all of a part, whatever their sizes. */
export function chooseCompaction(
  segments: readonly SegmentRow[],
  isWhole: boolean,
): SegmentRow[] | null {
  for (const ofPart of Map.groupBy(segments, ({ part }) => part).values()) {
    if (isWhole && ofPart.length > 1) return ofPart
    for (const alike of Map.groupBy(ofPart, sizeOf).values()) {
      if (alike.length >= FAN) return alike
    }
  }
  return null
}

function sizeOf({ rawBytes }: SegmentRow): number {
  return Math.ceil(Math.log(Math.max(1, rawBytes / SMALLEST_BYTES)) / Math.log(FAN))
}

/** Returns how many segments went into others. */
export async function compactWiki(
  store: RevisionStore,
  wikiId: number,
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<number> {
  let compacted = 0
  for (;;) {
    const { segments } = await store.call('wikiManifest', { wikiId })
    const chosen = chooseCompaction(segments, isWhole)
    if (chosen === null) return compacted
    const ids = chosen.map(({ id }) => id)
    // Others are at work on the same segments: they will be done with it, or it is tried next time.
    if (!(await rewriteSegments(store, wikiId, { kind: 'compact', segments: ids })))
      return compacted
    compacted += ids.length
  }
}
