/** What answers say about pages: which there are, which have something new, which are done. */
import type { Sql } from '@minga/store'
import {
  clearGaps,
  noteGaps,
  notePages,
  pageRows,
  planPage,
  type PageNews,
  type PageRow,
  type WikiNews,
  type WikiStep,
} from '@minga/wiki'
import type { WikiAnswerNoted } from './note-wiki.ts'
import type { WikiReading } from './read-wiki-answers.ts'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

interface Telling {
  wiki: WikiOfCollection
  step: WikiStep
  news: Omit<WikiNews, 'revisions'>
  now: number
}

interface Told {
  steps: WikiStep[]
  /** Pages that have something new. */
  begun: number
  /** Stored pages that have not. */
  upToDate: number
}

/** Lists of pages lead to the pages; of what is stored already only what is new is asked for. */
export async function notePagesTold(sql: Sql, telling: Telling): Promise<Told> {
  const { wiki, step, news, now } = telling
  await noteMissing(sql, telling)
  if (news.pages.length === 0) return { steps: [], begun: 0, upToDate: 0 }
  const stored = await storedPages(
    sql,
    wiki.wikiId,
    news.pages.map(({ pageId }) => pageId),
  )
  const steps: WikiStep[] = []
  let begun = 0
  let upToDate = 0
  const notes = news.pages.map((page) => {
    const row = stored.get(page.pageId)
    const next = isListing(step) ? planOf(page, row, telling) : []
    steps.push(...next)
    const isStored = (row?.newestAt ?? null) !== null
    if (next.length > 0) begun++
    else if (isStored && isListing(step)) upToDate++
    const { pageId, ns, title, redirect } = page
    // A history that is brought up to date is as good as it was in the meantime.
    const isFirst = next.length > 0 && !isStored
    return {
      pageId,
      ns,
      title,
      redirect,
      ...(isFirst ? { state: 'extracting' as const, run: step.ticket.run } : {}),
    }
  })
  await notePages(sql, { wikiId: wiki.wikiId, pages: notes, now })
  return { steps, begun, upToDate }
}

const isListing = ({ kind }: WikiStep): boolean =>
  kind === 'titles' || kind === 'allpages' || kind === 'category'

function planOf(page: PageNews, row: PageRow | undefined, { wiki, step }: Telling): WikiStep[] {
  const stored = row
    ? {
        lastRevId: row.lastRevId,
        newestAt: row.newestAt,
        // Only what is folded is counted there.
        revisions: row.newestAt === null ? 0 : Math.max(1, row.revisions),
        isComplete: row.state === 'complete',
      }
    : null
  return planPage({ page, stored, site: wiki.site, ticket: step.ticket })
}

async function storedPages(
  sql: Sql,
  wikiId: number,
  pageIds: readonly number[],
): Promise<Map<number, PageRow>> {
  const rows = await pageRows(sql, { wikiId, pageIds: [...new Set(pageIds)] })
  return new Map(rows.map((row) => [row.pageId, row]))
}

/** A page that was here and is gone there is deleted; its history stays. */
async function noteMissing(sql: Sql, { wiki, news, now }: Telling): Promise<void> {
  const { wikiId } = wiki
  const ids = news.missing.flatMap(({ pageId }) => pageId ?? [])
  if (ids.length === 0) return
  const rows = await pageRows(sql, { wikiId, pageIds: ids })
  const pages = rows.map(({ pageId, ns, title, redirect }) => {
    return { pageId, ns, title, redirect, state: 'deleted' as const }
  })
  await notePages(sql, { wikiId, pages, now })
}

/** Of a history as a whole; the others are of the texts of revisions. */
const OF_HISTORY = [
  'revision-missing',
  'revision-vanished',
  'parent-missing',
  'parent-loop',
  'no-root',
  'several-roots',
  'count-differs',
  'duplicate-revision',
  'time-order',
  'history-cut',
]

/** What a whole history lacks replaces what it lacked before, and a text that came again what was wrong
 * with it. */
export async function noteGapsOf(
  sql: Sql,
  { wiki, reading, now }: { wiki: WikiOfCollection; reading: WikiReading; now: number },
): Promise<void> {
  const { wikiId } = wiki
  const { checked, batches, news } = reading
  if (checked !== null && !checked.isPart) {
    await sql.run(
      `DELETE FROM wiki_gaps WHERE wiki_id = ? AND page_id = ?
         AND kind IN (${OF_HISTORY.map(() => '?').join(', ')})`,
      [wikiId, checked.pageId, ...OF_HISTORY],
    )
  }
  for (const { pageId, revIds } of batches) await clearGaps(sql, { wikiId, pageId, revIds })
  const gaps = [...news.gaps, ...(checked?.gaps ?? [])]
  if (gaps.length > 0) await noteGaps(sql, { wikiId, gaps, now })
}

interface Finishing {
  wiki: WikiOfCollection
  answer: WikiAnswerNoted
}

/** Answers whether a page is done with this answer. */
export async function noteFinished(sql: Sql, { wiki, answer }: Finishing): Promise<boolean> {
  const { item, reading, now } = answer
  const { finished, source } = reading.news
  const { step, newest } = reading
  const { wikiId } = wiki
  const isLost = item.decision.type === 'failed'
  // A text that came alone may have been the last thing that was wrong.
  const isAlone = step.kind === 'raw' || step.kind === 'source'
  const isEnd = isLost || isAlone || reading.checked !== null
  const ofStep = 'pageId' in step && isEnd ? step.pageId : null
  const pageId = finished?.pageId ?? ofStep
  if (pageId === null) return false
  const [row] = await pageRows(sql, { wikiId, pageIds: [pageId] })
  if (!row) return false
  const { ns, title, redirect } = row
  const isWhole = !isLost && !(await hasOpenGaps(sql, wikiId, pageId))
  // A list of numbers says what is newest now, even if that is older than what was.
  const isNews = newest !== null && (step.kind === 'ids' || newest.at >= (row.newestAt ?? 0))
  const page = {
    pageId,
    ns,
    title,
    redirect,
    state: isWhole ? ('complete' as const) : ('gapped' as const),
    ...(isLost || isAlone ? {} : { extractedAt: now, source }),
    ...(isNews && finished !== null ? { lastRevId: newest.revId, newestAt: newest.at } : {}),
  }
  await notePages(sql, { wikiId, pages: [page], now })
  // Lists of numbers and single revisions only complete what a history brought.
  const isAddition = isAlone || step.kind === 'ids' || step.kind === 'byIds'
  return !isAddition && (finished !== null || isLost)
}

export async function hasOpenGaps(sql: Sql, wikiId: number, pageId: number): Promise<boolean> {
  const row = await sql.get(
    `SELECT 1 AS one FROM wiki_gaps WHERE wiki_id = ? AND page_id = ? AND explained_by IS NULL LIMIT 1`,
    [wikiId, pageId],
  )
  return row !== undefined
}
