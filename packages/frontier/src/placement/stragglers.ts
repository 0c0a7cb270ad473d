/**
 * Stragglers: agents that are heard but do not come to an end while others wait for work. They lose
 * their lease first, as if they had fallen silent, and only then can anyone else get the host: its
 * clock rests a full delay, and what the straggler still sends is stale.
 */
import { SILENCE_MS } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { endLeases } from '../lease/lease-end.ts'
import { withoutTurns } from './connections.ts'
import { lockLoads, saveLoads } from './loads.ts'
import { SLOW_FACTOR } from './settings.ts'

/**
 * Allowance for the transport to and from an agent, in addition to the work itself: results come in
 * batches.
 */
const GRACE_MS = 15_000
/** The longest a request may take: connecting and waiting for the first byte. */
const REQUEST_TIMEOUT_MS = 40_000
/** Agents wait a moment between blocks; only those that wait longer have nothing to do. */
const IDLE_MIN_MS = 2_000
/** Leases ended by one look; the next one is a second away. */
const ENDED_PER_LOOK_MAX = 100

export interface LeasedWork {
  openedAt: number
  /** Of the host that takes longest, and the pauses between them. */
  requests: number
  pausesMs: number
}

/** When even an agent that waits for every answer to the last would be done. */
export function expectedEnd(work: LeasedWork): number {
  return work.openedAt + GRACE_MS + work.pausesMs + work.requests * REQUEST_TIMEOUT_MS
}

/** When an agent of the fleet's median speed would be done, several times over. */
function fairEnd(work: LeasedWork, slowMs: number): number {
  return work.openedAt + GRACE_MS + work.pausesMs + work.requests * slowMs
}

export interface StragglerArgs {
  now: number
  /** Times slower than the fleet's median. */
  slowFactor?: number
}

export async function endStragglers(sql: Sql, args: StragglerArgs): Promise<void> {
  const idle = await sql.all<{ device: string }>(
    `SELECT device FROM agent_loads WHERE idle_since IS NOT NULL AND idle_since <= ?
     ORDER BY idle_since LIMIT 2`,
    [args.now - IDLE_MIN_MS],
  )
  if (idle.length === 0) return
  const late = [...(await overdue(sql, args.now)), ...(await slow(sql, args))]
  // Another agent must be waiting: interrupting the only agent would help no one.
  const straggling = late.filter(({ device }) => idle.some((other) => other.device !== device))
  if (straggling.length === 0) return
  const fences = [...new Set(straggling.map(({ fence }) => fence))].toSorted((a, b) => a - b)
  // It is alive and learns of it by a beat: until then it keeps dialling.
  await endLeases(sql, { fences, now: args.now, stillDialsMs: SILENCE_MS })
  const devices = [...new Set(straggling.map(({ device }) => device))].toSorted()
  for (const load of (await lockLoads(sql, devices)).values()) {
    // It gets nothing new until it asks again.
    await saveLoads(sql, [{ ...(await withoutTurns(sql, load)), ready: 0 }])
  }
}

interface Straggler {
  fence: number
  device: string
}

function overdue(sql: Sql, now: number): Promise<Straggler[]> {
  return sql.all<Straggler>(
    `SELECT l.fence, a.device FROM leases l JOIN agents a ON a.boot = l.boot
     WHERE l.expected_end < ? ORDER BY l.expected_end LIMIT ?`,
    [now, ENDED_PER_LOOK_MAX],
  )
}

/** Leases of agents far slower than the rest that others would have brought back by now. */
async function slow(
  sql: Sql,
  { now, slowFactor = SLOW_FACTOR }: StragglerArgs,
): Promise<Straggler[]> {
  const medianMs = await medianLatency(sql)
  if (medianMs === null) return []
  const slowMs = slowFactor * medianMs
  const leases = await sql.all<
    Straggler & { opened_at: number; requests: number; pauses_ms: number }
  >(
    `SELECT l.fence, w.device, l.opened_at, l.requests, l.pauses_ms
     FROM (SELECT device FROM agent_loads WHERE connected = 1 AND latency_ms > ?
           ORDER BY latency_ms DESC LIMIT ?) AS w
     JOIN agents a ON a.device = w.device JOIN leases l ON l.boot = a.boot`,
    [slowMs, ENDED_PER_LOOK_MAX],
  )
  return leases.filter((lease) => {
    const { opened_at: openedAt, requests, pauses_ms: pausesMs } = lease
    return fairEnd({ openedAt, requests, pausesMs }, slowMs) < now
  })
}

/** The lower median of the measured values; needed only while an agent waits. */
async function medianLatency(sql: Sql): Promise<number | null> {
  const measured = await sql.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM agent_loads WHERE connected = 1 AND latency_ms > 0',
  )
  if (measured!.n < 2) return null
  const row = await sql.get<{ latency_ms: number }>(
    `SELECT latency_ms FROM agent_loads WHERE connected = 1 AND latency_ms > 0
     ORDER BY latency_ms LIMIT 1 OFFSET ?`,
    [Math.floor((measured!.n - 1) / 2)],
  )
  return row!.latency_ms
}
