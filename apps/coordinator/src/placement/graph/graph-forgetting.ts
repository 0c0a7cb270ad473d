/**
 * The tables of the graph stay within bounds:
 * - times without an addition for the length of their window are meaningless and removed; beyond
 *   `MOST_TIME_ROWS` pairs, those least recently added to go first;
 * - links that were met once or twice and not for a month are removed; beyond `MOST_LINK_ROWS`
 *   pairs of hosts, those met once go, whenever that was, then those met up to twice, three times,
 *   five …, pass by pass, until they are few enough, as in lossy counting (Manku, Motwani, 2002):
 *   what is met often stays.
 * Pages have a row per host that was ever captured, as `hosts` has. Both tables are read a page at a
 * time, so that no caller waits for it.
 */
import type { Row, Sql } from '@minga/store'
import { heardAt } from './flush-graph.ts'
import type { Station } from '../../station/station.ts'

/** About 200 MB. */
const MOST_LINK_ROWS = 2_000_000
/** About 150 MB. */
const MOST_TIME_ROWS = 1_000_000
const DAY_MS = 24 * 3_600_000
/** As long as `TimeSketch` remembers, and a day for late uploads. */
const TIMES_KEPT_MS = 8 * DAY_MS
const RARE_KEPT_MS = 30 * DAY_MS
const RARE_LINKS = 2
/** Batches are sent again within minutes, if at all. */
const SOURCES_KEPT_MS = 30 * DAY_MS
const PAGE_ROWS = 2_000
const LOOK_EVERY_MS = 10_000
/** Between two passes, unless there are too many. */
const REST_MS = 6 * 3_600_000

interface LinkKey {
  from_host: string
  to_host: string
}

export interface ForgetLinks {
  after: Row
  limit: number
  /** Links that were met so often or less go … */
  rarest: number
  /** … if they were last met before this … */
  notSince: number
  /** … and until so many rows are left. */
  most: number
}

export interface ForgotLinks {
  /** Where to go on; null at the end of the table. */
  next: [string, string] | null
  gone: number
}

export async function forgetLinks(sql: Sql, args: ForgetLinks): Promise<ForgotLinks> {
  const { link_rows: linkRows } = await lockTotals(sql)
  const rows = await sql.all<LinkKey & { links: number; heard_at: number }>(
    `SELECT from_host, to_host, links, heard_at FROM place_links
     WHERE (from_host, to_host) > (?, ?) ORDER BY from_host, to_host LIMIT ?`,
    [...args.after, args.limit],
  )
  const rare = rows
    .filter(({ links, heard_at: at }) => links <= args.rarest && at < args.notSince)
    .slice(0, Math.max(0, linkRows - args.most))
  const last = rows.at(-1)
  const next: ForgotLinks['next'] =
    last === undefined || rows.length < args.limit ? null : [last.from_host, last.to_host]
  if (rare.length === 0) return { next, gone: 0 }
  await sql.run(
    'UPDATE place_totals SET link_rows = link_rows - ?, links = links - ? WHERE id = 1',
    [rare.length, rare.reduce((sum, { links }) => sum + links, 0)],
  )
  await sql.deleteMany({
    table: 'place_links',
    keys: ['from_host', 'to_host'],
    rows: rare.map(({ from_host: from, to_host: to }) => [from, to]),
  })
  return { next, gone: rare.length }
}

/** Counts and rows change together, and a fixed order of locks avoids a deadlock. */
async function lockTotals(sql: Sql): Promise<{ link_rows: number; time_rows: number }> {
  const totals = await sql.get<{ link_rows: number; time_rows: number }>(
    'UPDATE place_totals SET batches = batches WHERE id = 1 RETURNING link_rows, time_rows',
  )
  return totals!
}

/** Flushes do not look which pairs of hosts are new: now and then they are counted. */
export async function countLinkRows(sql: Sql): Promise<number> {
  await lockTotals(sql)
  const counted = await sql.get<{ rows: number }>('SELECT count(*) AS rows FROM place_links')
  await sql.run('UPDATE place_totals SET link_rows = ? WHERE id = 1', [counted!.rows])
  return counted!.rows
}

