/** A query begins: its plan, its stages and the tasks of those that wait for nothing, all at once. */
import { logEvents, noteStationEvents, type Sql } from '@minga/store'
import { QueryIdReused } from '../errors.ts'
import type { Plan } from '../model.ts'
import { turnOfNewcomer } from './fair-share.ts'
import { bytesOf, shapeOf, type StageShape } from './plan-shape.ts'
import type { Terms } from './query-rows.ts'

export interface Submission {
  /** Its client's own, so that asking again after a lost answer starts nothing twice. */
  id: string
  owner: string
  kind: string
  plan: Plan
  /** The submitted query, for users who view it later. */
  ask: unknown
  weight: number
  terms: Terms
  deadlineAt: number | null
  now: number
}

export async function submitQuery(
  sql: Sql,
  submission: Submission,
): Promise<{ isNew: boolean; opened: number }> {
  const { id, owner, plan } = submission
  const shapes = shapeOf(plan)
  const number = await insertQuery(sql, submission, shapes)
  if (number === undefined) {
    const known = await sql.get<{ owner: string }>('SELECT owner FROM lake_queries WHERE id = ?', [
      id,
    ])
    if (known?.owner !== owner) throw QueryIdReused.named(id)
    return { isNew: false, opened: 0 }
  }
  await sql.run('INSERT INTO lake_plans (query, plan) VALUES (?, ?)', [
    number,
    JSON.stringify(plan),
  ])
  await insertStages(sql, number, shapes)
  await joinOwners(sql, owner, number)
  const { now: at, kind: detail } = submission
  await noteStationEvents(sql, [{ at, kind: 'query:begun', subject: id, detail }])
  const sentence = `A query of kind ${detail} began.`
  const details = { kind: detail }
  await logEvents(sql, [{ at, code: 'query:begun', subject: id, sentence, details, by: owner }])
  const first = shapes.flatMap((shape, stage) => (shape.waits === 0 ? [stage] : []))
  let opened = 0
  for (const stage of first) opened += await openStage(sql, number, stage)
  return { isNew: true, opened }
}

async function insertQuery(
  sql: Sql,
  submission: Submission,
  shapes: readonly StageShape[],
): Promise<number | undefined> {
  const { id, owner, kind, plan, ask, weight, terms, deadlineAt, now } = submission
  const others = await sql.all<{ turn: number }>(
    `SELECT turn FROM lake_queries WHERE owner = ? AND state = 'running'`,
    [owner],
  )
  const row = {
    id,
    owner,
    kind,
    ask: JSON.stringify(ask ?? null),
    terms: JSON.stringify(terms),
    weight,
    turn: turnOfNewcomer(others.map(({ turn }) => turn)),
    state: 'running',
    stages_left: shapes.length,
    total: shapes.reduce((total, shape) => total + shape.total, 0),
    bytes_total: bytesOf(plan),
    made_at: now,
    seen_at: now,
    abandon_at: terms.abandonMs === null ? null : now + terms.abandonMs,
    deadline_at: deadlineAt,
    files: 'all',
  }
  const names = Object.keys(row)
  const inserted = await sql.get<{ number: number }>(
    `INSERT INTO lake_queries (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT (id) DO NOTHING RETURNING number`,
    Object.values(row),
  )
  return inserted?.number
}

async function insertStages(sql: Sql, query: number, shapes: readonly StageShape[]): Promise<void> {
  await sql.insertMany({
    table: 'lake_stages',
    columns: [
      'query',
      'stage',
      'id',
      'about',
      'state',
      'waits',
      'follows',
      'reads',
      'shows',
      'total',
    ],
    rows: shapes.map((shape, stage) => [
      query,
      stage,
      shape.id,
      shape.about,
      'waiting',
      shape.waits,
      JSON.stringify(shape.follows),
      JSON.stringify(shape.reads),
      JSON.stringify(shape.shows),
      shape.total,
    ]),
  })
}

/** An owner without running tasks joins behind those who wait: submitting again gains nothing. */
async function joinOwners(sql: Sql, owner: string, number: number): Promise<void> {
  const other = await sql.get(
    `SELECT 1 FROM lake_queries WHERE owner = ? AND state = 'running' AND number <> ? LIMIT 1`,
    [owner, number],
  )
  if (other) return
  const turns = await sql.all<{ turn: number }>(
    `SELECT turn FROM lake_owners WHERE owner IN (SELECT owner FROM lake_queries WHERE state = 'running')`,
  )
  await sql.run(
    `INSERT INTO lake_owners (owner, turn) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE
       SET turn = CASE WHEN lake_owners.turn > excluded.turn THEN lake_owners.turn ELSE excluded.turn END`,
    [owner, turnOfNewcomer(turns.map(({ turn }) => turn))],
  )
}

/** Makes the tasks of a stage for which nothing is missing; answers how many. */
export async function openStage(sql: Sql, query: number, stage: number): Promise<number> {
  const row = await sql.get<{ total: number }>(
    `UPDATE lake_stages SET state = 'open', ready = total WHERE query = ? AND stage = ? RETURNING total`,
    [query, stage],
  )
  const total = row!.total
  await sql.insertMany({
    table: 'lake_tasks',
    columns: ['query', 'stage', 'task', 'state'],
    rows: Array.from({ length: total }, (_, task) => [query, stage, task, 'ready']),
  })
  await sql.run('UPDATE lake_queries SET ready = ready + ? WHERE number = ?', [total, query])
  return total
}
