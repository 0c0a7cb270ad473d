/** What goes wrong at the fake wiki, by a script that tests write: which requests, how often, how. */

import type { WikiOperation } from './operation.ts'

type Trick =
  /** Its databases lag behind: an error inside HTTP 200. */
  | { kind: 'lag'; seconds: number; retryAfter?: number }
  | { kind: 'status'; status: number; retryAfter?: number | string }
  /** An error inside HTTP 200, for example `ratelimited`, `readonly`, `internal_api_error_DBQueryError`. */
  | { kind: 'error'; code: string; info?: string }
  /** A proxy answers in the wiki's place, with a page. */
  | { kind: 'html' }
  | { kind: 'body'; body: string; type?: string }
  /** The connection breaks after so many bytes of the body. */
  | { kind: 'cut'; bytes: number }
  | { kind: 'slow'; ms: number }
  /** No answer ever. */
  | { kind: 'hang' }
  | { kind: 'reset' }
  /** The continuation is the one that was asked for, or the first one of all. */
  | { kind: 'loop' }
  /** Revisions that are silently left out. */
  | { kind: 'lose'; revids: number[] }
  /** Something happens to the wiki just before it answers. */
  | { kind: 'operations'; perform: WikiOperation[] }
  | { kind: 'namespaces'; names: Record<number, string> }

export type WikiFault = Trick & {
  /** A regular expression on path and query; all requests where absent. */
  match?: string
  /** Begins with the nth request that matches, counted from when the fault was set; 1 where absent. */
  from?: number
  /** For so many requests; null: for ever; 1 where absent. */
  times?: number | null
}

export interface FaultBook {
  add(faults: readonly WikiFault[]): void
  befalling(path: string): WikiFault[]
}

export function openFaultBook(faults: readonly WikiFault[]): FaultBook {
  const entries = new Map<WikiFault, number>()
  const add = (more: readonly WikiFault[]): void => {
    for (const fault of more) entries.set(fault, 0)
  }
  add(faults)
  return {
    add,
    befalling: (path) =>
      [...entries].flatMap(([fault, before]) => {
        if (fault.match !== undefined && !new RegExp(fault.match, 'i').test(path)) return []
        const seen = before + 1
        entries.set(fault, seen)
        const { from = 1, times = 1 } = fault
        const isNow = seen >= from && (times === null || seen < from + times)
        return isNow ? [fault] : []
      }),
  }
}
