/** A job as every source of jobs returns it, and where a page of them ends. */
import type { JobKind, JobState, JobView } from '@minga/protocol'

export interface JobRow extends Omit<JobView, 'acts'> {
  /** The account whose it is; null when it is the station's. */
  owner: string | null
}

/** The last job of the page before. */
export interface JobCursor {
  at: number
  kind: JobKind
  id: string
}

export interface JobsAsked {
  /** Whose jobs of each kind are listed: null is everyone's; of a kind that is not named, none. */
  sees: Partial<Record<JobKind, string | null>>
  state?: JobState | undefined
  after?: JobCursor | undefined
  limit: number
}

/** An error has a code if its writer gave one. */
export function errorOf(text: string | null): JobRow['error'] {
  if (text === null || text === '') return null
  return { code: /\bMINGA_[A-Z0-9_]+\b/.exec(text)?.[0] ?? null, message: text }
}
