/** The histories that an export is of: all of a wiki, some pages, some time, or what is current. */
import type { Attribution, Page, Revision, Revisions, SiteInfo, StoredRevision } from '@minga/wiki'
import { findPage, type PageParts } from './find-page.ts'

export interface ExportAsked {
  /** Null: all of them. */
  titles: readonly string[] | null
  from?: number
  until?: number
  /** Only the newest revision of each page. */
  isCurrent: boolean
}

export interface ChosenPage {
  page: Page
  revisions: AsyncGenerator<Revision>
}

/** Rows of so many pages that follow one another are sorted together. */
const PAGES_TOGETHER = 500
const LISTING = { rowsMax: Number.MAX_SAFE_INTEGER, timeMs: 600_000 }

interface Choosing {
  /** As the store knows it. */
  key: string
  asked: ExportAsked
  withText: boolean
}

/** Fails before its first page when one is not here. */
export async function chosenHistories(
  parts: PageParts,
  choosing: Choosing,
): Promise<AsyncGenerator<ChosenPage>> {
  const pages = await chosenPages(parts, choosing.key, choosing.asked.titles)
  return histories(parts.revisions, pages, choosing)
}

async function chosenPages(
  parts: PageParts,
  key: string,
  titles: readonly string[] | null,
): Promise<Page[]> {
  if (titles !== null) {
    const found: Page[] = []
    for (const title of titles) found.push((await findPage(parts, key, title)).page)
    const byId = new Map(found.map((page) => [page.pageId, page]))
    return [...byId.values()].toSorted((a, b) => a.pageId - b.pageId)
  }
  const { rows } = await parts.revisions.sql(
    [key],
    `SELECT p.page_id, p.ns, p.title, p.redirect FROM pages p
     SEMI JOIN revisions r ON r.page_id = p.page_id ORDER BY p.page_id`,
    [],
    LISTING,
  )
  return rows.map(([pageId, ns, title, redirect]) => ({ pageId, ns, title, redirect }) as Page)
}

async function* histories(
  revisions: Revisions,
  pages: readonly Page[],
  { key, asked, withText }: Choosing,
): AsyncGenerator<ChosenPage> {
  // A range of two titles may contain a whole wiki.
  const atATime = asked.titles === null ? PAGES_TOGETHER : 1
  for (let i = 0; i < pages.length; i += atATime) {
    const together = new Map(pages.slice(i, i + atATime).map((page) => [page.pageId, page]))
    const ids = [...together.keys()]
    const rows = revisions.histories(
      key,
      { first: ids[0]!, last: ids.at(-1)! },
      {
        ...(asked.from === undefined ? {} : { from: asked.from }),
        ...(asked.until === undefined ? {} : { until: asked.until }),
        withText: withText && !asked.isCurrent,
      },
    )
    const textsOf = withText
      ? (revision: StoredRevision) => withTexts(revisions, key, revision)
      : (revision: StoredRevision) => revision
    yield* pageByPage(asked.isCurrent ? newest(rows, textsOf) : rows, together)
  }
}

/** Cuts a sequence of revisions, page after page, into pages; each is read as far as its reader reads. */
async function* pageByPage(
  rows: AsyncGenerator<Revision>,
  wanted: ReadonlyMap<number, Page>,
): AsyncGenerator<ChosenPage> {
  let next = await rows.next()
  while (!next.done) {
    const { pageId } = next.value
    const page = wanted.get(pageId)
    const ofPage = async function* (): AsyncGenerator<Revision> {
      while (!next.done && next.value.pageId === pageId) {
        yield next.value
        next = await rows.next()
      }
    }
    if (page !== undefined) yield { page, revisions: ofPage() }
    while (!next.done && next.value.pageId === pageId) next = await rows.next()
  }
}

/** The last of each page. */
async function* newest(
  rows: AsyncIterable<StoredRevision>,
  textsOf: (revision: StoredRevision) => Revision | Promise<Revision>,
): AsyncGenerator<Revision> {
  let last: StoredRevision | null = null
  for await (const row of rows) {
    if (last !== null && last.pageId !== row.pageId) yield await textsOf(last)
    last = row
  }
  if (last !== null) yield await textsOf(last)
}

async function withTexts(
  revisions: Revisions,
  key: string,
  revision: StoredRevision,
): Promise<Revision> {
  const slots: Revision['slots'] = []
  for (const slot of revision.slots) {
    slots.push({ ...slot, text: await revisions.text(key, revision.revId, slot.role) })
  }
  return { ...revision, slots }
}

/** Where what is handed on is from, and under which licence. */
export function attributionOf(site: SiteInfo, now: number): Attribution {
  const licence = site.rights.text ?? site.rights.url
  return { source: site.base === '' ? site.name : site.base, at: now, licence }
}
