/** A lease ended without a result: the task is tried again, now or after a rest, or has been tried often enough. */
import type { Retry } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { TaskPoison } from '../errors.ts'
import { endQuery } from './end-query.ts'
import { count, termsOf, type QueryRow, type TaskPlace } from './query-rows.ts'
import { restAfterDeath, restAfterFailure } from './retry-budget.ts'

export interface TaskError {
  code: string
  message: string
  retry: Retry
  sql?: string | undefined
}

export interface LeasedRow extends TaskPlace {
  attempts: number
  deaths: number
}

/** Why a lease ended: its task failed, nobody knows, or it was given back. */
export type Loss = { how: 'failed'; error: TaskError } | { how: 'died' } | { how: 'returned' }

/** The query's row must be held and running, and the task leased. Answers whether that was the query's end. */
export async function loseLease(
  sql: Sql,
  query: QueryRow,
  { task, loss, now }: { task: LeasedRow; loss: Loss; now: number },
): Promise<{ isEnded: boolean }> {
  const tries = {
    attempts: task.attempts + (loss.how === 'failed' ? 1 : 0),
    deaths: task.deaths + (loss.how === 'died' ? 1 : 0),
  }
  const restMs = restAfter(loss, tries, query)
  const state = restMs === null ? 'void' : restMs === 0 ? 'ready' : 'resting'
  await sql.run(
    `UPDATE lake_tasks SET state = ?, ready_at = ?, attempts = ?, deaths = ?, worker = NULL, boot = NULL,
       until = NULL WHERE query = ? AND stage = ? AND task = ?`,
    [state, now + (restMs ?? 0), tries.attempts, tries.deaths, task.query, task.stage, task.task],
  )
  await count(sql, task, { running: -1, ready: state === 'ready' ? 1 : 0 })
  if (state === 'void') await failQuery(sql, query, { task, loss, now, deaths: tries.deaths })
  return { isEnded: state === 'void' }
}

function restAfter(
  loss: Loss,
  tries: { attempts: number; deaths: number },
  query: QueryRow,
): number | null {
  if (loss.how === 'returned') return 0
  if (loss.how === 'died') return restAfterDeath(tries, termsOf(query))
  return restAfterFailure(tries, loss.error.retry, termsOf(query))
}

async function failQuery(
  sql: Sql,
  query: QueryRow,
  { task, loss, now, deaths }: { task: TaskPlace; loss: Loss; now: number; deaths: number },
): Promise<void> {
  const error: Omit<TaskError, 'retry'> =
    loss.how === 'failed' ? loss.error : TaskPoison.after(deaths)
  const stage = await sql.get<{ id: string }>(
    'SELECT id FROM lake_stages WHERE query = ? AND stage = ?',
    [task.query, task.stage],
  )
  await endQuery(sql, query, {
    state: 'failed',
    error: {
      code: error.code,
      message: error.message,
      stage: stage!.id,
      index: task.task,
      sql: error.sql ?? null,
    },
    now,
  })
}
