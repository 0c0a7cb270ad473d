/** Who edits the same pages, and which tags edits carry. */
import { numberOf, textOf, Values, type Ask, type Choice } from './ask.ts'

export interface CoEditorNetwork {
  /** The most active editors. */
  editors: { user: string; edits: number; pages: number }[]
  /** Between two of them, the strongest first: pages that both edited. */
  links: { one: string; other: string; pages: number }[]
  /** Editors or links were left out. */
  isCut: boolean
}

/** Links grow with the square of the editors; no picture shows more than these anyway. */
const EDITORS_MAX = 500
const LINKS_MAX = 10_000

export async function coEditors(
  ask: Ask,
  { where, values }: Choice,
  { editors = 100, links = 1000 }: { editors?: number; links?: number } = {},
): Promise<CoEditorNetwork> {
  const [editorsMax, linksMax] = [Math.min(editors, EDITORS_MAX), Math.min(links, LINKS_MAX)]
  const bound = new Values(values)
  const rows = await ask(
    `WITH seen AS MATERIALIZED (
       SELECT hash(r.wiki, r.page_id) AS page, r."user" AS name, count(*) AS edits
       FROM revisions r WHERE ${where} AND r."user" IS NOT NULL GROUP BY 1, 2
     ),
     tally AS MATERIALIZED (SELECT name, sum(edits)::BIGINT AS edits, count(*) AS pages FROM seen GROUP BY name),
     top AS MATERIALIZED (SELECT * FROM tally ORDER BY edits DESC, name LIMIT ${bound.bind(editorsMax)}),
     shown AS MATERIALIZED (SELECT page, name FROM seen SEMI JOIN top USING (name)),
     links AS (
       SELECT a.name AS one, b.name AS other, count(*) AS pages
       FROM shown a JOIN shown b ON a.page = b.page AND a.name < b.name
       GROUP BY 1, 2 ORDER BY pages DESC, one, other LIMIT ${bound.bind(linksMax + 1)}
     )
     SELECT name AS one, NULL AS other, edits, pages, (SELECT count(*) FROM tally) AS of_all FROM top
     UNION ALL SELECT one, other, 0, pages, 0 FROM links
     ORDER BY edits DESC, pages DESC, one, other`,
    bound.list,
  )
  const nodes = rows.filter(({ other }) => other === null)
  const edges = rows.filter(({ other }) => other !== null)
  return {
    editors: nodes.map((row) => ({
      user: textOf(row['one']),
      edits: numberOf(row['edits']),
      pages: numberOf(row['pages']),
    })),
    links: edges.slice(0, linksMax).map((row) => ({
      one: textOf(row['one']),
      other: textOf(row['other']),
      pages: numberOf(row['pages']),
    })),
    isCut: edges.length > linksMax || numberOf(nodes[0]?.['of_all']) > nodes.length,
  }
}

export interface TagUse {
  tag: string
  edits: number
  /** Of all chosen revisions. */
  share: number
  editors: number
}

export async function tagUse(
  ask: Ask,
  { where, values }: Choice,
  { limit = 100 }: { limit?: number } = {},
): Promise<TagUse[]> {
  const bound = new Values(values)
  const rows = await ask(
    `WITH tagged AS (
       SELECT unnest(list_distinct(r.tags)) AS tag, r."user" AS name FROM revisions r WHERE ${where}
     )
     SELECT tag, count(*) AS edits, count(DISTINCT name) AS editors,
       count(*) / (SELECT count(*) FROM revisions r WHERE ${where}) AS share
     FROM tagged GROUP BY tag ORDER BY edits DESC, tag LIMIT ${bound.bind(limit)}`,
    bound.list,
  )
  return rows.map((row) => ({
    tag: textOf(row['tag']),
    edits: numberOf(row['edits']),
    share: numberOf(row['share']),
    editors: numberOf(row['editors']),
  }))
}
