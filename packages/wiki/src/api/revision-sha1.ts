/** SHA-1 of texts and of whole revisions, as MediaWiki computes them. */
import { hash } from 'node:crypto'
import type { Revision, Slot } from '../model.ts'
import { base36OfSha1 } from '../sha1-base36.ts'
import { gapOf, type Gap } from './gap.ts'

/** 40 hex digits. */
export function sha1Of(bytes: Uint8Array | string): string {
  return hash('sha1', bytes, 'hex')
}

/**
 * One slot: its own. Several: in the order of their roles, the sum so far and the next one are written in
 * base 36, put together and hashed again. Null when one of them is not known.
 */
export function combinedSha1(
  slots: readonly { role: string; sha1: string | null }[],
): string | null {
  const ordered = slots.toSorted((a, b) => (a.role < b.role ? -1 : 1))
  let combined: string | null = null
  for (const { sha1 } of ordered) {
    if (sha1 === null) return null
    combined = combined === null ? sha1 : sha1Of(base36OfSha1(combined) + base36OfSha1(sha1))
  }
  return combined ?? sha1Of('')
}

/** What a revision and its texts say of themselves and do not keep. */
export function checkTexts(revision: Revision): Gap[] {
  const gaps = revision.slots.flatMap((slot) => checkSlot(revision, slot))
  const combined = combinedSha1(revision.slots.map(statedOrOwn))
  const isWhole = revision.slots.length > 1 && revision.slots.every(({ text }) => text !== null)
  if (isWhole && revision.sha1 !== null && combined !== revision.sha1 && gaps.length === 0) {
    gaps.push(gapOf('sha1-wrong', revision, `All slots together have ${combined}.`))
  }
  return gaps
}

function statedOrOwn({ role, sha1, text }: Slot): { role: string; sha1: string | null } {
  return { role, sha1: sha1 ?? (text === null ? null : sha1Of(text)) }
}

function checkSlot(revision: Revision, slot: Slot): Gap[] {
  const { text, role } = slot
  if (text === null) {
    if (revision.hidden.includes('text')) return []
    return [gapOf('text-missing', revision, `Slot ${role}.`)]
  }
  const isOnly = revision.slots.length === 1
  const sha1 = slot.sha1 ?? (isOnly ? revision.sha1 : null)
  const own = sha1 === null ? null : sha1Of(text)
  if (own !== sha1) return [gapOf('sha1-wrong', revision, `Slot ${role} has ${own}, not ${sha1}.`)]
  const size = slot.size ?? (isOnly ? revision.size : null)
  // Wikis that never counted old revisions answer 0, and some models of other slots (`mediainfo`) count
  // something else than bytes; a right SHA-1 proves the text all the same.
  const isUncounted = sha1 !== null && (size === 0 || role !== 'main')
  if (size === null || size === text.length || isUncounted) return []
  return [gapOf('size-wrong', revision, `Slot ${role} has ${text.length} bytes, not ${size}.`)]
}
