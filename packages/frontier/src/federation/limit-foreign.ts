/**
 * What another station wants gathered, within what this one allows: a member decides what it asks of the
 * federation, and the receiver decides how its own agents treat sites. The original is stored next to it and is what
 * further stations receive, so that the limits of one are never the limits of another.
 */
import { checkPatterns } from '@minga/net'
import { isMingaError, type CollectionSpec } from '@minga/protocol'
import type { LimitShare } from './entries.ts'

/** The receiver's own; null: no limit. */
export interface ForeignLimits {
  /** No shorter pause between two requests to a host. */
  delayMs: number
  /** Of one collection at this station. */
  pagesMax: number | null
  bytesMax: number | null
}

/** As with a request of a user here: more tries are no politeness. */
const RETRIES_MAX = 5

export interface LimitedSpec {
  spec: CollectionSpec
  /** Why nothing of it is queued here; null: it may be. */
  refusal: string | null
}

export function limitForeign(asked: CollectionSpec, { delayMs }: ForeignLimits): LimitedSpec {
  const spec: CollectionSpec = {
    ...asked,
    delayMs: Math.max(asked.delayMs, delayMs),
    delayMinMs: Math.max(asked.delayMinMs, delayMs),
    inFlightPerHost: 1,
    retries: Math.min(asked.retries, RETRIES_MAX),
  }
  const refusal = patternRefusal(asked)
  if (refusal === null) return { spec, refusal }
  // Nothing compiles patterns that were refused; without them the scope must not be wider.
  return { spec: { ...spec, scope: 'page', include: [], exclude: [] }, refusal }
}

function patternRefusal(spec: CollectionSpec): string | null {
  try {
    checkPatterns(spec)
    return null
  } catch (error) {
    if (!isMingaError(error)) throw error
    return error.code
  }
}

export function limitShare(
  share: LimitShare,
  { pages, bytes }: { pages: number | null; bytes: number | null },
): LimitShare {
  return { pages: least(share.pages, pages), bytes: least(share.bytes, bytes) }
}

function least(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}
