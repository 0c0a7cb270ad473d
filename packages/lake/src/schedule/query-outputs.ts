/** What a query has written so far, and at its end. */
import type { Sql } from '@minga/store'
import { UnknownQuery } from '../errors.ts'
import type { Plan } from '../model.ts'
import type { Segment } from '../model.ts'
import { outputFiles, type QueryState } from './query-rows.ts'

export interface ShownOutput {
  /** Its place in the order of appearance. */
  number: number
  /** Name of the query of the plan whose rows these are. */
  query: string
  file: string
  rows: number
  bytes: number
}

export interface ShownOutputs {
  outputs: ShownOutput[]
  /** Where to go on. */
  after: number
  /** Nothing will come after these. */
  isEnded: boolean
  /** Its files are gone: what was not fetched in time cannot be fetched any more. */
  isCollected: boolean
}

interface OutputRow {
  number: number
  output: string
  shows: string
  file: string
  rows: number
  bytes: number
}

/** Files with rows of results that appeared after a cursor; 0 is the beginning. */
export async function outputsOf(
  sql: Sql,
  { id, after, most }: { id: string; after: number; most: number },
): Promise<ShownOutputs> {
  const query = await queryNamed(sql, id)
  const rows = await sql.all<OutputRow>(
    `SELECT o.number, o.output, o.file, o.rows_written AS "rows", o.bytes, s.shows
     FROM lake_outputs o JOIN lake_stages s ON s.query = o.query AND s.stage = o.stage
     WHERE o.query = ? AND o.number > ? AND o.is_shown = 1 ORDER BY o.number LIMIT ?`,
    [query.number, after, most],
  )
  return {
    outputs: rows.flatMap(shownAs),
    after: rows.at(-1)?.number ?? after,
    isEnded: query.state !== 'running' && rows.length < most,
    isCollected: query.files === 'nothing',
  }
}

/** An output that several queries share is shown as each of them. */
function shownAs({ number, output, shows, file, rows, bytes }: OutputRow): ShownOutput[] {
  const named = (JSON.parse(shows) as { output: string; query: string }[]).filter(
    (one) => one.output === output,
  )
  return named.map(({ query }) => ({ number, query, file, rows, bytes }))
}

export interface ResultFile extends Segment {
  query: string
  columns: string[]
}

/** The finished files, once the query is done and as long as they are kept. */
export async function resultsOf(
  sql: Sql,
  { id, now }: { id: string; now: number },
): Promise<ResultFile[]> {
  const query = await queryNamed(sql, id)
  if (query.state !== 'done' || query.files === 'nothing') return []
  // From then on they may be gone at any moment.
  if (query.files === 'results' && query.collect_at! <= now) return []
  const files: ResultFile[] = []
  for (const { query: name, columns, file } of (await planOf(sql, { id })).results) {
    const [written] = await outputFiles(sql, query.number, file)
    files.push({ query: name, columns, ...written! })
  }
  return files
}

export async function planOf(sql: Sql, { id }: { id: string }): Promise<Plan> {
  const row = await sql.get<{ plan: string }>(
    'SELECT p.plan FROM lake_plans p JOIN lake_queries q ON q.number = p.query WHERE q.id = ?',
    [id],
  )
  if (!row) throw UnknownQuery.named(id)
  return JSON.parse(row.plan) as Plan
}

interface NamedQuery {
  number: number
  state: QueryState
  files: 'all' | 'results' | 'nothing'
  collect_at: number | null
}

async function queryNamed(sql: Sql, id: string): Promise<NamedQuery> {
  const row = await sql.get<NamedQuery>(
    'SELECT number, state, files, collect_at FROM lake_queries WHERE id = ?',
    [id],
  )
  if (!row) throw UnknownQuery.named(id)
  return row
}
