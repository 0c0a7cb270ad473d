/** What a crawl says when it ends: one sentence, the counts, and what to do next. */
import type { CollectionStatus } from '@minga/protocol'
import { resolve } from 'node:path'
import { EXIT } from '../../exit-codes.ts'
import { formatBytes, formatSeconds, readable } from '../../progress.ts'

/** The end of a collection, as the command line shows it. */
export type CrawlEnd = Omit<CollectionStatus, 'id' | 'owner' | 'createdAt' | 'endedAt'>

export interface RunFacts {
  pagesBefore: number
  seconds: number
  data: string
}

/** A crawl that captured nothing has failed, whatever ended it; some failed pages are part of a result. */
export function crawlExitCode(
  { outcome }: Pick<CrawlEnd, 'outcome'>,
  isInterrupted: boolean,
): number {
  if (isInterrupted) return EXIT.interrupted
  return outcome === 'failed' ? EXIT.error : EXIT.ok
}

/** The contract of `--json`. */
export function crawlTotals(end: CrawlEnd, { pagesBefore, seconds }: RunFacts) {
  const { pages, bytes, captures, failed, denied, duplicates } = end
  const { filtered, linksDropped, outcome, problem } = end
  return {
    pages,
    bytes,
    captures,
    failed,
    denied,
    duplicates,
    filtered,
    linksDropped,
    outcome,
    problem,
    seconds: Number(seconds.toFixed(3)),
    pagesPerSecond: Number(rateOf(end, { pagesBefore, seconds }).toFixed(2)),
  }
}

const rateOf = (
  { pages }: CrawlEnd,
  { pagesBefore, seconds }: Pick<RunFacts, 'pagesBefore' | 'seconds'>,
): number => (seconds > 0 ? (pages - pagesBefore) / seconds : 0)

export function crawlText(end: CrawlEnd, facts: RunFacts): string {
  const { pages, bytes, captures, failed, denied, duplicates, queued } = end
  const { filtered, linksDropped } = end
  const rate = rateOf(end, facts).toFixed(1)
  const lines = [
    `${pages} pages, ${captures} captures, ${formatBytes(bytes)} in ${formatSeconds(facts.seconds)} (${rate} pages/s): ${endText(end)}`,
    `  ${failed} failed, ${denied} denied, ${duplicates} duplicates, ${queued} left`,
    ...(filtered > 0 ? [`  ${filtered} links left out by filters`] : []),
    ...(linksDropped > 0
      ? [`  ${linksDropped} links left out: only 10,000 of a page are read`]
      : []),
    ...Object.entries(end.errors).map(
      ([code, count]) => `  ${String(count).padStart(7)}  ${readable(code)} (${code})`,
    ),
    ...problemLines(end),
    `  archive: ${resolve(facts.data)}/archive`,
    ...(end.state === 'finished' && pages > 0
      ? ['  next: minga archive list · minga up to browse']
      : []),
  ]
  return `\n${lines.join('\n')}\n`
}

function endText({ state, outcome, reason, failed, spec }: CrawlEnd): string {
  if (state === 'running') return 'stopped; run it again to continue'
  if (state !== 'finished') return state
  if (outcome === 'at-limit') return limitText(reason, spec)
  if (outcome === 'with-errors') return `finished with ${failed} errors`
  return outcome === 'stopped' ? 'stopped by a user' : (outcome ?? state)
}

function limitText(reason: string | null, spec: CrawlEnd['spec']): string {
  const limits: Record<string, string> = {
    'max-pages': `${spec.maxPages} pages`,
    'max-bytes': formatBytes(spec.maxBytes ?? 0),
    'max-time': formatSeconds(spec.maxTimeS ?? 0),
  }
  return `stopped at its limit of ${limits[reason ?? ''] ?? reason}`
}

function problemLines({ outcome, problem }: CrawlEnd): string[] {
  if (problem === null) return []
  const where = problem.url === null ? '' : ` (${problem.url})`
  const start = outcome === 'failed' ? 'Nothing was captured' : 'Most frequent error'
  return [`${start}: ${problem.message}${where}. ${problem.remedy}`]
}
