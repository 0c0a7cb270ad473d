/**
 * Histories that were imported, merged or partly deleted rightly have several beginnings or holes:
 * where the wiki's log records it, the gap is explained and no fault.
 */
import type { Sql } from '@minga/store'
import { notePages, pageRows, type PageRow } from '@minga/wiki'
import { EXPLICABLE } from './check-page.ts'
import { hasOpenGaps } from './note-pages.ts'
import type { WikiReading } from './read-wiki-answers.ts'
import type { WikiOfCollection } from '../wiki-of-collection.ts'

/** The strongest first. */
const EXPLAINING = ['imported', 'merged', 'restored', 'deleted', 'moved']

interface Explaining {
  wiki: WikiOfCollection
  reading: WikiReading
  now: number
}

/** Of the page that was checked, and of those that the answer's log entries name. */
export async function explainGaps(sql: Sql, { wiki, reading, now }: Explaining): Promise<void> {
  const { wikiId } = wiki
  const { events } = reading.news
  const pageIds = events.flatMap(({ pageId }) => pageId ?? [])
  if (reading.checked !== null) pageIds.push(reading.checked.pageId)
  const titles = events.flatMap(({ title, newTitle }) => [title, newTitle ?? title])
  if (pageIds.length + titles.length === 0) return
  const pages = await pageRows(sql, {
    wikiId,
    pageIds: [...new Set(pageIds)],
    titles: [...new Set(titles)],
  })
  for (const page of pages) await explainPage(sql, { wikiId, page, now })
}

async function explainPage(
  sql: Sql,
  { wikiId, page, now }: { wikiId: number; page: PageRow; now: number },
): Promise<void> {
  if (!(await hasOpenGaps(sql, wikiId, page.pageId))) return
  const why = await explanationOf(sql, wikiId, page)
  if (why === null) return
  await sql.run(
    `UPDATE wiki_gaps SET explained_by = ? WHERE wiki_id = ? AND page_id = ?
       AND kind IN (${EXPLICABLE.map(() => '?').join(', ')})`,
    [why, wikiId, page.pageId, ...EXPLICABLE],
  )
  if (page.state !== 'gapped' || (await hasOpenGaps(sql, wikiId, page.pageId))) return
  const { pageId, ns, title, redirect } = page
  await notePages(sql, { wikiId, pages: [{ pageId, ns, title, redirect, state: 'complete' }], now })
}

async function explanationOf(sql: Sql, wikiId: number, page: PageRow): Promise<string | null> {
  const { pageId, title } = page
  const rows = await sql.all<{
    kind: string
    page_id: number | null
    title: string
    details: string
  }>(
    `SELECT kind, page_id, title, details FROM wiki_events WHERE wiki_id = ?
       AND kind IN (${EXPLAINING.map(() => '?').join(', ')})
       AND (page_id = ? OR title = ? OR details LIKE ?)`,
    [wikiId, ...EXPLAINING, pageId, title, `%${JSON.stringify(title).replaceAll(/[%_]/g, '_')}%`],
  )
  const own = rows.filter((row) => {
    const { newTitle } = JSON.parse(row.details) as { newTitle?: string | null }
    return row.page_id === pageId || row.title === title || newTitle === title
  })
  return EXPLAINING.find((kind) => own.some((row) => row.kind === kind)) ?? null
}
