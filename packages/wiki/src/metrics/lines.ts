/**
 * Parts of statements that several metrics share. What a revision did to its page can only be seen
 * by comparison with its neighbours, chosen or not: `line` is the whole history of every page that
 * has a chosen revision, page after page, oldest first, numbered through.
 *
 * Sorting is what these metrics cost, and numbers sort several times faster than names: hence
 * pages, editors and texts are distinguished by 64-bit hashes (two of ten million collide once in
 * 400,000 wikis), and one order over everything replaces a window per page.
 */
const ORDER = 'WINDOW o AS (ORDER BY hash(r.wiki), r.page_id, r."at", r.rev_id)'

/** `columns` are ours: expressions over `r` and the order `o`. */
export function lineCtes(where: string, columns: readonly string[]): string {
  return `scope AS (SELECT DISTINCT hash(r.wiki) AS w, r.page_id AS p FROM revisions r WHERE ${where}),
    line AS MATERIALIZED (
      SELECT hash(r.wiki) AS w, r.page_id AS p, coalesce(${where}, false) AS is_chosen, ${columns.join(', ')}
      FROM revisions r SEMI JOIN scope s ON hash(r.wiki) = s.w AND r.page_id = s.p ${ORDER}
    )`
}

/**
 * `delta`: bytes more than the revision before it in the history of its page; a first revision that has no parent
 * adds all of itself. That is MediaWiki's own difference wherever history is linear.
 */
export const DELTA_COLUMN = `CASE
  WHEN lag(r.page_id) OVER o = r.page_id AND lag(hash(r.wiki)) OVER o = hash(r.wiki) THEN r.size - lag(r.size) OVER o
  WHEN coalesce(r.parent_id, 0) = 0 THEN r.size END AS delta`

const TWIN_COLUMNS = [
  'row_number() OVER o AS n',
  'r.rev_id AS rev',
  'r."user" AS name',
  'CASE WHEN r.sha1 IS NOT NULL THEN hash(r.wiki, r.page_id, r.sha1) END AS text',
]

export interface RevertParts {
  /** A number that was checked. */
  radius: number
  /** More columns of `line`. */
  columns?: readonly string[]
  /** Reverts by revisions that were not chosen count too. */
  isByAnybody?: boolean
}

/**
 * `reverts` (each revision that restores an earlier text) and `undone` (each pair of a revert and a revision that
 * it undid).
 */
export function revertCtes(
  where: string,
  { radius, columns = [], isByAnybody }: RevertParts,
): string {
  return `${lineCtes(where, [...TWIN_COLUMNS, ...columns])},
    twins AS (
      SELECT w, p, rev, name, n, is_chosen, CASE WHEN lag(text) OVER t = text THEN lag(n) OVER t END AS earlier
      FROM line WHERE text IS NOT NULL WINDOW t AS (ORDER BY text, n)
    ),
    reverts AS MATERIALIZED (
      SELECT * FROM twins WHERE n - earlier BETWEEN 2 AND ${radius + 1} ${isByAnybody ? '' : 'AND is_chosen'}
    ),
    spans AS (SELECT w, p, rev, name, unnest(range(earlier + 1, n)) AS m FROM reverts),
    undone AS MATERIALIZED (
      SELECT s.w, s.p, s.rev AS by_rev, s.name AS by_user, l.rev AS of_rev, l.name AS of_user
      FROM spans s JOIN line l ON l.n = s.m
    )`
}
