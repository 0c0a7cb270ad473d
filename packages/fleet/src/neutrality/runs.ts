/**
 * The life of a run: devices of different places are called, each is given all addresses with its
 * other work, what they saw is noted, and when all have answered (or time is up) it is compared.
 */
import { createHash } from 'node:crypto'
import type { Sql } from '@minga/store'
import { refusalOf } from '../trust/refusal.ts'
import { trustOf } from '../trust/devices-standing.ts'
import { comparePlaces } from './compare-places.ts'
import { dueMonitors, listObservations, type Monitor, type PlaceKind } from './monitor-rows.ts'
import type { MonitorObservation } from './observation.ts'

/** Fetches of one run: a long list is checked from fewer places. */
const REQUESTS_MAX = 10_000

/** Begins the runs that are due; answers how many. */
export async function openRuns(sql: Sql, args: { now: number }): Promise<number> {
  const due = await dueMonitors(sql, args)
  for (const monitor of due) await openRun(sql, monitor, args.now)
  return due.length
}

async function openRun(sql: Sql, monitor: Monitor, now: number): Promise<void> {
  const { id, everyMs, runMs, devicesPerPlace } = monitor
  const no = monitor.runs + 1
  await sql.run('UPDATE neutrality_monitors SET runs = ?, next_run_at = ? WHERE id = ?', [
    no,
    everyMs === null ? null : now + everyMs,
    id,
  ])
  await sql.run(
    'INSERT INTO neutrality_runs (monitor, no, started_at, until) VALUES (?, ?, ?, ?)',
    [id, no, now, now + runMs],
  )
  const chosen = chooseDevices(await readCandidates(sql, monitor.by, now), {
    perPlace: devicesPerPlace,
    seed: `${id} ${no}`,
    most: Math.floor(REQUESTS_MAX / monitor.urls.length),
  })
  await sql.insertMany({
    table: 'neutrality_places',
    columns: ['monitor', 'run_no', 'device', 'place', 'device_no'],
    rows: chosen.map(({ device, place }, i) => [id, no, device, place, i + 1]),
  })
}

async function readCandidates(sql: Sql, by: PlaceKind, now: number): Promise<Candidate[]> {
  const rows = await sql.all<Candidate>(
    `SELECT DISTINCT d.id AS device, d.owner, d.${by} AS place
     FROM agents a JOIN devices d ON d.id = a.device
     WHERE d.state = 'active' AND d.${by} IS NOT NULL`,
  )
  const welcome: Candidate[] = []
  for (const row of rows) {
    const trust = await trustOf(sql, { device: row.device })
    if (trust === null || refusalOf(trust.standing, now) === null) welcome.push(row)
  }
  return welcome
}

/** One address that a device is to fetch. */
export interface MonitorRequest {
  url: string
  tag: string
  expiresAt: number
}

export const MONITOR_PREFIX = 'look_'

function tagOf(monitor: string, runNo: number, no: { url: number; device: number }): string {
  return `${MONITOR_PREFIX}${monitor}.${runNo}.${no.url}.${no.device}`
}

/** Monitor requests for this device that it was not given yet. */
export async function listMonitorRequests(
  sql: Sql,
  args: { device: string; now: number },
): Promise<MonitorRequest[]> {
  const places = await sql.all<{
    monitor: string
    run_no: number
    place: string
    device_no: number
    urls: string
    until: number
  }>(
    `SELECT p.monitor, p.run_no, p.place, p.device_no, m.urls, r.until
     FROM neutrality_places p
     JOIN neutrality_runs r ON r.monitor = p.monitor AND r.no = p.run_no
     JOIN neutrality_monitors m ON m.id = p.monitor
     WHERE p.device = ? AND p.given = 0 AND r.ended_at IS NULL AND r.until > ? LIMIT 1`,
    [args.device, args.now],
  )
  const requests: MonitorRequest[] = []
  for (const { monitor, run_no: runNo, place, device_no: deviceNo, urls, until } of places) {
    const addresses = JSON.parse(urls) as string[]
    await sql.run(
      'UPDATE neutrality_places SET given = 1 WHERE monitor = ? AND run_no = ? AND device = ?',
      [monitor, runNo, args.device],
    )
    await sql.insertMany({
      table: 'neutrality_observations',
      columns: ['monitor', 'run_no', 'url_no', 'device_no', 'place'],
      rows: addresses.map((_, urlNo) => [monitor, runNo, urlNo, deviceNo, place]),
      onConflict: 'ignore',
    })
    for (const [urlNo, url] of addresses.entries()) {
      const tag = tagOf(monitor, runNo, { url: urlNo, device: deviceNo })
      requests.push({ url, tag, expiresAt: until })
    }
  }
  return requests
}

const TAG = /^look_(mon_[0-9a-f]+)\.(\d+)\.(\d+)\.(\d+)$/

/** The first word about an address counts; answers whether this was it. */
export async function recordObservation(
  sql: Sql,
  args: { tag: string; observation: MonitorObservation },
): Promise<boolean> {
  const [, monitor, runNo, urlNo, deviceNo] = TAG.exec(args.tag) ?? []
  if (monitor === undefined) return false
  const changed = await sql.run(
    `UPDATE neutrality_observations SET facts = ?
     WHERE monitor = ? AND run_no = ? AND url_no = ? AND device_no = ? AND facts IS NULL`,
    [JSON.stringify(args.observation), monitor, Number(runNo), Number(urlNo), Number(deviceNo)],
  )
  return changed > 0
}

