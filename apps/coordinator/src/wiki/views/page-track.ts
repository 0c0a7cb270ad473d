/** All revisions of a page at once, as columns: what a slider over its history needs to know. */
import type { WikiPageTrack } from '@minga/protocol'
import { pageUrlOf, type PageRow, type SiteInfo } from '@minga/wiki'
import { NoSuchArticle } from '../errors.ts'
import { findPage, type PageParts } from '../histories/find-page.ts'

/** Few pages of any wiki have more; of those the newest are listed. */
const TRACK_MAX = 200_000

export interface PageAsked {
  title?: string | undefined
  pageId?: number | undefined
}

/** By its number, or by its title as people write it. */
export async function askedPage(
  parts: PageParts,
  wiki: string,
  { title, pageId }: PageAsked,
): Promise<{ key: string; site: SiteInfo; page: PageRow }> {
  if (pageId === undefined) {
    const { wiki: row, page } = await findPage(parts, wiki, title ?? '')
    return { key: row.key, site: row.site, page }
  }
  const { wikiId, key, site } = await parts.revisions.wiki(wiki)
  const asked = { wikiId, pageIds: [pageId] }
  const [page] = await parts.store.call('wikiPageRows', asked)
  if (page === undefined) throw new NoSuchArticle(String(pageId))
  return { key, site, page }
}

export async function readTrack(
  parts: PageParts,
  wiki: string,
  asked: PageAsked,
): Promise<WikiPageTrack> {
  const { key, site, page } = await askedPage(parts, wiki, asked)
  const { pageId, ns, title, redirect, state } = page
  const { rows } = await parts.revisions.sql(
    [key],
    `SELECT rev_id, "at", size, "user" FROM revisions WHERE page_id = $1
     ORDER BY "at" DESC, rev_id DESC LIMIT ${TRACK_MAX + 1}`,
    [pageId],
    { rowsMax: TRACK_MAX + 1 },
  )
  const isCut = rows.length > TRACK_MAX
  const oldestFirst = rows.slice(0, TRACK_MAX).toReversed()
  return {
    page: { pageId, ns, title, redirect, state, url: pageUrlOf(site, title) },
    revIds: oldestFirst.map(([revId]) => Number(revId)),
    at: oldestFirst.map(([, at]) => Number(at)),
    sizes: oldestFirst.map(([, , size]) => size as number | null),
    ...editorsIn(oldestFirst.map(([, , , user]) => user as string | null)),
    isCut,
  }
}

function editorsIn(users: readonly (string | null)[]): Pick<WikiPageTrack, 'editors' | 'editorOf'> {
  const places = new Map<string | null, number>()
  const editorOf = users.map((user) => {
    const place = places.get(user) ?? places.size
    places.set(user, place)
    return place
  })
  return { editors: [...places.keys()], editorOf }
}
