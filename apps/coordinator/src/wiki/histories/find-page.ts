/** Finds the page for a title as a user writes it. */
import type { Calls } from '@minga/store'
import {
  NoSuchWikiPage,
  normaliseTitle,
  type PageRow,
  type Revisions,
  type WikiRow,
  type WikiOperations,
} from '@minga/wiki'

export interface PageParts {
  revisions: Revisions
  store: Calls<WikiOperations>
}

/** By its title, or by the title as the wiki would write it. */
export async function findPage(
  { revisions, store }: PageParts,
  wiki: string,
  title: string,
): Promise<{ wiki: WikiRow; page: PageRow }> {
  const row = await revisions.wiki(wiki)
  const normal = normaliseTitle(title, row.site)
  const titles = [title, title.replaceAll('_', ' '), typeof normal === 'string' ? [] : normal.title]
  const asked = { wikiId: row.wikiId, titles: [...new Set(titles.flat())] }
  const [page] = await store.call('wikiPageRows', asked)
  if (page !== undefined) return { wiki: row, page }
  throw NoSuchWikiPage.titled(title, row.key, await nearTitles(revisions, row.key, title))
}

const NEAR_MOST = 5

async function nearTitles(revisions: Revisions, wiki: string, title: string): Promise<string[]> {
  const { rows } = await revisions.sql(
    [wiki],
    `SELECT title FROM pages
     WHERE jaro_winkler_similarity(lower(title), lower($1)) > 0.7 OR contains(lower(title), lower($1))
     ORDER BY jaro_winkler_similarity(lower(title), lower($1)) DESC, title LIMIT ${NEAR_MOST}`,
    [title],
  )
  return rows.map(([near]) => String(near))
}
