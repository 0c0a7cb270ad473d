/**
 * A task is done. From here on only its files count: the row of the task, what it wrote, the stages
 * that were waiting for it and, after the last one, the end of the query with all its segments are
 * one transaction.
 */
import { isMingaError } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Plan, TaskDone } from '../model.ts'
import { applySegments, type SegmentChange } from '../tables/apply-segments.ts'
import { endQuery } from './end-query.ts'
import {
  count,
  lockQuery,
  outputFiles,
  stageCalled,
  termsOf,
  type QueryRow,
  type TaskPlace,
} from './query-rows.ts'
import type { LeaseId } from './resolve-task.ts'
import { openStage } from './submit-query.ts'

export interface Commit {
  lease: LeaseId
  done: TaskDone
  now: number
}

export interface CommitAnswer {
  /**
   * `already`: it was accepted before, and its answer got lost. `stale`: its files have no owner
   * and may be removed. A query whose tasks are deleted is unknown, and a file may be a segment by
   * now: that is `already` too.
   */
  answer: 'accepted' | 'already' | 'stale'
  /** Tasks that may begin because of it. */
  opened: number
  isEnded: boolean
}

interface CommittedRow extends TaskPlace {
  state: string
  leased_at: number
  shows: string
}

export async function commitTask(sql: Sql, commit: Commit): Promise<CommitAnswer> {
  const { lease } = commit
  const query = await lockQuery(sql, lease.query)
  if (!query || query.files === 'nothing') return { answer: 'already', opened: 0, isEnded: true }
  const task = await taskOf(sql, query, lease)
  if (!task) return { answer: 'stale', opened: 0, isEnded: false }
  const isEnded = query.state !== 'running'
  if (task.state === 'done') return { answer: 'already', opened: 0, isEnded }
  if (task.state !== 'leased' || isEnded) return { answer: 'stale', opened: 0, isEnded }
  await keepOutputs(sql, query, { task, commit })
  await countDone(sql, task, commit)
  return { answer: 'accepted', ...(await goOn(sql, query, { task, now: commit.now })) }
}

async function taskOf(
  sql: Sql,
  query: QueryRow,
  lease: LeaseId,
): Promise<CommittedRow | undefined> {
  const stage = await stageCalled(sql, query.number, lease.stage)
  if (!stage) return undefined
  const task = await sql.get<Omit<CommittedRow, 'shows'>>(
    `SELECT query, stage, task, state, leased_at FROM lake_tasks
     WHERE query = ? AND stage = ? AND task = ? AND fence = ?`,
    [query.number, stage.stage, lease.index, lease.fence],
  )
  return task && { ...task, shows: stage.shows }
}

interface Committing {
  task: CommittedRow
  commit: Commit
}

/**
 * Numbered in the order in which they appeared: a client that has the first n requests those after.
 */
async function keepOutputs(sql: Sql, query: QueryRow, { task, commit }: Committing): Promise<void> {
  const { outputs } = commit.done
  const shown = new Set((JSON.parse(task.shows) as { output: string }[]).map((one) => one.output))
  await sql.insertMany({
    table: 'lake_outputs',
    columns: [
      'query',
      'number',
      'stage',
      'output',
      'part',
      'task',
      'file',
      'rows_written',
      'bytes',
      'is_shown',
    ],
    rows: outputs.map(({ output, partition, file, rows, bytes }, place) => [
      query.number,
      query.outputs + place + 1,
      task.stage,
      output,
      partition ?? -1,
      task.task,
      file,
      rows,
      bytes,
      shown.has(output) ? 1 : 0,
    ]),
  })
  await sql.run('UPDATE lake_queries SET outputs = outputs + ? WHERE number = ?', [
    outputs.length,
    query.number,
  ])
}

