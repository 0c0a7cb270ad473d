/**
 * What an agent's results say of the agent: that much less is in its hand, how often it succeeds,
 * how long its requests take. In the transaction that settles them, after everything else (see
 * loads.ts on the order of locks).
 */
import type { Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { Accepted } from '../settle/accept.ts'
import { noteLatencies } from './latencies.ts'
import { busyOf, lockLoads } from './loads.ts'

/** Weight of the newest result: about the last twenty count. */
const SUCCESS_WEIGHT = 0.05
/** An agent whose every request fails still gets one now and then, to see whether it recovered. */
const SUCCESS_MIN = 0.05
const LATENCY_WEIGHT = 0.05

export async function noteOutcomes(
  sql: Sql,
  args: { device: string | null; accepted: readonly Accepted[] },
): Promise<void> {
  const { device, accepted } = args
  if (device === null || accepted.length === 0) return
  await noteLatencies(sql, device, await byRegion(sql, accepted))
  const load = (await lockLoads(sql, [device])).get(device)
  if (!load) return
  load.in_hand = Math.max(0, load.in_hand - accepted.length)
  for (const { result } of accepted) {
    if (result.type === 'returned') continue
    load.success = successAfter(load.success, result.type === 'captured')
    if (result.type === 'captured') load.latency_ms = latencyAfter(load.latency_ms, result.totalMs)
  }
  await sql.run(
    'UPDATE agent_loads SET in_hand = ?, success = ?, busy = ?, latency_ms = ? WHERE device = ?',
    [load.in_hand, load.success, busyOf(load), load.latency_ms, device],
  )
}

export function successAfter(success: number, isGood: boolean): number {
  return Math.max(SUCCESS_MIN, success + (Number(isGood) - success) * SUCCESS_WEIGHT)
}

function latencyAfter(usualMs: number, newestMs: number): number {
  if (usualMs === 0) return Math.max(1, newestMs)
  return Math.max(1, usualMs + (newestMs - usualMs) * LATENCY_WEIGHT)
}

/** Failures that come quickly (a refused connection) are no speed. */
const FAILED_MS_MIN = 10_000

function latencyOf(result: Result): number {
  if (result.type === 'captured') return result.totalMs
  return result.type === 'failed' ? Math.max(FAILED_MS_MIN, result.totalMs) : 0
}

async function byRegion(
  sql: Sql,
  accepted: readonly Accepted[],
): Promise<Map<string, readonly number[]>> {
  // A failure says how long it took to fail: an agent that only times out must not look untried.
  const tried = accepted.filter(({ result }) => result.type !== 'returned')
  const hostIds = [...new Set(tried.map(({ lease }) => lease.host_id))]
  const hosts = await sql.selectMany<{ country: string | null }>({
    table: 'hosts',
    keys: ['id'],
    rows: hostIds.map((id) => [id]),
    columns: ['country'],
  })
  const regionOf = new Map(hostIds.map((id, i) => [id, hosts[i]?.country ?? '']))
  const measured = Map.groupBy(tried, ({ lease }) => regionOf.get(lease.host_id)!)
  return new Map(
    [...measured].map(([region, items]) => [region, items.map(({ result }) => latencyOf(result))]),
  )
}
