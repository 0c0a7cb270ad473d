/** Steps become queued requests: each once, in the order in which they are wanted. */
import { discover, type Candidate } from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import type { Sql } from '@minga/store'
import { urlOfStep, type WikiStep } from '@minga/wiki'
import { admit } from '../../station/admission.ts'

interface Queueing {
  collectionId: number
  steps: readonly WikiStep[]
  guard: GuardPolicy
  /** The request that led to them; hops count redirects in a row. */
  via?: string | null
  hops?: number
}

/** Answers how many of them are new. */
export async function queueSteps(sql: Sql, args: Queueing): Promise<number> {
  const { collectionId, steps, guard, via = null, hops = 0 } = args
  const candidates: Candidate[] = []
  for (const step of steps) {
    const { url, refusal } = admit(urlOfStep(step), 'wikiStep', { guard })
    if (url === null) continue
    const code = refusal?.code ?? null
    candidates.push({ url, kind: 'document', depth: orderOf(step), hops, via, refusal: code })
  }
  return discover(sql, { collectionId, candidates, trapBudget: false })
}

const [FIRST, NEW_PAGE, LISTING] = [0, 1, 2]

/** A page that was begun is finished before the next, and pages that are known before more are listed:
 * whatever interrupts a long extraction, most of what it fetched is whole pages. */
function orderOf(step: WikiStep): number {
  switch (step.kind) {
    case 'titles':
    case 'allpages':
    case 'category':
      return LISTING
    case 'revisions':
    case 'historyPage':
      return step.soFar > 0 ? FIRST : NEW_PAGE
    case 'export':
      return NEW_PAGE
    default:
      return FIRST
  }
}
