/** The pages of a wiki, part by part, whatever their number. */
import type { WikiListPart, WikiPageRow } from '@minga/protocol'
import { Values, type AskRow, type Choice, type Revisions } from '@minga/wiki'
import { z } from 'zod'
import type { ListTable } from '../v1/fields.ts'
import { listQuery, readList } from '../v1/list-query.ts'
import { countRows, listPart } from '../v1/lists.ts'
import type { Station } from '../../station/station.ts'

/** What is counted over revisions; read for every page only where the order needs it. */
const COUNTS = {
  revisions: 'count(*)',
  editors: 'count(DISTINCT "user")',
  size: 'arg_max(size, ("at", rev_id))',
  firstAt: 'min("at")',
  lastAt: 'max("at")',
} as const
type Count = keyof typeof COUNTS

const isCount = (name: string): name is Count => Object.hasOwn(COUNTS, name)

const PAGES = {
  fields: {
    wiki: { kind: 'text', sql: 'r.wiki' },
    pageId: { kind: 'number', sql: 'r.page_id' },
    ns: { kind: 'number', sql: 'r.ns' },
    title: { kind: 'text', sql: 'r.title' },
    redirect: { kind: 'text', sql: 'r.redirect' },
    state: { kind: 'text', sql: 'r.state' },
    revisions: { kind: 'number', sql: 'coalesce(l.revisions, 0)' },
    editors: { kind: 'number', sql: 'coalesce(l.editors, 0)' },
    size: { kind: 'number', sql: 'l.size' },
    firstAt: { kind: 'time', sql: 'l."firstAt"' },
    lastAt: { kind: 'time', sql: 'l."lastAt"' },
  },
  derived: [],
  from: (used) => {
    const counts = [...used].filter(isCount)
    return counts.length === 0
      ? 'pages r'
      : `pages r LEFT JOIN (${countsOf(counts, '')}) l ON l.page_id = r.page_id`
  },
  identity: ['pageId'],
  sort: 'title',
  sortedBy: 'title',
} satisfies ListTable

function countsOf(names: readonly Count[], where: string): string {
  const counts = names.map((name) => `${COUNTS[name]} AS "${name}"`)
  return `SELECT page_id, ${counts.join(', ')} FROM revisions ${where} GROUP BY page_id`
}

export const pagesQuery = listQuery(PAGES)
  .omit({ wiki: true, format: true, project: true })
  .extend({
    search: z.string().max(500).optional(),
    match: z.enum(['prefix', 'part']).default('part'),
  })

const OWN = 'pageId,ns,title,redirect,state,wiki'

export async function listPages(
  station: Pick<Station, 'revisions'>,
  wiki: string,
  given: z.output<typeof pagesQuery>,
): Promise<WikiListPart<WikiPageRow>> {
  const { key, site } = await station.revisions.wiki(wiki)
  const choice = titlesLike(given)
  const asked = readList(PAGES, { ...given, project: OWN })
  const source = { table: PAGES, wikis: [{ key, language: site.language, site }], choice }
  const { rows, cursor } = await listPart(station, source, asked)
  const counts = await countsFor(
    station.revisions,
    key,
    rows.map(({ pageId }) => Number(pageId)),
  )
  return {
    rows: rows.map((row) => pageRow(row, counts.get(Number(row['pageId'])) ?? {})),
    cursor,
    total: await countRows(station, source, asked),
  }
}

function titlesLike({ search = '', match }: z.output<typeof pagesQuery>): Choice {
  const text = search.replaceAll('_', ' ').trim()
  if (text === '') return { where: '', values: [] }
  const word = match === 'prefix' ? 'starts_with' : 'contains'
  return { where: `${word}(lower(r.title), lower($1))`, values: [text] }
}

async function countsFor(
  revisions: Revisions,
  key: string,
  pageIds: readonly number[],
): Promise<Map<number, AskRow>> {
  if (pageIds.length === 0) return new Map()
  const bound = new Values()
  const places = pageIds.map((id) => bound.bind(id)).join(', ')
  const names = Object.keys(COUNTS) as Count[]
  const rows = await revisions.ask([key])(
    countsOf(names, `WHERE page_id IN (${places})`),
    bound.list,
  )
  return new Map(rows.map((row) => [Number(row['page_id']), row]))
}

function pageRow(row: AskRow, counts: AskRow): WikiPageRow {
  const { size = null, firstAt = null, lastAt = null } = counts as Partial<WikiPageRow>
  return {
    pageId: Number(row['pageId']),
    ns: Number(row['ns']),
    title: String(row['title']),
    redirect: row['redirect'] as string | null,
    state: String(row['state']),
    url: (row['page_url'] as string | null | undefined) ?? null,
    revisions: Number(counts['revisions'] ?? 0),
    editors: Number(counts['editors'] ?? 0),
    size,
    firstAt,
    lastAt,
  }
}
