/** Who edits: the most active, what kinds of editors, and how unequal they are. */
import { numberOf, textOf, Values, type Ask, type Choice } from './ask.ts'
import { LIST_SEPARATOR } from './query-fields.ts'

export interface TopEditor {
  user: string
  /** `registered`, `anonymous`, `temporary`, … as the last revision says. */
  editor: string
  edits: number
  /** Of all chosen revisions. */
  share: number
  minor: number
  pages: number
  firstAt: number
  lastAt: number
}

/** By number of edits; equal ones by name. Hidden editors are not counted. */
export async function topEditors(
  ask: Ask,
  { where, values }: Choice,
  { limit = 10 }: { limit?: number } = {},
): Promise<TopEditor[]> {
  const bound = new Values(values)
  const rows = await ask(
    `WITH tally AS (
       SELECT r."user" AS name, arg_max(r.editor, r."at") AS editor, count(*) AS edits,
         count(*) FILTER (r.is_minor) AS minor, count(DISTINCT hash(r.wiki, r.page_id)) AS pages,
         min(r."at") AS first_at, max(r."at") AS last_at
       FROM revisions r WHERE ${where} GROUP BY 1
     )
     SELECT *, edits / (SELECT sum(edits) FROM tally) AS share FROM tally
     WHERE name IS NOT NULL ORDER BY edits DESC, name LIMIT ${bound.bind(limit)}`,
    bound.list,
  )
  return rows.map((row) => ({
    user: textOf(row['name']),
    editor: textOf(row['editor']),
    edits: numberOf(row['edits']),
    share: numberOf(row['share']),
    minor: numberOf(row['minor']),
    pages: numberOf(row['pages']),
    firstAt: numberOf(row['first_at']),
    lastAt: numberOf(row['last_at']),
  }))
}

export interface EditorSplit {
  edits: number
  minor: number
  /** Each edit counts in exactly one of these. */
  kinds: Record<
    'bot' | 'registered' | 'anonymous' | 'temporary' | 'imported' | 'hidden' | 'unknown',
    number
  >
}

/**
 * Histories do not say who is a bot. Known are the names that are given (the wiki's own list), and the custom that
 * a bot's name ends a word with "bot"; a person called Talbot is counted wrongly unless `byName` is false.
 */
export async function editorSplit(
  ask: Ask,
  { where, values }: Choice,
  { bots = [], byName = true }: { bots?: readonly string[]; byName?: boolean } = {},
): Promise<EditorSplit> {
  const bound = new Values(values)
  const names = bound.bind(bots.join(LIST_SEPARATOR))
  const custom = byName ? `OR regexp_matches(r."user", '(?i)bot([^a-z]|$)')` : ''
  const rows = await ask(
    `SELECT CASE WHEN r."user" IS NULL THEN 'hidden'
         WHEN r.editor = 'registered'
           AND (r."user" IN (SELECT unnest(string_split(${names}, chr(31)))) ${custom}) THEN 'bot'
         ELSE r.editor END AS kind,
       count(*) AS edits, count(*) FILTER (r.is_minor) AS minor
     FROM revisions r WHERE ${where} GROUP BY 1`,
    bound.list,
  )
  const kinds: EditorSplit['kinds'] = {
    bot: 0,
    registered: 0,
    anonymous: 0,
    temporary: 0,
    imported: 0,
    hidden: 0,
    unknown: 0,
  }
  for (const row of rows) {
    const kind = textOf(row['kind'])
    kinds[Object.hasOwn(kinds, kind) ? (kind as keyof typeof kinds) : 'unknown'] += numberOf(
      row['edits'],
    )
  }
  const sum = (name: string) => rows.reduce((total, row) => total + numberOf(row[name]), 0)
  return { edits: sum('edits'), minor: sum('minor'), kinds }
}

export interface Inequality {
  /** 0: all edit equally much; towards 1: one does everything. */
  gini: number
  editors: number
  edits: number
  /** Share of the edits that the most active tenth made (at least one editor). */
  topTenth: number
}

export async function editInequality(ask: Ask, { where, values }: Choice): Promise<Inequality> {
  const rows = await ask(
    `WITH tally AS (
       SELECT count(*) AS edits FROM revisions r WHERE ${where} AND r."user" IS NOT NULL GROUP BY r."user"
     )
     SELECT edits, count(*) AS editors FROM tally GROUP BY edits ORDER BY edits`,
    values,
  )
  return inequalityOf(
    rows.map((row) => ({ edits: numberOf(row['edits']), editors: numberOf(row['editors']) })),
  )
}

/**
 * Gini's coefficient from how many editors made how many edits, rising:
 *   G = Σᵢ (2i − n − 1)·xᵢ / (n·Σ xᵢ), i = 1…n in rising order of xᵢ
 * A run of equal values has the mean rank of its ends, so one step per distinct number is enough.
 */
export function inequalityOf(tally: readonly { edits: number; editors: number }[]): Inequality {
  const editors = tally.reduce((sum, step) => sum + step.editors, 0)
  const edits = tally.reduce((sum, step) => sum + step.edits * step.editors, 0)
  if (edits === 0) return { gini: 0, editors, edits, topTenth: 0 }
  let before = 0
  let weighted = 0
  for (const step of tally) {
    const meanRank = before + (step.editors + 1) / 2
    weighted += (2 * meanRank - editors - 1) * step.edits * step.editors
    before += step.editors
  }
  return {
    gini: weighted / (editors * edits),
    editors,
    edits,
    topTenth: topShare(tally, editors, edits),
  }
}

function topShare(
  tally: readonly { edits: number; editors: number }[],
  editors: number,
  edits: number,
) {
  let left = Math.max(1, Math.floor(editors / 10))
  let made = 0
  for (const step of tally.toReversed()) {
    const taken = Math.min(left, step.editors)
    made += taken * step.edits
    left -= taken
  }
  return made / edits
}
