/** A few pages, or a few editors, side by side. */
import type { WikiEditorView, WikiPageComparison } from '@minga/protocol'
import { BadWikiFilter } from '../errors.ts'
import {
  numberOf,
  numberOrNull,
  textOf,
  textOrNull,
  Values,
  type Ask,
  type AskValue,
} from './ask.ts'
import { DELTA_COLUMN, revertCtes } from './lines.ts'

const COMPARED_MAX = 20
const RADIUS = 15

type ComparedPage = WikiPageComparison['pages'][number]

export interface Overlap<T> {
  one: T
  other: T
  /** Editors that both pages have, or pages that both editors edited. */
  common: number
  /** Common ones of all that either has (Jaccard). */
  likeness: number
}

export interface PageComparison {
  pages: ComparedPage[]
  overlaps: Overlap<number>[]
}

/** Pages of one wiki, by id. */
export async function comparePages(
  ask: Ask,
  { pageIds }: { pageIds: readonly number[] },
): Promise<PageComparison> {
  const bound = new Values()
  const where = `r.page_id IN (${placesOf(pageIds, bound)})`
  const rows = await ask(
    `WITH ${revertCtes(where, { radius: RADIUS })},
     reverted AS (SELECT w, p, count(*) AS reverts FROM reverts GROUP BY ALL)
     SELECT r.wiki, r.page_id, any_value(r.title) AS title, count(*) AS revisions,
       count(DISTINCT r."user") AS editors, count(*) FILTER (r.is_minor) AS minor,
       count(*) FILTER (r.editor = 'anonymous') AS anonymous, min(r."at") AS first_at, max(r."at") AS last_at,
       arg_max(r.size, (r."at", r.rev_id)) AS size, coalesce(any_value(v.reverts), 0) AS reverts
     FROM revisions r LEFT JOIN reverted v ON v.w = hash(r.wiki) AND v.p = r.page_id
     WHERE ${where} GROUP BY r.wiki, r.page_id ORDER BY r.wiki, r.page_id`,
    bound.list,
  )
  const pages = rows.map((row) => ({
    wiki: textOf(row['wiki']),
    pageId: numberOf(row['page_id']),
    title: textOrNull(row['title']),
    revisions: numberOf(row['revisions']),
    editors: numberOf(row['editors']),
    minor: numberOf(row['minor']),
    anonymous: numberOf(row['anonymous']),
    firstAt: numberOf(row['first_at']),
    lastAt: numberOf(row['last_at']),
    size: numberOrNull(row['size']),
    reverts: numberOf(row['reverts']),
  }))
  const sides = {
    side: 'r.page_id',
    member: 'r."user"',
    where: `${where} AND r."user" IS NOT NULL`,
  }
  return { pages, overlaps: await overlapsOf(ask, sides, { bound, sideOf: numberOf }) }
}

const EDITOR_COLUMNS = [DELTA_COLUMN, 'r."at" AS t', 'r.is_minor']

type ComparedEditor = Omit<WikiEditorView, 'editor'>

export interface EditorComparison {
  editors: ComparedEditor[]
  overlaps: Overlap<string>[]
}

export async function compareEditors(
  ask: Ask,
  { users }: { users: readonly string[] },
): Promise<EditorComparison> {
  const bound = new Values()
  const where = `r."user" IN (${placesOf(users, bound)})`
  const parts = { radius: RADIUS, columns: EDITOR_COLUMNS, isByAnybody: true }
  const rows = await ask(
    `WITH ${revertCtes(where, parts)},
     made AS (SELECT name, count(*) AS n FROM reverts GROUP BY 1),
     lost AS (
       SELECT of_user AS name, count(DISTINCT hash(w, of_rev)) AS n FROM undone
       WHERE by_user IS DISTINCT FROM of_user GROUP BY 1
     ),
     work AS (
       SELECT name, count(*) AS edits, count(DISTINCT hash(w, p)) AS pages, count(*) FILTER (is_minor) AS minor,
         min(t) AS first_at, max(t) AS last_at, sum(delta) AS net_bytes
       FROM line WHERE is_chosen GROUP BY 1
     )
     SELECT work.*, made.n AS made, lost.n AS lost
     FROM work LEFT JOIN made ON made.name = work.name LEFT JOIN lost ON lost.name = work.name
     ORDER BY edits DESC, work.name`,
    bound.list,
  )
  const editors = rows.map((row) => ({
    user: textOf(row['name']),
    edits: numberOf(row['edits']),
    pages: numberOf(row['pages']),
    minor: numberOf(row['minor']),
    firstAt: numberOf(row['first_at']),
    lastAt: numberOf(row['last_at']),
    netBytes: numberOf(row['net_bytes']),
    revertsMade: numberOf(row['made']),
    undoneByOthers: numberOf(row['lost']),
  }))
  const sides = { side: 'r."user"', member: 'hash(r.wiki, r.page_id)', where }
  return { editors, overlaps: await overlapsOf(ask, sides, { bound, sideOf: textOf }) }
}

function placesOf(given: readonly AskValue[], bound: Values): string {
  if (given.length === 0 || given.length > COMPARED_MAX) {
    throw new BadWikiFilter(`Between 1 and ${COMPARED_MAX} can be compared, not ${given.length}.`)
  }
  return given.map((value) => bound.bind(value)).join(', ')
}

/** Of every pair of sides, how many members they share. All three texts are ours. */
async function overlapsOf<T>(
  ask: Ask,
  { side, member, where }: { side: string; member: string; where: string },
  { bound, sideOf }: { bound: Values; sideOf: (value: unknown) => T },
): Promise<Overlap<T>[]> {
  const rows = await ask(
    `WITH members AS (SELECT DISTINCT ${side} AS side, ${member} AS member FROM revisions r WHERE ${where}),
     sizes AS (SELECT side, count(*) AS n FROM members GROUP BY side),
     shared AS (
       SELECT a.side AS one, b.side AS other, count(*) AS n
       FROM members a JOIN members b ON a.member = b.member AND a.side < b.side GROUP BY 1, 2
     )
     SELECT a.side AS one, b.side AS other, coalesce(s.n, 0) AS common,
       coalesce(s.n, 0) / (a.n + b.n - coalesce(s.n, 0)) AS likeness
     FROM sizes a JOIN sizes b ON a.side < b.side LEFT JOIN shared s ON s.one = a.side AND s.other = b.side
     ORDER BY one, other`,
    bound.list,
  )
  return rows.map((row) => ({
    one: sideOf(row['one']),
    other: sideOf(row['other']),
    common: numberOf(row['common']),
    likeness: numberOf(row['likeness']),
  }))
}
