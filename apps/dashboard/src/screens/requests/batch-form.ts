/** From what the user typed to the requested batch. */
import type { BatchRequest, Priority } from '@minga/protocol'
import { linesOf } from '../typed-text.ts'

export interface BatchForm {
  urls: string
  priority: Priority
  /** Also when the archive has the page. */
  isFresh: boolean
}

export const EMPTY_BATCH: BatchForm = { urls: '', priority: 'normal', isFresh: false }
export const PRIORITIES = ['high', 'normal', 'low'] as const satisfies Priority[]

/** Null while there is no address. What is no address ends as denied: the station says so. */
export function batchAsked({ urls, priority, isFresh }: BatchForm): BatchRequest | null {
  const lines = linesOf(urls)
  if (lines.length === 0) return null
  return { urls: lines, priority, ...(isFresh ? { maxAgeS: 0 } : {}) }
}
