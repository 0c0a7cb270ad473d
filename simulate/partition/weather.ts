/** What befalls a crawl, in figures. */
import type { Cell } from './cells.ts'
import { THESIS_CRAWL, type CrawlRules } from './crawl-rules.ts'

/** Of the whole crawl: when a robot leaves, and when it comes back. */
export const CHURN_SHARES: readonly { leaves: number; returns: number | null }[] = [
  { leaves: 0.1, returns: 0.4 },
  { leaves: 0.2, returns: 0.5 },
  { leaves: 0.3, returns: null },
]
/** Counts of pages are wrong by a factor of e, up or down, in a third of all cases. */
export const ROUGH_SIGMA = 1
/** Where nothing is known at first, it is planned again when so much has been fetched. */
export const REPLAN_SHARES = [0.02, 0.1, 0.3]

const CHANGES: Record<Cell['weather'], Partial<CrawlRules>> = {
  calm: {},
  lossy: { loss: 0.02, jitter: 0.5 },
  churn: {},
  'rough-counts': {},
  unknown: { pageCounts: 'found' },
  'wide-lines': { sharing: 'connection' },
}

export function rulesOf({ politeness, unit, weather }: Cell): CrawlRules {
  return { ...THESIS_CRAWL, politeness, unit, ...CHANGES[weather] }
}