export function unseen(code: string): MonitorObservation {
  return {
    status: null,
    code,
    location: null,
    digest: null,
    fingerprint: null,
    language: null,
    certificate: null,
  }
}

/** Not a code of an error: a note in an observation. */
const GONE = 'gone'

export interface OpenRun {
  monitor: string
  no: number
}

export function openRunsNow(sql: Sql): Promise<OpenRun[]> {
  return sql.all<OpenRun>(
    'SELECT monitor, no FROM neutrality_runs WHERE ended_at IS NULL ORDER BY until LIMIT 50',
  )
}

/** Where the tags of a run's requests begin. */
export function tagsOfRun({ monitor, no }: OpenRun): string {
  return `${MONITOR_PREFIX}${monitor}.${no}.`
}

/** Ends the run if nothing more is to come; answers whether it did. */
export async function closeRun(sql: Sql, args: OpenRun & { now: number }): Promise<boolean> {
  const { monitor, no, now } = args
  await forgetGone(sql, args)
  const run = await sql.get<{ until: number; urls: string }>(
    `SELECT r.until, m.urls FROM neutrality_runs r JOIN neutrality_monitors m ON m.id = r.monitor
     WHERE r.monitor = ? AND r.no = ? AND r.ended_at IS NULL`,
    [monitor, no],
  )
  if (!run) return false
  const open = await sql.get(
    `SELECT 1 AS one FROM neutrality_places WHERE monitor = ? AND run_no = ? AND given = 0
     UNION SELECT 1 AS one FROM neutrality_observations
       WHERE monitor = ? AND run_no = ? AND facts IS NULL LIMIT 1`,
    [monitor, no, monitor, no],
  )
  if (open && run.until > now) return false
  const seen = Map.groupBy(
    await listObservations(sql, { monitor, runNo: no }),
    ({ urlNo }) => urlNo,
  )
  const findings = (JSON.parse(run.urls) as string[]).map((url, urlNo) =>
    comparePlaces(url, seen.get(urlNo) ?? []),
  )
  await sql.run(
    'UPDATE neutrality_runs SET ended_at = ?, findings = ? WHERE monitor = ? AND no = ?',
    [now, JSON.stringify(findings), monitor, no],
  )
  await forgetWho(sql, args)
  return true
}

/** Runs whose single observations are kept; findings are kept for all. */
const OBSERVATIONS_KEPT_RUNS = 30

/** Which device stood behind a number need not be known any longer. */
async function forgetWho(sql: Sql, { monitor, no }: OpenRun): Promise<void> {
  await sql.run('DELETE FROM neutrality_places WHERE monitor = ? AND run_no = ?', [monitor, no])
  await sql.run('DELETE FROM neutrality_observations WHERE monitor = ? AND run_no <= ?', [
    monitor,
    no - OBSERVATIONS_KEPT_RUNS,
  ])
}

/** Devices that left are not waited for. */
async function forgetGone(sql: Sql, { monitor, no }: OpenRun): Promise<void> {
  const gone = await sql.all<{ device: string; device_no: number }>(
    `SELECT p.device, p.device_no FROM neutrality_places p
     WHERE p.monitor = ? AND p.run_no = ?
       AND NOT EXISTS (SELECT 1 FROM agents a WHERE a.device = p.device)`,
    [monitor, no],
  )
  for (const { device, device_no: deviceNo } of gone) {
    await sql.run(
      'UPDATE neutrality_places SET given = 1 WHERE monitor = ? AND run_no = ? AND device = ?',
      [monitor, no, device],
    )
    await sql.run(
      `UPDATE neutrality_observations SET facts = ?
       WHERE monitor = ? AND run_no = ? AND device_no = ? AND facts IS NULL`,
      [JSON.stringify(unseen(GONE)), monitor, no, deviceNo],
    )
  }
}

export interface Candidate {
  device: string
  owner: string
  place: string
}

/** Places of one run: more say nothing that these do not, and each costs the sites requests. */
const PLACES_MAX = 60

/** The seed is the run's own: the same volunteers need not look every time. */
export function chooseDevices(
  candidates: readonly Candidate[],
  { perPlace, seed, most }: { perPlace: number; seed: string; most: number },
): Candidate[] {
  const drawn = candidates.toSorted((a, b) => lot(seed, a.device) - lot(seed, b.device))
  return [...Map.groupBy(drawn, ({ place }) => place)]
    .toSorted(([a], [b]) => lot(seed, a) - lot(seed, b))
    .slice(0, PLACES_MAX)
    .flatMap(([, ofPlace]) => ownersApart(ofPlace).slice(0, perPlace))
    .slice(0, most)
}

/** Two devices of one owner are one witness: the first of each owner stand before the second ones. */
function ownersApart(candidates: readonly Candidate[]): Candidate[] {
  const nth = new Map<string, number>()
  return candidates
    .map((candidate) => {
      const before = nth.get(candidate.owner) ?? 0
      nth.set(candidate.owner, before + 1)
      return { candidate, before }
    })
    .toSorted((a, b) => a.before - b.before)
    .map(({ candidate }) => candidate)
}

function lot(seed: string, name: string): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(0)
}