async function countDone(sql: Sql, task: CommittedRow, { done, now }: Commit): Promise<void> {
  const { query, stage } = task
  const spentMs = Math.max(0, now - task.leased_at)
  const written = done.outputs.reduce((total, { rows }) => total + rows, 0)
  await sql.run(
    `UPDATE lake_tasks SET state = 'done', last_worker = worker, worker = NULL, boot = NULL, until = NULL,
       ended_at = ? WHERE query = ? AND stage = ? AND task = ?`,
    [now, query, stage, task.task],
  )
  await count(sql, task, { running: -1, done: 1 })
  await sql.run(
    `UPDATE lake_stages SET rows_written = rows_written + ?, rows_read = rows_read + ?,
       spent_ms = spent_ms + ? WHERE query = ? AND stage = ?`,
    [written, done.rowsRead, spentMs, query, stage],
  )
  await sql.run(
    `UPDATE lake_queries SET rows_read = rows_read + ?, bytes_read = bytes_read + ?,
       spent_ms = spent_ms + ? WHERE number = ?`,
    [done.rowsRead, done.bytesRead, spentMs, query],
  )
  for (const [reason, rejects] of Object.entries(done.rejects)) {
    await sql.run(
      `INSERT INTO lake_rejects (query, reason, count) VALUES (?, ?, ?)
       ON CONFLICT (query, reason) DO UPDATE SET count = lake_rejects.count + excluded.count`,
      [query, reason, rejects],
    )
  }
}

/** Opens what waited for the last task of a stage; after the last stage the query is done. */
async function goOn(
  sql: Sql,
  query: QueryRow,
  { task, now }: { task: CommittedRow; now: number },
): Promise<{ opened: number; isEnded: boolean }> {
  const ended = await sql.get<{ follows: string }>(
    `UPDATE lake_stages SET state = 'done' WHERE query = ? AND stage = ? AND done = total
     RETURNING follows`,
    [task.query, task.stage],
  )
  if (!ended) return { opened: 0, isEnded: false }
  await sql.run('UPDATE lake_queries SET stages_left = stages_left - 1 WHERE number = ?', [
    query.number,
  ])
  if (query.stages_left === 1) {
    await endWell(sql, query, now)
    return { opened: 0, isEnded: true }
  }
  let opened = 0
  for (const stage of JSON.parse(ended.follows) as number[]) {
    const row = await sql.get<{ waits: number }>(
      'UPDATE lake_stages SET waits = waits - 1 WHERE query = ? AND stage = ? RETURNING waits',
      [query.number, stage],
    )
    if (row!.waits === 0) opened += await openStage(sql, query.number, stage)
  }
  return { opened, isEnded: false }
}

/** Tables change in the moment in which the query is done, or it is not done at all. */
async function endWell(sql: Sql, query: QueryRow, now: number): Promise<void> {
  const { plan } = (await sql.get<{ plan: string }>('SELECT plan FROM lake_plans WHERE query = ?', [
    query.number,
  ]))!
  const { segments = [] } = JSON.parse(plan) as Plan
  const changes: SegmentChange[] = []
  for (const one of segments) changes.push(await segmentChange(sql, query, one))
  try {
    if (changes.length > 0) await applySegments(sql, { now, changes })
  } catch (error) {
    // Refused before anything was changed: another writer changed the table in the meantime.
    if (!isMingaError(error)) throw error
    const { code, message } = error
    const refusal = { code, message, stage: null, index: null, sql: null }
    return endQuery(sql, query, { state: 'failed', error: refusal, now })
  }
  await endQuery(sql, query, { state: 'done', now })
}

async function segmentChange(
  sql: Sql,
  query: QueryRow,
  { table, columns, of, replaces }: NonNullable<Plan['segments']>[number],
): Promise<SegmentChange> {
  const add = await outputFiles(sql, query.number, of)
  const kind = table.endsWith('_rejects') ? ('rejects' as const) : ('own' as const)
  // What compacts, or adds to a table of the station, finds it there.
  const makes = query.kind === 'import' ? { makes: { owner: termsOf(query).tableOwner, kind } } : {}
  return { table, columns, add, ...(replaces ? { replaces } : {}), why: query.kind, ...makes }
}
