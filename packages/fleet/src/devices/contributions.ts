/**
 * Contributions by day. Contributors who chose no name are counted together: no one is listed who
 * did not ask for it.
 */
import type { Sql } from '@minga/store'
import { DAY_MS } from './device-rates.ts'

export interface Contribution {
  /** Null: all who chose no name, together. */
  readonly name: string | null
  /** How many volunteers it stands for. */
  readonly volunteers: number
  readonly requests: number
  readonly bytes: number
  /** Days in a row up to today, or up to yesterday while today has brought nothing yet. */
  readonly streakDays: number
  /** By day, oldest first. */
  readonly byDay: readonly { readonly requests: number; readonly bytes: number }[]
}

export interface Contributions {
  /** When the first day began, in UTC. */
  readonly from: number
  readonly days: number
  readonly volunteers: readonly Contribution[]
}

export interface ContributionsArgs {
  readonly days: number
  readonly limit: number
  readonly now: number
}

interface DayRow {
  owner: string | null
  day: number
  requests: number
  bytes: number
}

export async function contributions(sql: Sql, args: ContributionsArgs): Promise<Contributions> {
  const today = Math.floor(args.now / DAY_MS)
  const first = today - args.days + 1
  const named = await sql.all<{ id: string; board_name: string }>(
    'SELECT id, board_name FROM accounts WHERE board_name IS NOT NULL',
  )
  const names = new Map(named.map((row) => [row.id, row.board_name]))
  // Streaks may have begun before the days that are asked for.
  const rows = await sql.all<DayRow>(
    `SELECT owner, day, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(bytes) AS BIGINT) AS bytes
     FROM device_days GROUP BY owner, day`,
  )
  const groups = Map.groupBy(rows, ({ owner }) => names.get(owner ?? '') ?? null)
  const volunteers = [...groups].map(([name, days]) => contributionOf({ name, days, first, today }))
  const shown = volunteers
    .filter(({ requests }) => requests > 0)
    .toSorted((a, b) => b.bytes - a.bytes || b.requests - a.requests)
  return { from: first * DAY_MS, days: args.days, volunteers: shown.slice(0, args.limit) }
}

interface Days {
  name: string | null
  days: readonly DayRow[]
  first: number
  today: number
}

function contributionOf({ name, days, first, today }: Days): Contribution {
  const byDay = Array.from({ length: today - first + 1 }, () => ({ requests: 0, bytes: 0 }))
  const within = days.filter(({ day }) => day >= first && day <= today)
  for (const { day, requests, bytes } of within) {
    byDay[day - first]!.requests += requests
    byDay[day - first]!.bytes += bytes
  }
  return {
    name,
    volunteers: new Set(within.map(({ owner }) => owner)).size,
    requests: byDay.reduce((sum, { requests }) => sum + requests, 0),
    bytes: byDay.reduce((sum, { bytes }) => sum + bytes, 0),
    streakDays: streakOf(new Set(days.map(({ day }) => day)), today),
    byDay,
  }
}

/** Today is not over: a day without work yet does not break a streak. */
export function streakOf(days: ReadonlySet<number>, today: number): number {
  let day = days.has(today) ? today : today - 1
  let streak = 0
  while (days.has(day)) {
    streak++
    day--
  }
  return streak
}
