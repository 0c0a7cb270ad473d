/** What the page shows of wikis: each answer is of one screen or of a part of one. */
import type { WikiEditorView, WikiGapRow, WikiPageComparison } from '@minga/protocol'
import { compareEditors, comparePages, sentenceOf, type Gap } from '@minga/wiki'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../../accounts/access.ts'
import type { WikiContext } from '../wiki-service.ts'
import { NoSuchWikiEditor } from '../errors.ts'
import { seenWikis } from '../seen-wikis.ts'
import { readAuthorship } from './authorship.ts'
import { listPages, pagesQuery } from './page-list.ts'
import { readTrack } from './page-track.ts'
import { listRevisionRows, pageRevisionsQuery } from './revision-list.ts'
import { WikiSummaries } from './wiki-summaries.ts'

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
    const gaps = await store.call('wikiListGaps', {
      wikiId,
      limit: GAPS_SHOWN,
    })
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
