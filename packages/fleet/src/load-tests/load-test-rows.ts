/**
 * Load tests as they are stored. A row is `waiting` until it is started; while it runs, its
 * coordinator sends a heartbeat every half second, and a row without one is aborted by the next
 * reader: the machines have stopped by themselves by then.
 */
import { LOAD_DEAD_MAN_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { checkRestrictions } from '../abuse/flags.ts'
import { NoSuchDevice } from '../devices/device-errors.ts'
import type { Owner } from '../devices/join-tokens.ts'
import { refusalOf } from '../trust/refusal.ts'
import { trustOf } from '../trust/devices-standing.ts'
import { LoadTestBusy, LoadTestOver, NoSuchLoadTest } from './load-test-errors.ts'
import type { LoadPlan } from './plan.ts'
import type { StepFigures } from './step-figures.ts'

/** Of the whole station: more would measure the station's own line. */
const ACTIVE_MAX = 2
/** A test's coordinator is gone when it was silent for so long. */
const UNHELD_MS = LOAD_DEAD_MAN_MS + 1_000

export type StoredState = 'waiting' | 'preparing' | 'running' | 'finished' | 'aborted'

export interface LoadResult {
  steps: StepFigures[]
  notes: string[]
  machines: { asked: number; joined: number; lost: number }
  totals: { requests: number; bytes: number }
}

export interface LoadTestRow {
  id: string
  account: string
  host: string
  proof: string
  plan: LoadPlan
  state: StoredState
  reason: string | null
  result: LoadResult | null
  createdAt: number
  startedAt: number | null
  endedAt: number | null
}

const COLUMNS = `id, account, host, proof, plan, state, reason, result, created_at AS "createdAt",
  started_at AS "startedAt", ended_at AS "endedAt"`

type TextRow = Omit<LoadTestRow, 'plan' | 'result'> & { plan: string; result: string | null }

function rowOf({ plan, result, ...row }: TextRow): LoadTestRow {
  return {
    ...row,
    plan: JSON.parse(plan) as LoadPlan,
    result: result === null ? null : (JSON.parse(result) as LoadResult),
  }
}

export async function addLoadTest(
  sql: Sql,
  args: Pick<LoadTestRow, 'id' | 'account' | 'host' | 'proof' | 'plan'> & { now: number },
): Promise<LoadTestRow> {
  const { id, account, host, proof, plan, now } = args
  await sql.run(
    `INSERT INTO load_tests (id, account, host, proof, plan, state, created_at)
     VALUES (?, ?, ?, ?, ?, 'waiting', ?)`,
    [id, account, host, proof, JSON.stringify(plan), now],
  )
  return loadTestOf(sql, { id, owner: account })
}

interface OwnTest {
  id: string
  /** Null: the operator, to whom all are open. */
  owner: Owner
}

export async function loadTestOf(sql: Sql, { id, owner }: OwnTest): Promise<LoadTestRow> {
  const row = await sql.get<TextRow>(`SELECT ${COLUMNS} FROM load_tests WHERE id = ?`, [id])
  if (!row || (owner !== null && row.account !== owner)) throw new NoSuchLoadTest(id)
  return rowOf(row)
}

/** Newest first. */
export async function listLoadTests(
  sql: Sql,
  args: { owner: Owner; before: number; limit: number },
): Promise<LoadTestRow[]> {
  const rows = await sql.all<TextRow>(
    `SELECT ${COLUMNS} FROM load_tests
     WHERE (account = ? OR CAST(? AS BIGINT) = 1) AND created_at < ?
     ORDER BY created_at DESC, id LIMIT ?`,
    [args.owner, args.owner === null ? 1 : 0, args.before, args.limit],
  )
  return rows.map(rowOf)
}

/** Whether the test may begin, as things are: one of a host at a time, few of a station. */
export async function startableLoadTest(sql: Sql, args: OwnTest): Promise<LoadTestRow> {
  const test = await loadTestOf(sql, args)
  const { host, state } = test
  await checkRestrictions(sql, { client: test.account })
  if (state !== 'waiting') throw new LoadTestOver(args.id, state)
  const active = await sql.all<{ host: string }>(
    `SELECT host FROM load_tests WHERE state IN ('preparing', 'running')`,
  )
  if (active.some((other) => other.host === host)) throw LoadTestBusy.host(host)
  if (active.length >= ACTIVE_MAX) throw LoadTestBusy.station(ACTIVE_MAX)
  return test
}

export async function claimLoadTest(
  sql: Sql,
  args: OwnTest & { address: string; now: number },
): Promise<LoadTestRow> {
  await startableLoadTest(sql, args)
  await sql.run(
    `UPDATE load_tests SET state = 'preparing', address = ?, started_at = ?, beat_at = ? WHERE id = ?`,
    [args.address, args.now, args.now, args.id],
  )
  return loadTestOf(sql, args)
}

/**
 * Heartbeat of a load test with its progress; returns whether a stop was requested, or has
 * happened.
 */
export async function beatLoadTest(
  sql: Sql,
  args: { id: string; state: 'preparing' | 'running'; result: LoadResult | null; now: number },
): Promise<{ isToStop: boolean }> {
  const { id, state, result, now } = args
  const changed = await sql.run(
    `UPDATE load_tests SET state = ?, beat_at = ?,
       result = CASE WHEN CAST(? AS TEXT) IS NULL THEN result ELSE CAST(? AS TEXT) END
     WHERE id = ? AND state IN ('preparing', 'running')`,
    [state, now, jsonOf(result), jsonOf(result), id],
  )
  const row = await sql.get<{ asked: number | null }>(
    'SELECT abort_asked_at AS asked FROM load_tests WHERE id = ?',
    [id],
  )
  return { isToStop: changed === 0 || row?.asked != null }
}

function jsonOf(result: LoadResult | null): string | null {
  return result === null ? null : JSON.stringify(result)
}

export interface EndLoadTestArgs {
  id: string
  state: 'finished' | 'aborted'
  reason: string | null
  result: LoadResult | null
  now: number
}

export async function endLoadTest(sql: Sql, args: EndLoadTestArgs): Promise<void> {
  const { id, state, reason, now } = args
  const result = jsonOf(args.result)
  await sql.run(
    `UPDATE load_tests SET state = ?, reason = ?, ended_at = ?,
       result = CASE WHEN CAST(? AS TEXT) IS NULL THEN result ELSE CAST(? AS TEXT) END
     WHERE id = ? AND state NOT IN ('finished', 'aborted')`,
    [state, reason, now, result, result, id],
  )
}

const ASKED = 'It was asked to stop.'

/** A running test learns of it with the next heartbeat; one that does not run is over at once. */
export async function askLoadAbort(
  sql: Sql,
  args: OwnTest & { now: number },
): Promise<LoadTestRow> {
  const { id, now } = args
  const { state } = await loadTestOf(sql, args)
  if (state === 'finished' || state === 'aborted') throw new LoadTestOver(id, state)
  await sql.run('UPDATE load_tests SET abort_asked_at = ? WHERE id = ?', [now, id])
  if (state === 'waiting')
    await endLoadTest(sql, { id, state: 'aborted', reason: ASKED, result: null, now })
  return loadTestOf(sql, args)
}

/** Tests whose coordinator is gone. */
export function sweepLoadTests(sql: Sql, args: { now: number }): Promise<number> {
  return sql.run(
    `UPDATE load_tests SET state = 'aborted', reason = 'The coordinator restarted.', ended_at = ?
     WHERE state IN ('preparing', 'running') AND beat_at < ?`,
    [args.now, args.now - UNHELD_MS],
  )
}

/** More machines than this say nothing more about a site. */
const MACHINES_MAX = 16

/** Connected devices that may take part: the station's own, and those whose owners want it. */
export async function loadMachines(
  sql: Sql,
  args: { now: number; among?: readonly string[] },
): Promise<string[]> {
  const among = args.among && new Set(args.among)
  const rows = await sql.all<{ device: string }>(
    `SELECT DISTINCT a.device FROM agents a JOIN devices d ON d.id = a.device
     WHERE d.state = 'active' AND (d.is_trusted = 1 OR d.load_tests = 1) ORDER BY a.device`,
  )
  const machines: string[] = []
  for (const { device } of rows.filter((row) => among?.has(row.device) ?? true)) {
    const trust = await trustOf(sql, { device })
    const isWelcome = trust === null || refusalOf(trust.standing, args.now) === null
    if (isWelcome && machines.length < MACHINES_MAX) machines.push(device)
  }
  return machines
}

/** Whether the owner lends the device for load tests as well. */
export async function takesLoadTests(
  sql: Sql,
  { device, owner }: { device: string; owner: Owner },
): Promise<{ takesPart: boolean }> {
  const row = await sql.get<{ load_tests: number; owner: string }>(
    'SELECT load_tests, owner FROM devices WHERE id = ?',
    [device],
  )
  if (!row || (owner !== null && row.owner !== owner)) throw new NoSuchDevice(device)
  return { takesPart: row.load_tests === 1 }
}

export async function setLoadTests(
  sql: Sql,
  args: { device: string; owner: Owner; takesPart: boolean },
): Promise<void> {
  const { device, owner, takesPart } = args
  const changed = await sql.run(
    'UPDATE devices SET load_tests = ? WHERE id = ? AND (owner = ? OR CAST(? AS BIGINT) = 1)',
    [takesPart ? 1 : 0, device, owner, owner === null ? 1 : 0],
  )
  if (changed === 0) throw new NoSuchDevice(device)
}