/** Answers how many are gone. */
export async function forgetTimes(
  sql: Sql,
  { notSince, most, limit }: { notSince: number; most: number; limit: number },
): Promise<number> {
  const { time_rows: timeRows } = await lockTotals(sql)
  const over = Math.min(limit, Math.max(0, timeRows - most))
  const old = await sql.all<{ host: string; device: string }>(
    `SELECT host, device FROM place_times WHERE heard_at < ? ORDER BY heard_at LIMIT ?`,
    [notSince, limit],
  )
  const rows =
    old.length >= over
      ? old
      : await sql.all<{ host: string; device: string }>(
          `SELECT host, device FROM place_times ORDER BY heard_at LIMIT ?`,
          [over],
        )
  if (rows.length === 0) return 0
  await sql.deleteMany({
    table: 'place_times',
    keys: ['host', 'device'],
    rows: rows.map(({ host, device }) => [host, device]),
  })
  await sql.run('UPDATE place_totals SET time_rows = time_rows - ? WHERE id = 1', [rows.length])
  return rows.length
}

/** When a device is deleted nothing is kept of what it measured. */
export async function forgetTimesOf(sql: Sql, device: string): Promise<void> {
  await lockTotals(sql)
  const gone = await sql.run('DELETE FROM place_times WHERE device = ?', [device])
  await sql.run('UPDATE place_totals SET time_rows = time_rows - ? WHERE id = 1', [gone])
}

export async function forgetSources(sql: Sql, { notSince }: { notSince: number }): Promise<void> {
  await sql.run('DELETE FROM graph_sources WHERE heard_at < ?', [notSince])
}

interface ForgettingParts extends Pick<Station, 'store' | 'clock'> {
  mostLinkRows?: number
  mostTimeRows?: number
}

/** Goes round the tables as a part of the station that ticks. */
export class GraphForgetting {
  readonly #parts: ForgettingParts
  #after: [string, string] = ['', '']
  #rarest = RARE_LINKS
  #isOver = false
  #nextLookMs = 0
  #restUntilMs = 0

  constructor(parts: ForgettingParts) {
    this.#parts = parts
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { clock } = this.#parts
    const nowMs = clock.monotonicMs()
    if (nowMs < this.#nextLookMs) return
    this.#nextLookMs = nowMs + LOOK_EVERY_MS
    if (nowMs < this.#restUntilMs && !(await this.#mayBeOver())) return
    const isAtEnd = await this.#forgetPage()
    if (this.#isOver) this.#nextLookMs = nowMs
    else if (isAtEnd) this.#restUntilMs = nowMs + REST_MS
  }

  async #mayBeOver(): Promise<boolean> {
    const { store, mostLinkRows = MOST_LINK_ROWS, mostTimeRows = MOST_TIME_ROWS } = this.#parts
    const { linkRows, timeRows } = await store.call('graphTotals', {})
    return linkRows > mostLinkRows || timeRows > mostTimeRows
  }

  async #forgetPage(): Promise<boolean> {
    const { store, clock } = this.#parts
    const { mostLinkRows = MOST_LINK_ROWS, mostTimeRows = MOST_TIME_ROWS } = this.#parts
    if (this.#after[0] === '') await this.#beginPass()
    const now = clock.now()
    const notSince = heardAt(now - TIMES_KEPT_MS)
    await store.call('forgetTimes', { notSince, most: mostTimeRows, limit: PAGE_ROWS })
    const { next } = await store.call('forgetLinks', {
      after: this.#after,
      limit: PAGE_ROWS,
      rarest: this.#rarest,
      notSince: this.#isOver ? now + 1 : now - RARE_KEPT_MS,
      most: this.#isOver ? mostLinkRows : 0,
    } satisfies ForgetLinks)
    this.#after = next ?? ['', '']
    return next === null
  }

  /** One that begins above the bound is stricter than the last one was. */
  async #beginPass(): Promise<void> {
    const { store, clock, mostLinkRows = MOST_LINK_ROWS } = this.#parts
    const linkRows = await store.call('countLinkRows', {})
    const wasOver = this.#isOver
    this.#isOver = linkRows > mostLinkRows
    if (!this.#isOver) this.#rarest = RARE_LINKS
    else this.#rarest = wasOver ? Math.ceil(this.#rarest * 1.5) : 1
    await store.call('forgetSources', { notSince: clock.now() - SOURCES_KEPT_MS })
  }
}
