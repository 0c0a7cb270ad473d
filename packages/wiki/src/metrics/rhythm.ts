/** When edits happen: by hour, weekday, day, month and year; the gaps between them; sessions of work. */
import { numberOf, numberOrNull, Values, type Ask, type AskRow, type Choice } from './ask.ts'
import { BUCKETS } from './query-fields.ts'

export type RhythmBucket = 'hour' | 'weekday' | 'day' | 'month' | 'year'

export interface RhythmCount {
  /** Hour 0–23, weekday 1 (Monday) – 7, year; or a day `2004-06-22`, a month `2004-06`. */
  bucket: number | string
  edits: number
  editors: number
}

/** In UTC. Hours and weekdays are all there, the others only where there were edits. */
export async function editsBy(
  ask: Ask,
  { where, values }: Choice,
  { bucket }: { bucket: RhythmBucket },
): Promise<RhythmCount[]> {
  const rows = await ask(
    `SELECT ${BUCKETS[bucket]!.sql} AS bucket, count(*) AS edits, count(DISTINCT r."user") AS editors
     FROM revisions r WHERE ${where} GROUP BY 1 ORDER BY 1`,
    values,
  )
  const counts = rows.map((row) => ({
    bucket: typeof row['bucket'] === 'string' ? row['bucket'] : numberOf(row['bucket']),
    edits: numberOf(row['edits']),
    editors: numberOf(row['editors']),
  }))
  if (bucket !== 'hour' && bucket !== 'weekday') return counts
  const [first, length] = bucket === 'hour' ? [0, 24] : [1, 7]
  return Array.from({ length }, (_, i) => {
    const found = counts.find((count) => count.bucket === first + i)
    return found ?? { bucket: first + i, edits: 0, editors: 0 }
  })
}

export interface Spread {
  mean: number
  median: number
  p90: number
  longest: number
}

export interface EditGaps {
  /** Between two chosen revisions of a page that follow each other. */
  gaps: number
  /** Null when there is no gap. */
  ms: Spread | null
}

export async function editGaps(ask: Ask, { where, values }: Choice): Promise<EditGaps> {
  const [row] = await ask(
    `WITH gaps AS (
       SELECT CASE WHEN lag(r.page_id) OVER o = r.page_id AND lag(hash(r.wiki)) OVER o = hash(r.wiki)
         THEN r."at" - lag(r."at") OVER o END AS ms
       FROM revisions r WHERE ${where}
       WINDOW o AS (ORDER BY hash(r.wiki), r.page_id, r."at", r.rev_id)
     )
     SELECT count(ms) AS n, ${spreadSql('ms', 'gap')} FROM gaps`,
    values,
  )
  return { gaps: numberOf(row?.['n']), ms: spreadOf(row, 'gap') }
}

/**
 * An hour of silence ends a session: Geiger and Halfaker, "Using edit sessions to measure participation in
 * Wikipedia", CSCW 2013, found the two kinds of gap, within and between sittings, to part there.
 */
const SESSION_GAP_MS = 3_600_000

export interface EditSessions {
  sessions: number
  editors: number
  /** Edits per session. */
  edits: Spread | null
  /** From the first to the last edit: a session of one edit lasts 0. */
  ms: Spread | null
}

/** A session belongs to an editor, over all chosen pages of a wiki. */
export async function editSessions(
  ask: Ask,
  { where, values }: Choice,
  { gapMs = SESSION_GAP_MS }: { gapMs?: number } = {},
): Promise<EditSessions> {
  const bound = new Values(values)
  const [row] = await ask(
    `WITH edits AS (
       SELECT hash(r.wiki, r."user") AS editor, r."at" AS t, r.rev_id FROM revisions r
       WHERE ${where} AND r."user" IS NOT NULL
     ), steps AS (
       SELECT editor, t, rev_id, coalesce(editor <> lag(editor) OVER o OR t - lag(t) OVER o > ${bound.bind(gapMs)}, true) AS is_first
       FROM edits WINDOW o AS (ORDER BY editor, t, rev_id)
     ), numbered AS (
       SELECT editor, t, sum(is_first::INTEGER) OVER (ORDER BY editor, t, rev_id ROWS UNBOUNDED PRECEDING) AS session
       FROM steps
     ), sessions AS (
       SELECT any_value(editor) AS editor, count(*) AS edits, max(t) - min(t) AS ms FROM numbered GROUP BY session
     )
     SELECT count(*) AS n, count(DISTINCT editor) AS editors, ${spreadSql('edits', 'edits')}, ${spreadSql('ms', 'ms')}
     FROM sessions`,
    bound.list,
  )
  return {
    sessions: numberOf(row?.['n']),
    editors: numberOf(row?.['editors']),
    edits: spreadOf(row, 'edits'),
    ms: spreadOf(row, 'ms'),
  }
}

/** Both arguments are words of ours. */
function spreadSql(column: string, prefix: string): string {
  return `avg(${column}) AS ${prefix}_mean, quantile_cont(${column}, 0.5) AS ${prefix}_median,
    quantile_cont(${column}, 0.9) AS ${prefix}_p90, max(${column}) AS ${prefix}_longest`
}

function spreadOf(row: AskRow | undefined, prefix: string): Spread | null {
  const longest = numberOrNull(row?.[`${prefix}_longest`])
  if (row === undefined || longest === null) return null
  return {
    mean: numberOf(row[`${prefix}_mean`]),
    median: numberOf(row[`${prefix}_median`]),
    p90: numberOf(row[`${prefix}_p90`]),
    longest,
  }
}
