/** Monitors as they are kept, and their runs. */
import type { Sql } from '@minga/store'
import { checkRestrictions } from '../abuse/flags.ts'
import type { Owner } from '../devices/join-tokens.ts'
import type { UrlFinding } from './compare-places.ts'
import type { RunFindings } from './findings-text.ts'
import { MonitorRefused, NoSuchMonitor } from './neutrality-errors.ts'
import type { PlacedObservation, MonitorObservation } from './observation.ts'

export type PlaceKind = 'country' | 'network'

/** Each asks sites again and again, from many places. */
const GOING_ON_MAX = 20

export interface Monitor {
  id: string
  account: string
  name: string
  urls: string[]
  by: PlaceKind
  devicesPerPlace: number
  everyMs: number | null
  /** How long a run waits for its devices. */
  runMs: number
  createdAt: number
  nextRunAt: number | null
  runs: number
}

type MonitorText = Omit<Monitor, 'urls'> & { urls: string }

const COLUMNS = `id, account, name, urls, place_kind AS "by", devices_per_place AS "devicesPerPlace",
  every_ms AS "everyMs", run_ms AS "runMs", created_at AS "createdAt", next_run_at AS "nextRunAt", runs`

function monitorIn({ urls, ...row }: MonitorText): Monitor {
  return { ...row, urls: JSON.parse(urls) as string[] }
}

export async function addMonitor(
  sql: Sql,
  args: Omit<Monitor, 'createdAt' | 'nextRunAt' | 'runs'> & { now: number },
): Promise<Monitor> {
  const { id, account, name, urls, by, devicesPerPlace, everyMs, runMs, now } = args
  await checkRestrictions(sql, { client: account })
  const going = await sql.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM neutrality_monitors
     WHERE account = ? AND next_run_at IS NOT NULL`,
    [account],
  )
  if ((going?.count ?? 0) >= GOING_ON_MAX) throw MonitorRefused.tooMany(GOING_ON_MAX)
  await sql.insertMany({
    table: 'neutrality_monitors',
    columns: [
      'id',
      'account',
      'name',
      'urls',
      'place_kind',
      'devices_per_place',
      'every_ms',
      'run_ms',
      'created_at',
      'next_run_at',
    ],
    rows: [
      [id, account, name, JSON.stringify(urls), by, devicesPerPlace, everyMs, runMs, now, now],
    ],
  })
  return monitorOf(sql, { id, owner: account })
}

export async function monitorOf(
  sql: Sql,
  { id, owner }: { id: string; owner: Owner },
): Promise<Monitor> {
  const row = await sql.get<MonitorText>(
    `SELECT ${COLUMNS} FROM neutrality_monitors WHERE id = ?`,
    [id],
  )
  if (!row || (owner !== null && row.account !== owner)) throw new NoSuchMonitor(id)
  return monitorIn(row)
}

/** Newest first. */
export async function listMonitors(
  sql: Sql,
  args: { owner: Owner; before: number; limit: number },
): Promise<Monitor[]> {
  const rows = await sql.all<MonitorText>(
    `SELECT ${COLUMNS} FROM neutrality_monitors
     WHERE (account = ? OR CAST(? AS BIGINT) = 1) AND created_at < ?
     ORDER BY created_at DESC, id LIMIT ?`,
    [args.owner, args.owner === null ? 1 : 0, args.before, args.limit],
  )
  return rows.map(monitorIn)
}

/** No further run begins; what was found stays. */
export async function stopMonitor(sql: Sql, args: { id: string; owner: Owner }): Promise<Monitor> {
  await monitorOf(sql, args)
  await sql.run('UPDATE neutrality_monitors SET next_run_at = NULL, every_ms = NULL WHERE id = ?', [
    args.id,
  ])
  return monitorOf(sql, args)
}

export async function dueMonitors(sql: Sql, args: { now: number }): Promise<Monitor[]> {
  const rows = await sql.all<MonitorText>(
    `SELECT ${COLUMNS} FROM neutrality_monitors
     WHERE next_run_at IS NOT NULL AND next_run_at <= ?
       AND NOT EXISTS (SELECT 1 FROM neutrality_runs r
         WHERE r.monitor = neutrality_monitors.id AND r.ended_at IS NULL)
     ORDER BY next_run_at LIMIT 10${sql.forUpdateSkipLocked}`,
    [args.now],
  )
  return rows.map(monitorIn)
}

export interface RunRow {
  monitor: string
  no: number
  startedAt: number
  until: number
  endedAt: number | null
  findings: UrlFinding[] | null
}

type RunText = Omit<RunRow, 'findings'> & { findings: string | null }

/** The latest runs, oldest of them first. */
export async function runsOf(
  sql: Sql,
  args: { id: string; upTo?: number | null; limit: number },
): Promise<RunRow[]> {
  const rows = await sql.all<RunText>(
    `SELECT monitor, no, started_at AS "startedAt", until, ended_at AS "endedAt", findings
     FROM neutrality_runs WHERE monitor = ? AND no <= ? ORDER BY no DESC LIMIT ?`,
    [args.id, args.upTo ?? Number.MAX_SAFE_INTEGER, args.limit],
  )
  return rows.toReversed().map(({ findings, ...row }) => ({
    ...row,
    findings: findings === null ? null : (JSON.parse(findings) as UrlFinding[]),
  }))
}

/** Runs that are over, with what they found. */
export function endedRuns(runs: readonly RunRow[]): RunFindings[] {
  return runs.flatMap(({ no, startedAt, endedAt, findings }) =>
    findings === null ? [] : [{ no, startedAt, endedAt, findings }],
  )
}

export interface UrlObservation extends PlacedObservation {
  urlNo: number
}

/** What was seen in a run so far. */
export async function listObservations(
  sql: Sql,
  args: { monitor: string; runNo: number },
): Promise<UrlObservation[]> {
  const rows = await sql.all<{ urlNo: number; place: string; device: number; facts: string }>(
    `SELECT url_no AS "urlNo", place, device_no AS device, facts FROM neutrality_observations
     WHERE monitor = ? AND run_no = ? AND facts IS NOT NULL ORDER BY url_no, place, device_no`,
    [args.monitor, args.runNo],
  )
  return rows.map(({ facts, ...row }) => ({ ...(JSON.parse(facts) as MonitorObservation), ...row }))
}
