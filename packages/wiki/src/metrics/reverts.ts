/** Who undoes whom: identity reverts, and the pairs of editors who undo each other. */
import { numberOf, textOf, textOrNull, Values, type Ask, type Choice } from './ask.ts'
import { revertCtes } from './lines.ts'

/**
 * An identity revert brings back, to the byte, a text that the page had before, undoing the 1 to 15 revisions in
 * between (the radius is the custom of Wikimedia's researchers: https://meta.wikimedia.org/wiki/Research:Revert).
 * Repairs that change anything else at the same time are not seen.
 */
const RADIUS = 15
const RADIUS_MAX = 1000

export interface RevertOptions {
  /** How many revisions a revert may undo. */
  radius?: number
  /** Pairs, reverts or pages to list. */
  limit?: number
}

export interface IdentityReverts {
  /** Revisions that restore an earlier text. */
  reverts: number
  /** Revisions undone at least once. */
  undone: number
  /** Reverts that undid only the same editor's own revisions. */
  ofOneself: number
  /** Who undid whom, most often first; null is a hidden editor. */
  pairs: { by: string | null; of: string | null; times: number }[]
}

export async function identityReverts(
  ask: Ask,
  { where, values }: Choice,
  { radius = RADIUS, limit = 100 }: RevertOptions = {},
): Promise<IdentityReverts> {
  const bound = new Values(values)
  const rows = await ask(
    `WITH ${revertCtes(where, { radius: checkedRadius(radius) })},
     own AS (
       SELECT bool_and(coalesce(by_user = of_user, false)) AS is_own FROM undone GROUP BY w, by_rev
     ),
     met AS (SELECT DISTINCT w, by_rev, by_user, of_user FROM undone WHERE by_user IS DISTINCT FROM of_user),
     pairs AS (
       SELECT by_user, of_user, count(*) AS times FROM met GROUP BY 1, 2
       ORDER BY times DESC, by_user, of_user LIMIT ${bound.bind(limit)}
     )
     SELECT true AS is_total, NULL AS by_user, NULL AS of_user, count(*) AS times, count(*) FILTER (is_own) AS own,
       (SELECT count(DISTINCT hash(w, of_rev)) FROM undone) AS undone FROM own
     UNION ALL SELECT false, by_user, of_user, times, 0, 0 FROM pairs`,
    bound.list,
  )
  const total = rows.find((row) => row['is_total'] === true)
  return {
    reverts: numberOf(total?.['times']),
    undone: numberOf(total?.['undone']),
    ofOneself: numberOf(total?.['own']),
    pairs: rows
      .filter((row) => row['is_total'] !== true)
      .map((row) => ({
        by: textOrNull(row['by_user']),
        of: textOrNull(row['of_user']),
        times: numberOf(row['times']),
      }))
      .toSorted((a, b) => b.times - a.times),
  }
}

/** It stands in the statement as a number, so it must be one. */
function checkedRadius(radius: number): number {
  return Math.min(RADIUS_MAX, Math.max(1, Math.floor(radius) || RADIUS))
}

export interface MutualPair {
  wiki: string
  pageId: number
  title: string | null
  one: string
  other: string
  /** How often `one` undid `other`, and the other way round. */
  oneUndid: number
  otherUndid: number
  oneEdits: number
  otherEdits: number
}

export interface EditWar {
  wiki: string
  pageId: number
  title: string | null
  /** Editors who undid each other. */
  editors: number
  /** Undoings within such pairs. */
  reverts: number
  /** Sumi et al.'s M; 0 where only one pair fought. */
  controversy: number
  pairs: { one: string; other: string; oneUndid: number; otherUndid: number }[]
}

/** More pairs than any page has; a whole wiki is asked page by page. */
const PAIRS_MAX = 20_000

/** Pages where editors undid each other, the most controversial first. */
export async function editWars(
  ask: Ask,
  { where, values }: Choice,
  { radius = RADIUS, limit = 20 }: RevertOptions = {},
): Promise<EditWar[]> {
  const rows = await ask(
    `WITH ${revertCtes(where, { radius: checkedRadius(radius) })},
     pairs AS (
       SELECT w, p, by_user, of_user, count(DISTINCT by_rev) AS times FROM undone
       WHERE by_user <> of_user GROUP BY ALL
     ),
     mutual AS (
       SELECT a.w, a.p, a.by_user AS one, a.of_user AS other, a.times AS one_undid, b.times AS other_undid
       FROM pairs a JOIN pairs b ON a.w = b.w AND a.p = b.p AND a.by_user = b.of_user AND a.of_user = b.by_user
       WHERE a.by_user < a.of_user
       ORDER BY a.times + b.times DESC, one, other LIMIT ${PAIRS_MAX}
     ),
     fighters AS (SELECT w, p, one AS name FROM mutual UNION SELECT w, p, other FROM mutual),
     edits AS (
       SELECT f.w, f.p, f.name, count(*) AS edits
       FROM fighters f JOIN line l ON l.w = f.w AND l.p = f.p AND l.name = f.name GROUP BY ALL
     )
     SELECT p.wiki, m.p AS page_id, m.one, m.other, m.one_undid, m.other_undid, p.title,
       e.edits AS one_edits, f.edits AS other_edits
     FROM mutual m
     JOIN edits e ON e.w = m.w AND e.p = m.p AND e.name = m.one
     JOIN edits f ON f.w = m.w AND f.p = m.p AND f.name = m.other
     LEFT JOIN pages p ON hash(p.wiki) = m.w AND p.page_id = m.p
     ORDER BY m.one_undid + m.other_undid DESC, one, other`,
    values,
  )
  const pairs = rows.map((row) => ({
    wiki: textOf(row['wiki']),
    pageId: numberOf(row['page_id']),
    title: textOrNull(row['title']),
    one: textOf(row['one']),
    other: textOf(row['other']),
    oneUndid: numberOf(row['one_undid']),
    otherUndid: numberOf(row['other_undid']),
    oneEdits: numberOf(row['one_edits']),
    otherEdits: numberOf(row['other_edits']),
  }))
  return warsOf(pairs).slice(0, limit)
}

/**
 * Controversy of a page: M = E · (Σ min(Nᵢ, Nⱼ) − max min(Nᵢ, Nⱼ)) over the pairs who undid each other, N their
 * edits on the page, E how many such editors. The largest pair is left out: two people's quarrel is not a war.
 * Sumi, Yasseri, Rung, Kornai, Kertész, "Edit wars in Wikipedia", 2011.
 */
export function warsOf(pairs: readonly MutualPair[]): EditWar[] {
  const pages = Map.groupBy(pairs, ({ wiki, pageId }) => `${wiki} ${pageId}`)
  const wars = [...pages.values()].map((fought): EditWar => {
    const weights = fought.map(({ oneEdits, otherEdits }) => Math.min(oneEdits, otherEdits))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    const editors = new Set(fought.flatMap(({ one, other }) => [one, other])).size
    const { wiki, pageId, title } = fought[0]!
    return {
      wiki,
      pageId,
      title,
      editors,
      reverts: fought.reduce((total, pair) => total + pair.oneUndid + pair.otherUndid, 0),
      controversy: editors * (sum - Math.max(...weights)),
      pairs: fought.map(({ one, other, oneUndid, otherUndid }) => ({
        one,
        other,
        oneUndid,
        otherUndid,
      })),
    }
  })
  return wars.toSorted((a, b) => b.controversy - a.controversy || b.reverts - a.reverts)
}
