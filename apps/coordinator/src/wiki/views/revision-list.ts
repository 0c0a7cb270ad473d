/** The revisions of a page, or of an editor, part by part, each with what it added or took away. */
import type { WikiListPart, WikiRevisionRow } from '@minga/protocol'
import { Values, type AskRow, type Choice } from '@minga/wiki'
import { z } from 'zod'
import { BadWikiListing } from '../errors.ts'
import type { ListTable } from '../v1/fields.ts'
import { listQuery, readList } from '../v1/list-query.ts'
import { countRows, listPart } from '../v1/lists.ts'
import type { Station } from '../../station/station.ts'

/**
 * Compared with its neighbours, chosen or not: the effect of a revision is measured in the whole
 * history of its page.
 */
const WITH_DELTAS = `SELECT v.*, CASE
    WHEN lag(v.rev_id) OVER o IS NOT NULL THEN v.size - lag(v.size) OVER o
    WHEN coalesce(v.parent_id, 0) = 0 THEN v.size END AS delta
  FROM revisions v`
const ORDER = 'WINDOW o AS (PARTITION BY v.page_id ORDER BY v."at", v.rev_id)'

const FIELDS = {
  wiki: { kind: 'text', sql: 'r.wiki' },
  revId: { kind: 'number', sql: 'r.rev_id' },
  pageId: { kind: 'number', sql: 'r.page_id' },
  ns: { kind: 'number', sql: 'r.ns' },
  title: { kind: 'text', sql: 'r.title' },
  at: { kind: 'time', sql: 'r."at"' },
  user: { kind: 'text', sql: 'r."user"' },
  editor: { kind: 'text', sql: 'r.editor' },
  isMinor: { kind: 'flag', sql: 'r.is_minor' },
  size: { kind: 'number', sql: 'r.size' },
  delta: { kind: 'number', sql: 'r.delta' },
  comment: { kind: 'text', sql: 'r.comment' },
  tags: { kind: 'list', sql: 'r.tags' },
  hidden: { kind: 'list', sql: 'r.hidden' },
} satisfies ListTable['fields']

/** The first bound value is the page or the editor. */
const OF_PAGE = `(${WITH_DELTAS} WHERE v.page_id = $1 ${ORDER}) r`
const OF_EDITOR = `(${WITH_DELTAS} WHERE v.page_id IN (SELECT page_id FROM revisions WHERE "user" = $1) ${ORDER}) r`

const tableOf = (from: string): ListTable => ({
  fields: FIELDS,
  derived: [],
  from: () => from,
  identity: ['revId'],
  sort: '-at',
  sortedBy: 'at',
})

export const pageRevisionsQuery = listQuery({ fields: FIELDS })
  .omit({ wiki: true, format: true, project: true })
  .extend({
    pageId: z.coerce.number().int().optional(),
    user: z.string().max(500).optional(),
    search: z.string().max(500).optional(),
    from: z.coerce.number().int().optional(),
    until: z.coerce.number().int().optional(),
  })

type Asked = z.output<typeof pageRevisionsQuery>

export async function listRevisionRows(
  station: Pick<Station, 'revisions'>,
  wiki: string,
  given: Asked,
): Promise<WikiListPart<WikiRevisionRow>> {
  const { key, site } = await station.revisions.wiki(wiki)
  const { pageId, user } = given
  const first = pageId ?? user
  if (first === undefined) throw BadWikiListing.ofWhom()
  const table = tableOf(pageId === undefined ? OF_EDITOR : OF_PAGE)
  const { pageId: _, user: __, ...others } = given
  const asked = readList(table, { ...others, project: Object.keys(FIELDS).join(',') })
  const choice = choiceOf(given, first)
  const source = { table, wikis: [{ key, language: site.language, site }], choice }
  const { rows, cursor } = await listPart(station, source, asked)
  return { rows: rows.map(revisionRow), cursor, total: await countRows(station, source, asked) }
}

function choiceOf(asked: Asked, first: string | number): Choice {
  const bound = new Values([first])
  const conditions = ['true']
  if (asked.pageId === undefined) conditions.push('r."user" = $1')
  else if (asked.user !== undefined) conditions.push(`r."user" = ${bound.bind(asked.user)}`)
  const search = asked.search?.trim() ?? ''
  if (search !== '') {
    const text = bound.bind(search)
    const holds = (column: string): string => `contains(lower(${column}), lower(${text}))`
    conditions.push(`(${holds('r.comment')} OR ${holds('r."user"')} OR ${holds('r.title')})`)
  }
  if (asked.from !== undefined) conditions.push(`r."at" >= ${bound.bind(asked.from)}`)
  if (asked.until !== undefined) conditions.push(`r."at" < ${bound.bind(asked.until)}`)
  return { where: conditions.join(' AND '), values: bound.list }
}

function revisionRow(row: AskRow): WikiRevisionRow {
  const shown = Object.keys(FIELDS).filter((name) => name !== 'wiki')
  return Object.fromEntries(
    shown.map((name) => [name, row[name] ?? emptyOf(name)]),
  ) as unknown as WikiRevisionRow
}

const emptyOf = (name: string): [] | null => (name === 'tags' || name === 'hidden' ? [] : null)
