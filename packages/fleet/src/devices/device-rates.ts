/**
 * How fast a device is, minute by minute, and how much it did, day by day. Written in the transaction that takes
 * its results in, one row each: what is shown survives a restart, and every coordinator shows the same.
 */
import type { Sql } from '@minga/store'

const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000
/** Two hours: a plot of one, and room for clocks that differ. */
const MINUTES_KEPT = 120
/** A year is the longest that the leaderboard looks back; a streak may be a little longer. */
const DAYS_KEPT = 400
/** Deleted at once: few enough to delay no other caller. */
const SWEEP_ROWS = 2_000

export interface Effort {
  readonly device: string
  readonly requests: number
  /** What sites sent. */
  readonly downBytes: number
  /** What the station received. */
  readonly upBytes: number
  readonly now: number
}

export async function noteEffort(sql: Sql, effort: Effort): Promise<void> {
  const { device, requests, downBytes, upBytes, now } = effort
  await sql.run(
    `INSERT INTO device_minutes (device, minute, requests, down_bytes, up_bytes)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (device, minute) DO UPDATE SET
       requests = device_minutes.requests + excluded.requests,
       down_bytes = device_minutes.down_bytes + excluded.down_bytes,
       up_bytes = device_minutes.up_bytes + excluded.up_bytes`,
    [device, Math.floor(now / MINUTE_MS), requests, downBytes, upBytes],
  )
  await sql.run(
    `INSERT INTO device_days (device, day, owner, requests, bytes)
     SELECT id, CAST(? AS BIGINT), owner, CAST(? AS BIGINT), CAST(? AS BIGINT)
     FROM devices WHERE id = ?
     ON CONFLICT (device, day) DO UPDATE SET
       requests = device_days.requests + excluded.requests,
       bytes = device_days.bytes + excluded.bytes`,
    [Math.floor(now / DAY_MS), requests, downBytes, device],
  )
}

export interface Rates {
  /** When the first minute began. */
  readonly from: number
  /** Per minute, oldest first, the minute that runs included. */
  readonly requests: readonly number[]
  readonly downBytes: readonly number[]
  readonly upBytes: readonly number[]
}

export interface RatesArgs {
  readonly device: string
  readonly minutes: number
  readonly now: number
}

interface MinuteRow {
  minute: number
  requests: number
  down_bytes: number
  up_bytes: number
}

export async function ratesOf(sql: Sql, { device, minutes, now }: RatesArgs): Promise<Rates> {
  const first = Math.floor(now / MINUTE_MS) - minutes + 1
  const rows = await sql.all<MinuteRow>(
    `SELECT minute, requests, down_bytes, up_bytes FROM device_minutes
     WHERE device = ? AND minute >= ?`,
    [device, first],
  )
  const byMinute = new Map(rows.map((row) => [row.minute, row]))
  const each = (of: (row: MinuteRow) => number): number[] =>
    Array.from({ length: minutes }, (_, i) => {
      const row = byMinute.get(first + i)
      return row === undefined ? 0 : of(row)
    })
  return {
    from: first * MINUTE_MS,
    requests: each((row) => row.requests),
    downBytes: each((row) => row.down_bytes),
    upBytes: each((row) => row.up_bytes),
  }
}

/** Answers how many rows went. */
export async function sweepRates(sql: Sql, { now }: { now: number }): Promise<number> {
  const minute = Math.floor(now / MINUTE_MS) - MINUTES_KEPT
  const day = Math.floor(now / DAY_MS) - DAYS_KEPT
  const old = await sql.all<{ device: string; minute: number }>(
    `SELECT device, minute FROM device_minutes WHERE minute < ? ORDER BY minute LIMIT ${SWEEP_ROWS}`,
    [minute],
  )
  await sql.deleteMany({
    table: 'device_minutes',
    keys: ['device', 'minute'],
    rows: old.map((row) => [row.device, row.minute]),
  })
  const ended = await sql.all<{ device: string; day: number }>(
    `SELECT device, day FROM device_days WHERE day < ? ORDER BY day LIMIT ${SWEEP_ROWS}`,
    [day],
  )
  await sql.deleteMany({
    table: 'device_days',
    keys: ['device', 'day'],
    rows: ended.map((row) => [row.device, row.day]),
  })
  return old.length + ended.length
}
