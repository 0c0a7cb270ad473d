/** Revisions and results of metrics as tables to hand on, each row with where it is from and under which licence. */
import type { Attribution } from '../dump/xml-writer.ts'
import type { Revision, SiteInfo } from '../model.ts'

export type ExportKind = 'text' | 'integer' | 'number' | 'flag' | 'time' | 'list'

export interface ExportColumn {
  name: string
  kind: ExportKind
}

/** Times are milliseconds since 1970. */
export type ExportValue = string | number | boolean | null | readonly string[]

export type ExportRow = Readonly<Record<string, ExportValue>>

export interface ExportTable {
  columns: readonly ExportColumn[]
  rows: AsyncIterable<ExportRow> | Iterable<ExportRow>
  attribution: Attribution
  /** Address of a page, for rows that have a `title`; null where it is not known. */
  pageUrl: (title: string) => string | null
}

/** Of `revisionRow`. */
export const REVISION_COLUMNS: readonly ExportColumn[] = [
  { name: 'pageid', kind: 'integer' },
  { name: 'title', kind: 'text' },
  { name: 'revid', kind: 'integer' },
  { name: 'parentid', kind: 'integer' },
  { name: 'timestamp', kind: 'time' },
  { name: 'user', kind: 'text' },
  { name: 'userid', kind: 'integer' },
  { name: 'editor', kind: 'text' },
  { name: 'minor', kind: 'flag' },
  { name: 'size', kind: 'integer' },
  { name: 'sha1', kind: 'text' },
  { name: 'comment', kind: 'text' },
  { name: 'tags', kind: 'list' },
]

export function revisionRow(revision: Revision, title: string): ExportRow {
  return {
    pageid: revision.pageId,
    title,
    revid: revision.revId,
    parentid: revision.parentId,
    timestamp: revision.at,
    user: revision.user,
    userid: revision.userId,
    editor: revision.editor,
    minor: revision.isMinor,
    size: revision.size,
    sha1: revision.sha1,
    comment: revision.comment,
    tags: revision.tags,
  }
}

/** Whose work it is goes with every row: rows are cut out and passed on, heads of files are lost. */
const ATTRIBUTION_COLUMNS: readonly ExportColumn[] = [
  { name: 'source', kind: 'text' },
  { name: 'page_url', kind: 'text' },
  { name: 'licence', kind: 'text' },
]

export function columnsOf({ columns }: ExportTable): ExportColumn[] {
  return [...columns, ...ATTRIBUTION_COLUMNS]
}

export async function* attributedRows(table: ExportTable): AsyncGenerator<ExportRow> {
  const { source, licence } = table.attribution
  for await (const row of table.rows) {
    const { title } = row
    yield {
      ...row,
      source,
      page_url: typeof title === 'string' ? table.pageUrl(title) : null,
      licence,
    }
  }
}

/**
 * By the wiki's own path of articles; where that is not known, next to its main page. Null for a
 * dump that does not name its origin.
 */
export function pageUrlOf({ base, articlePath }: SiteInfo, title: string): string | null {
  if (!URL.canParse(base)) return null
  const name = encodeURIComponent(title.replaceAll(' ', '_'))
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
  const main = new URL(base)
  if (articlePath !== null)
    return new URL(
      articlePath.replace('$1', () => name),
      main,
    ).href
  if (main.searchParams.has('title')) {
    main.search = `?title=${name}`
    return main.href
  }
  return new URL(
    main.pathname.replace(/[^/]*$/, () => name),
    main,
  ).href
}
