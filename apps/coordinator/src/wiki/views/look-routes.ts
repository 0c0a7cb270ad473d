/** What the page shows of wikis: each answer is of one screen or of a part of one. */
import type {
  WikiAuthoredRun,
  WikiAuthorship,
  WikiEditorView,
  WikiGapRow,
  WikiPageComparison,
  WikiPageTrack,
} from '@minga/protocol'
import {
  compareEditors,
  comparePages,
  pageUrlOf,
  sentenceOf,
  type AuthoredToken,
  type Gap,
  type PageRow,
  type SiteInfo,
  type StoredRevision,
} from '@minga/wiki'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WikiContext } from '../wiki-service.ts'
import { NoSuchArticle, NoSuchRevision, NoSuchWikiEditor } from '../errors.ts'
import { seenWikis } from '../seen-wikis.ts'
import { followHistory } from '../read/text-worker.ts'
import { findPage, type PageParts } from '../histories/find-page.ts'
import { listPages, pagesQuery } from './page-list.ts'
import { listRevisionRows, pageRevisionsQuery } from './revision-list.ts'
import { WikiSummaries } from '../wiki-routes.ts'

/** Few pages of any wiki have more; of those the newest are listed. */
const TRACK_MAX = 200_000

interface PageAsked {
  title?: string | undefined
  pageId?: number | undefined
}

