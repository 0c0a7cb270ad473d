/** What is handed on as tables: revisions, measures and answers, each row with its source and licence. */
import {
  pageUrlOf,
  REVISION_COLUMNS,
  revisionRow,
  type ExportColumn,
  type ExportRow,
  type ExportTable,
  type ExportValue,
  type QueryAnswer,
  type SiteInfo,
} from '@minga/wiki'
import {
  attributionOf,
  chosenHistories,
  type ChosenPage,
  type ExportAsked,
} from './chosen-histories.ts'
import type { PageParts } from './find-page.ts'

/** Without their texts. Fails at once when the wiki or a page is not here. */
export async function revisionTable(
  parts: PageParts,
  wiki: string,
  asked: ExportAsked & { now: number },
): Promise<ExportTable> {
  const { key, site } = await parts.revisions.wiki(wiki)
  const pages = await chosenHistories(parts, { key, asked, withText: false })
  return tableOf(site, asked.now, { columns: REVISION_COLUMNS, rows: revisionRows(pages) })
}

async function* revisionRows(pages: AsyncIterable<ChosenPage>): AsyncGenerator<ExportRow> {
  for await (const { page, revisions } of pages) {
    for await (const revision of revisions) yield revisionRow(revision, page.title)
  }
}

export function answerTable(site: SiteInfo, now: number, answer: QueryAnswer): ExportTable {
  const columns = answer.columns.map((name) => ({ name, kind: 'text' as const }))
  return tableOf(site, now, { columns, rows: answer.rows as ExportRow[] })
}

/**
 * One row per figure or line of a list, its first column the name of the measure; the other columns are all
 * that any of them has. Of one page: every row carries its title.
 */
export function measureTable(
  site: SiteInfo,
  now: number,
  { measures, title }: { measures: Readonly<Record<string, unknown>>; title: string | null },
): ExportTable {
  const page = title === null ? {} : { title }
  const rows = Object.entries(measures).flatMap(([name, value]) => rowsOf(name, value, page))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return tableOf(site, now, { columns: names.map(columnOf), rows })
}

const columnOf = (name: string): ExportColumn => ({
  name,
  kind: name.endsWith('At') ? 'time' : 'text',
})

function rowsOf(measure: string, value: unknown, page: ExportRow): ExportRow[] {
  if (Array.isArray(value)) return value.flatMap((one) => rowsOf(measure, one, page))
  if (!isRecord(value)) return [{ measure, ...page, value: value as ExportValue }]
  const fields = flat(value)
  const own = Object.fromEntries(fields.filter(([, field]) => !Array.isArray(field))) as ExportRow
  const lists = fields.filter(([, field]) => Array.isArray(field))
  const ofPage = typeof own['title'] === 'string' ? { title: own['title'] } : page
  return [
    { measure, ...page, ...own },
    ...lists.flatMap(([name, list]) => rowsOf(`${measure}.${name}`, list, ofPage)),
  ]
}

/** Records within records become fields: `ms.median`. */
function flat(record: Readonly<Record<string, unknown>>, before = ''): [string, unknown][] {
  return Object.entries(record).flatMap(([name, field]): [string, unknown][] =>
    isRecord(field) ? flat(field, `${before}${name}.`) : [[before + name, field]],
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tableOf(
  site: SiteInfo,
  now: number,
  { columns, rows }: Pick<ExportTable, 'columns' | 'rows'>,
): ExportTable {
  const pageUrl = (title: string): string | null => pageUrlOf(site, title)
  return { columns, rows, attribution: attributionOf(site, now), pageUrl }
}
