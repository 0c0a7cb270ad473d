/** Rows that several operations read, and the lock under which a query is changed. */
import type { Sql } from '@minga/store'
import type { Segment, Task } from '../model.ts'

export type QueryState = 'running' | 'done' | 'failed' | 'cancelled'

/** What was agreed when the query was submitted. */
export interface Terms {
  attemptsMost: number
  deathsMost: number
  /** How long results are kept. */
  keepMs: number
  /** Without a sign of its client for so long it is ended; null: it needs no client. */
  abandonMs: number | null
  limits: Task['limits']
  /** Whose the tables are that it makes; null: the station's. */
  tableOwner: string | null
}

export interface QueryError {
  code: string
  message: string
  stage: string | null
  index: number | null
  sql: string | null
}

export interface QueryRow {
  number: number
  id: string
  owner: string
  kind: string
  state: QueryState
  terms: string
  stages_left: number
  outputs: number
  /** Of its files these are on the disk still. */
  files: 'all' | 'results' | 'nothing'
}

/**
 * Everything that changes a query holds its row from the first look to the commit, so that two workers that
 * finish at the same moment do not both see one task left, and a cancelled query gets no further output.
 */
export async function lockQuery(sql: Sql, id: string): Promise<QueryRow | undefined> {
  return sql.get<QueryRow>(`${SELECT_QUERY} WHERE id = ?${forUpdate(sql)}`, [id])
}

/** Undefined also when another transaction holds it: the caller has others to check. */
export async function lockIfFree(sql: Sql, number: number): Promise<QueryRow | undefined> {
  return sql.get<QueryRow>(
    `${SELECT_QUERY} WHERE number = ? AND state = 'running'${sql.forUpdateSkipLocked}`,
    [number],
  )
}

/** Waits for the transaction that holds it. */
export async function lockRunning(sql: Sql, number: number): Promise<QueryRow | undefined> {
  return sql.get<QueryRow>(
    `${SELECT_QUERY} WHERE number = ? AND state = 'running'${forUpdate(sql)}`,
    [number],
  )
}

const SELECT_QUERY = `SELECT number, id, owner, kind, state, terms, stages_left, outputs, files
  FROM lake_queries`

function forUpdate(sql: Sql): string {
  return sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
}

export function termsOf(row: Pick<QueryRow, 'terms'>): Terms {
  return JSON.parse(row.terms) as Terms
}

export interface TaskPlace {
  query: number
  stage: number
  task: number
}

/** Moves counters of a stage and of its query together: they are what is shown and what leases go by. */
export async function count(
  sql: Sql,
  { query, stage }: Pick<TaskPlace, 'query' | 'stage'>,
  change: { ready?: number; running?: number; done?: number },
): Promise<void> {
  const moved = [change.ready ?? 0, change.running ?? 0, change.done ?? 0]
  const set = 'SET ready = ready + ?, running = running + ?, done = done + ?'
  await sql.run(`UPDATE lake_stages ${set} WHERE query = ? AND stage = ?`, [...moved, query, stage])
  await sql.run(`UPDATE lake_queries ${set} WHERE number = ?`, [...moved, query])
}

/** Which of a query's stages has this name. Asked for apart: in a join SQLite would walk through all tasks. */
export async function stageCalled(
  sql: Sql,
  query: number,
  id: string,
): Promise<{ stage: number; shows: string } | undefined> {
  return sql.get('SELECT stage, shows FROM lake_stages WHERE query = ? AND id = ?', [query, id])
}

/** What tasks of a stage wrote as one of its outputs, in the order of the tasks. */
export async function outputFiles(
  sql: Sql,
  query: number,
  { stage, output }: { stage: string; output: string },
): Promise<Segment[]> {
  const place = await stageCalled(sql, query, stage)
  return sql.all<Segment>(
    `SELECT file, rows_written AS "rows", bytes FROM lake_outputs
     WHERE query = ? AND stage = ? AND output = ? ORDER BY task, part`,
    [query, place!.stage, output],
  )
}