/** By its number, or by its title as people write it. */
async function askedPage(
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

async function readTrack(parts: PageParts, wiki: string, asked: PageAsked): Promise<WikiPageTrack> {
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

const READ = may('captures:read')

const ofWiki = z.object({ wiki: z.string().min(1).max(2_000) })
const pageAsked = z
  .object({
    title: z.string().min(1).max(2_000).optional(),
    pageId: z.coerce.number().int().optional(),
  })
  .refine(({ title, pageId }) => (title ?? pageId) !== undefined, {
    error: 'give the title of a page or its pageId',
  })
const authorshipQuery = pageAsked.and(z.object({ revId: z.coerce.number().int().optional() }))
const compareQuery = z.object({
  pageIds: z.string().regex(/^\d{1,15}(,\d{1,15})*$/, 'numbers of pages, joined by commas'),
})
const editorQuery = z.object({ name: z.string().min(1).max(500) })

/** So many are listed; all are counted by the summary. */
const GAPS_SHOWN = 1_000

const wikiOf = ({ params }: FastifyRequest): string => ofWiki.parse(params).wiki

export function lookRoutes(app: FastifyInstance, context: WikiContext): void {
  const { wikis, access } = context
  const summaries = new WikiSummaries(context)
  app.get('/wikis/overview', READ, async (request) => ({
    wikis: await seenWikis(access, request, await summaries.all()),
  }))
  app.get('/wikis/:wiki/summary', READ, (request) => summaries.one(wikiOf(request)))
  app.get('/wikis/:wiki/pages', READ, (request) =>
    listPages(context, wikiOf(request), pagesQuery.parse(request.query)),
  )
  app.get('/wikis/:wiki/revisions', READ, (request) =>
    listRevisionRows(context, wikiOf(request), pageRevisionsQuery.parse(request.query)),
  )
  app.get('/wikis/:wiki/track', READ, (request) =>
    readTrack(context, wikiOf(request), pageAsked.parse(request.query)),
  )
  app.get('/wikis/:wiki/authorship', READ, (request) =>
    readAuthorship(context, wikiOf(request), authorshipQuery.parse(request.query)),
  )
  app.get('/wikis/:wiki/log-in', may('settings:read'), (request) =>
    wikis.logInState(wikiOf(request)),
  )
  comparisonRoutes(app, context)
}

function comparisonRoutes(app: FastifyInstance, { revisions, store }: WikiContext): void {
  app.get('/wikis/:wiki/compare', READ, async (request): Promise<WikiPageComparison> => {
    const { key } = await revisions.wiki(wikiOf(request))
    const pageIds = compareQuery.parse(request.query).pageIds.split(',').map(Number)
    return comparePages(revisions.ask([key]), { pageIds: [...new Set(pageIds)] })
  })
  app.get('/wikis/:wiki/editor', READ, async (request): Promise<WikiEditorView> => {
    const { key } = await revisions.wiki(wikiOf(request))
    const { name } = editorQuery.parse(request.query)
    const ask = revisions.ask([key])
    const { editors } = await compareEditors(ask, { users: [name] })
    const [found] = editors
    if (found === undefined) throw new NoSuchWikiEditor(key, name)
    const [kind] = await ask(
      'SELECT arg_max(editor, "at") AS editor FROM revisions WHERE "user" = $1',
      [name],
    )
    const editor = kind?.['editor']
    return { ...found, editor: typeof editor === 'string' ? editor : 'unknown' }
  })
  app.get('/wikis/:wiki/gaps', READ, async (request): Promise<{ gaps: WikiGapRow[] }> => {
    const { wikiId } = await revisions.wiki(wikiOf(request))
    const gaps = await store.call('wikiListGaps', { wikiId, limit: GAPS_SHOWN })
    const pageIds = [...new Set(gaps.map(({ pageId }) => pageId))]
    const pages = await store.call('wikiPageRows', { wikiId, pageIds })
    const titles = new Map(pages.map(({ pageId, title }) => [pageId, title]))
    return { gaps: gaps.map((gap) => gapRow(gap, titles.get(gap.pageId) ?? null)) }
  })
}

function gapRow(gap: Gap & { foundAt: number }, title: string | null): WikiGapRow {
  const { pageId, revId, kind, explainedBy, foundAt } = gap
  const isExplained = explainedBy !== null
  return { pageId, title, revId, kind, sentence: sentenceOf(gap), isExplained, foundAt }
}

/** By default for the newest revision. */
async function readAuthorship(
  parts: PageParts,
  wiki: string,
  asked: PageAsked & { revId?: number | undefined },
): Promise<WikiAuthorship> {
  const { key, page } = await askedPage(parts, wiki, asked)
  const options = { withText: true, onLost: () => {} }
  const seen: Seen = { revId: null, text: null }
  const rows = parts.revisions.history(key, { pageId: page.pageId }, options)
  const history = await followHistory(upTo(rows, asked.revId ?? null, seen))
  const isFound = asked.revId === undefined || seen.revId === asked.revId
  if (!isFound || seen.revId === null || seen.text === null) {
    throw new NoSuchRevision(key, asked.revId ?? page.lastRevId ?? 0)
  }
  const { editors, tokens } = history
  const places = new Map(editors.map(({ user }, place) => [user, place]))
  return {
    revId: seen.revId,
    authors: editors.map(({ user, added, present, share }) => ({ user, added, present, share })),
    runs: authoredRuns(seen.text, tokens, (user) => places.get(user) ?? 0),
  }
}

interface Seen {
  revId: number | null
  text: string | null
}

/** The history up to a revision, this one included. */
async function* upTo(
  rows: AsyncGenerator<StoredRevision>,
  revId: number | null,
  seen: Seen,
): AsyncGenerator<StoredRevision> {
  for await (const row of rows) {
    const text = row.slots.find(({ role }) => role === 'main')?.text ?? null
    seen.revId = row.revId
    seen.text = text === null ? null : Buffer.from(text).toString('utf8')
    yield row
    if (row.revId === revId) return
  }
}

type Token = Pick<AuthoredToken, 'text' | 'revId' | 'user'>

/**
 * Joined together the runs are the text. Tokens are its words in their order; what stands between two of one
 * revision is theirs, what stands elsewhere belongs to the word before it.
 */
export function authoredRuns(
  text: string,
  tokens: readonly Token[],
  authorOf: (user: string | null) => number,
): WikiAuthoredRun[] {
  const runs: WikiAuthoredRun[] = []
  let until = 0
  for (const { text: word, revId, user } of tokens) {
    const at = text.indexOf(word, until)
    if (at === -1) continue
    const between = text.slice(until, at)
    const last = runs.at(-1)
    const author = authorOf(user)
    if (last === undefined) runs.push({ text: between + word, author, revId })
    else {
      last.text += between
      if (last.revId === revId && last.author === author) last.text += word
      else runs.push({ text: word, author, revId })
    }
    until = at + word.length
  }
  const rest = text.slice(until)
  const last = runs.at(-1)
  if (last !== undefined) last.text += rest
  return runs
}
