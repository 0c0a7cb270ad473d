/** What is asked of the thread that unpacks and reads what strangers sent, and how it is answered there. */
import { BadUpload, type Result } from '@minga/protocol'
import { checkResults, type CheckBudget, type CheckedResults } from './check-results.ts'
import { openUpload, type OpenedUpload, type Opening } from './open-upload.ts'

export interface CheckQuestion {
  results: Result[]
  members: Uint8Array
  isProven: boolean
  /** Positions of the results whose page facts are wanted. */
  pages: number[]
  /** By position: between which times a capture was made; null when that is not checked. */
  windows: ([from: number, to: number] | null)[]
  budget: CheckBudget
}

export type CheckCall = { open: Opening } | { check: CheckQuestion }

export interface CheckAnswer {
  opened?: OpenedUpload
  /** Why the upload is refused as a whole. */
  problem?: string
  checked?: CheckedResults
}

export function answerCheckCall(call: CheckCall): CheckAnswer {
  if ('check' in call) return { checked: check(call.check) }
  try {
    return { opened: openUpload(call.open) }
  } catch (error) {
    if (!(error instanceof BadUpload)) throw error
    return { problem: error.problem }
  }
}

function check({ results, members, pages, windows, ...checking }: CheckQuestion): CheckedResults {
  const wanted = new Set(pages)
  const bytes = Buffer.from(members.buffer, members.byteOffset, members.byteLength)
  return checkResults(results, bytes, {
    ...checking,
    wantsPage: (_result, position) => wanted.has(position),
    window: (position) => windows[position] ?? null,
  })
}
