/** Leadership in the store: each change of hands has a higher fence, and what a leader does is done under its fence. */
import { logEvents, type Operation, type OperationTable, type Sql } from '@minga/store'
import { NotLeader } from '../errors.ts'
import type { LakeActs } from '../operations.ts'

/** What a candidate saw; it takes over only from exactly that. */
export interface ObservedLeader {
  holder: string
  fence: number
  until: number
}

export async function readLeader(
  sql: Sql,
  { name }: { name: string },
): Promise<ObservedLeader | null> {
  const query = 'SELECT holder, fence, until FROM leaders WHERE name = ?'
  return (await sql.get<ObservedLeader>(query, [name])) ?? null
}

interface Taking {
  name: string
  holder: string
  seen: ObservedLeader | null
  until: number
  now: number
}

/** The new fence, or null when another coordinator was faster. */
export async function acquireLeadership(
  sql: Sql,
  { name, holder, seen, until, now }: Taking,
): Promise<number | null> {
  const taken =
    seen === null
      ? await sql.get<{ fence: number }>(
          `INSERT INTO leaders (name, holder, fence, until) VALUES (?, ?, 1, ?)
           ON CONFLICT DO NOTHING RETURNING fence`,
          [name, holder, until],
        )
      : await sql.get<{ fence: number }>(
          `UPDATE leaders SET holder = ?, fence = fence + 1, until = ?
           WHERE name = ? AND fence = ? AND until = ? RETURNING fence`,
          [holder, until, name, seen.fence, seen.until],
        )
  if (taken === undefined) return null
  const before = seen === null ? '' : `; ${seen.holder} did before`
  const sentence = `This coordinator leads from now on (fence ${taken.fence})${before}.`
  const details = { fence: taken.fence, before: seen?.holder }
  await logEvents(sql, [{ at: now, code: 'station:leads', subject: holder, sentence, details }])
  return taken.fence
}

/** False when another leads. */
export async function renewLeadership(
  sql: Sql,
  { name, fence, until }: { name: string; fence: number; until: number },
): Promise<boolean> {
  const renew = 'UPDATE leaders SET until = ? WHERE name = ? AND fence = ?'
  return (await sql.run(renew, [until, name, fence])) > 0
}

export interface LedCall {
  name: string
  fence: number
  operation: keyof LakeActs
  args: unknown
}

/**
 * The operations of leaders, and `lakeAsLeader`, which runs another in the same transaction as the
 * check of the fence. The row is held until the commit: no other coordinator takes over between the
 * check and the act.
 */
const ofLeaders = {
  lakeReadLeader: readLeader,
  lakeAcquireLeadership: acquireLeadership,
  lakeRenewLeadership: renewLeadership,
} satisfies OperationTable

type LeaderOperations = typeof ofLeaders & { lakeAsLeader: Operation<LedCall> }

export function leaderOperations(acts: LakeActs): LeaderOperations {
  return {
    ...ofLeaders,
    lakeAsLeader: async (sql, { name, fence, operation, args }) => {
      const hold = sql.dialect === 'postgres' ? ' FOR SHARE' : ''
      const lead = await sql.get<{ fence: number }>(
        `SELECT fence FROM leaders WHERE name = ?${hold}`,
        [name],
      )
      if (lead?.fence !== fence) throw NotLeader.since(fence)
      return acts[operation](sql, args as never)
    },
  }
}
