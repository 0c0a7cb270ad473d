/** What lists can show, be filtered by and be sorted by. The names are those of the first version of this API. */
import { FIELDS, chooseWikis, type Field, type Revisions, type SiteInfo } from '@minga/wiki'

export interface ListTable {
  fields: Readonly<Record<string, Field>>
  /** Worked out from a row, so it is shown only. */
  derived: readonly string[]
  /** What is read to answer with these fields. */
  from: (used: ReadonlySet<string>) => string
  /** Tells rows apart; every order ends with it. */
  identity: readonly string[]
  /** Default order. */
  sort: string
  /** What `sort=asc` and `sort=desc` are about. */
  sortedBy: string
}

/** Written by `ListStatement`: which language a wiki has is not in its tables. */
const LOCALE: Field = { kind: 'text', sql: '' }

/** Where a row is from and under which licence it may be passed on. */
const ATTRIBUTION = ['page_url', 'licence'] as const

export const REVISIONS: ListTable = {
  fields: {
    ...FIELDS,
    locale: LOCALE,
    anon: { kind: 'flag', sql: `(r.editor = 'anonymous')` },
    parsedcomment: { kind: 'text', sql: 'r.parsed_comment' },
    contentmodel: { kind: 'text', sql: 'r.model' },
    contentformat: { kind: 'text', sql: 'r.format' },
    hidden: { kind: 'list', sql: 'r.hidden' },
    suppressed: { kind: 'flag', sql: 'r.is_suppressed' },
    source: { kind: 'text', sql: 'r.source' },
    extraction_date: { kind: 'time', sql: 'r.seen_at' },
  },
  derived: [...ATTRIBUTION, 'text'],
  from: () => 'revisions r',
  identity: ['revid', 'wiki'],
  sort: '-timestamp',
  sortedBy: 'timestamp',
}

/** The newest revision of each page, by its time. */
const NEWEST = `(SELECT wiki, page_id, count(*) AS n, max({'at': "at", 'rev_id': rev_id, 'size': size}) AS newest
  FROM revisions GROUP BY wiki, page_id)`
const OF_NEWEST = ['last_revision_extracted', 'last_revision_date', 'revisions', 'size']

export const ARTICLES: ListTable = {
  fields: {
    wiki: { kind: 'text', sql: 'r.wiki' },
    locale: LOCALE,
    pageid: { kind: 'number', sql: 'r.page_id' },
    ns: { kind: 'number', sql: 'r.ns' },
    title: { kind: 'text', sql: 'r.title' },
    redirect: { kind: 'text', sql: 'r.redirect' },
    state: { kind: 'text', sql: 'r.state' },
    source: { kind: 'text', sql: 'r.source' },
    first_extraction_date: { kind: 'time', sql: 'r.first_at' },
    last_extraction_date: { kind: 'time', sql: 'r.last_at' },
    last_revision_extracted: { kind: 'number', sql: `l.newest['rev_id']` },
    last_revision_date: { kind: 'time', sql: `l.newest['at']` },
    revisions: { kind: 'number', sql: 'coalesce(l.n, 0)' },
    size: { kind: 'number', sql: `l.newest['size']` },
  },
  derived: ATTRIBUTION,
  from: (used) =>
    OF_NEWEST.some((name) => used.has(name))
      ? `pages r LEFT JOIN ${NEWEST} l ON l.wiki = r.wiki AND l.page_id = r.page_id`
      : 'pages r',
  identity: ['pageid', 'wiki'],
  sort: 'title',
  sortedBy: 'title',
}

/** The former name of a revision's text. */
const ALIASES: Record<string, string> = { '*': 'text' }

/** Of a table, in the order in which they are shown. */
export function fieldNames({ fields, derived }: ListTable): string[] {
  return [...Object.keys(fields), ...derived]
}

export function realName(name: string): string {
  return ALIASES[name] ?? name
}

export interface ChosenWiki {
  key: string
  language: string | null
  site: SiteInfo
}

/**
 * By default all that are not hidden from the caller; a wiki that is not here is an error, a
 * language that none has leaves none.
 */
export async function chosenWikis(
  revisions: Revisions,
  { wiki, locale }: { wiki?: unknown; locale?: unknown },
  hidden: readonly string[],
): Promise<ChosenWiki[]> {
  const rows = typeof wiki === 'string' ? [await revisions.wiki(wiki)] : await revisions.wikis()
  const seen = rows.filter(({ key }) => !hidden.includes(key))
  const kept = seen.map(({ key, site }) => ({ key, language: site.language, site }))
  return chooseWikis(typeof locale === 'string' ? { locale } : {}, kept)
}
