/**
 * How a query ends, well or not: its leases are void, and its files may be collected when no worker
 * writes any more.
 */
import { logEvents, noteStationEvents, type Sql } from '@minga/store'
import { termsOf, type QueryError, type QueryRow, type QueryState } from './query-rows.ts'

export interface Ending {
  state: Exclude<QueryState, 'running'>
  why?: 'asked' | 'abandoned'
  error?: QueryError
  now: number
}

/** The query's row must be held, and running. */
export async function endQuery(sql: Sql, query: QueryRow, ending: Ending): Promise<void> {
  const { state, why = null, error = null, now } = ending
  // Workers hear that their lease is void with their next beat; until then they may still write.
  const last = await sql.get<{ until: number | null }>(
    `SELECT max(until) AS until FROM lake_tasks WHERE query = ? AND state = 'leased'`,
    [query.number],
  )
  await sql.run(
    `UPDATE lake_tasks SET state = 'void' WHERE query = ? AND state IN ('ready', 'resting', 'leased')`,
    [query.number],
  )
  await sql.run('UPDATE lake_stages SET ready = 0, running = 0 WHERE query = ?', [query.number])
  await sql.run(
    `UPDATE lake_queries SET state = ?, why = ?, error = ?, ready = 0, running = 0, ended_at = ?,
       collect_at = ? WHERE number = ?`,
    [
      state,
      why,
      error === null ? null : JSON.stringify(error),
      now,
      Math.max(now, last?.until ?? now),
      query.number,
    ],
  )
  const detail = why ?? error?.code ?? state
  await noteStationEvents(sql, [{ at: now, kind: 'query:ended', subject: query.id, detail }])
  await logEvents(sql, [{ at: now, subject: query.id, ...storyOf(ending) }])
}

function storyOf({ state, why, error }: Ending) {
  if (error === undefined) {
    const how = why ?? state
    return { code: 'query:ended', sentence: `The query ended: ${how}.`, details: { how } } as const
  }
  const { message, code } = error
  const sentence = `The query failed: ${message} (${code})`
  return { code: 'query:failed', sentence, details: { message, error: code } } as const
}

/** When the results of a query that ended well may go. */
export function keptUntil(query: Pick<QueryRow, 'terms'> & { ended_at: number }): number {
  return query.ended_at + termsOf(query).keepMs
}
