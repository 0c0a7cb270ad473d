/**
 * How much to ask for at a time. Too much (a body too large, a database out of memory or time) is halved,
 * down to one; success grows it back by a quarter. A revision that cannot be had even alone is passed over
 * without its text and recorded.
 */
import { gapOf, type Gap } from './gap.ts'
import type { WikiProblem } from './wiki-news.ts'
import { LIST_LIMIT, type HistoryPageStep, type Ticket, type WikiStep } from './wiki-step.ts'

/** Lists without texts are small: what fails with so few fails for another reason. */
const LIST_LEAST = 10

export function largerLimit(limit: number, most: number): number {
  return Math.max(limit, Math.min(most, limit + Math.max(1, limit >> 2)))
}

export interface Smaller {
  next: WikiStep[]
  gaps: Gap[]
}

/** Null: it cannot be made smaller. */
export function smallerStep(step: WikiStep, problem: WikiProblem): Smaller | null {
  switch (step.kind) {
    case 'revisions': {
      if (step.limit > 1) return only({ ...step, limit: step.limit >> 1 })
      return step.withText ? only({ ...step, withText: false }) : null
    }
    case 'byIds': {
      if (step.revIds.length > 1)
        return halves(step.revIds, (revIds) => ({ ...step, revIds, more: {} }))
      return alone({ pageId: step.pageId, revId: step.revIds[0] ?? null }, problem)
    }
    case 'titles':
      return step.of.length > 1 ? halves(step.of, (of) => ({ ...step, of, more: {} })) : null
    case 'ids':
    case 'allpages':
    case 'category':
    case 'recentchanges':
    case 'logevents':
    case 'historyPage':
      return step.limit > LIST_LEAST ? only({ ...step, limit: step.limit >> 1 }) : null
    case 'raw':
    case 'source':
      return alone(step, problem)
    case 'export': {
      const { index, title, ticket } = step
      return only(historyPageOf(index, title, ticket))
    }
    case 'discover':
    case 'siteinfo':
      return null
  }
}

/** One revision that is too large stays so; a wiki that fails inside may do better later. */
function alone(
  where: { pageId: number; revId: number | null },
  problem: WikiProblem,
): Smaller | null {
  if (problem.code !== 'MINGA_WIKI_TOO_LARGE') return null
  return { next: [], gaps: [gapOf('text-unreadable', where, problem.message)] }
}

export function historyPageOf(index: string, title: string, ticket: Ticket): HistoryPageStep {
  return { kind: 'historyPage', index, title, offset: null, limit: LIST_LIMIT, soFar: 0, ticket }
}

function only(step: WikiStep): Smaller {
  return { next: [step], gaps: [] }
}

function halves<Item>(items: Item[], step: (items: Item[]) => WikiStep): Smaller {
  const middle = items.length >> 1
  return { next: [step(items.slice(0, middle)), step(items.slice(middle))], gaps: [] }
}
