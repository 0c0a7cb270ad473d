/** Measured response times by agent and region of hosts: the bandit's arms in the database. */
import type { Sql } from '@minga/store'
import type { Load } from './loads.ts'

interface ArmRow {
  device: string
  samples: number
  mean_ms: number
  hopeful_ms: number
}

/** The agents from which the best is hoped for in a region. */
export async function mostHopeful(sql: Sql, region: string, atMost: number): Promise<string[]> {
  const rows = await sql.all<{ device: string }>(
    `SELECT device FROM agent_latencies WHERE connected = 1 AND region = ?
     ORDER BY hopeful_ms, device LIMIT ?`,
    [region, atMost],
  )
  return rows.map(({ device }) => device)
}

/** What to expect of these agents in these regions. */
export async function expectations(
  sql: Sql,
  loads: readonly Load[],
  regions: readonly string[],
): Promise<(load: Load, region: string) => number> {
  const expected = new Map<string, Map<string, number>>()
  for (const region of regions) {
    const here = new Map<string, number>()
    expected.set(region, here)
    const arms = await sql.selectMany<ArmRow>({
      table: 'agent_latencies',
      keys: ['device', 'region'],
      rows: loads.map(({ device }) => [device, region]),
      columns: ['hopeful_ms', 'mean_ms'],
    })
    const known = arms.filter((arm) => arm !== undefined).map((arm) => arm.mean_ms)
    const bestMs = known.length === 0 ? null : Math.min(...known)
    for (const [i, load] of loads.entries()) {
      const ms = arms[i]?.hopeful_ms ?? untriedMs({ bestMs, overallMs: load.latency_ms })
      here.set(load.device, ms)
    }
  }
  return (load, region) => expected.get(region)!.get(load.device)!
}

/** Takes in response times that an agent measured, by region. */
export async function noteLatencies(
  sql: Sql,
  device: string,
  measured: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  if (measured.size === 0) return
  const regions = [...measured.keys()]
  const rows = await sql.selectMany<ArmRow>({
    table: 'agent_latencies',
    keys: ['device', 'region'],
    rows: regions.map((region) => [device, region]),
    columns: ['samples', 'mean_ms'],
  })
  await sql.insertMany({
    table: 'agent_latencies',
    columns: ['device', 'region', 'connected', 'samples', 'mean_ms', 'hopeful_ms'],
    rows: regions.map((region, i) => {
      const row = rows[i]
      let arm: Arm | null = row ? { samples: row.samples, meanMs: row.mean_ms } : null
      for (const elapsedMs of measured.get(region)!) arm = tried(arm, elapsedMs)
      return [device, region, 1, arm!.samples, arm!.meanMs, hopefulMs(arm!)]
    }),
    onConflict: { keys: ['device', 'region'], update: ['samples', 'mean_ms', 'hopeful_ms'] },
  })
}

/** Tries per arm that the bonus assumes, T/K. */
const TRIES_PER_ARM = 256
/** Samples that count; the newest weighs 1/64 at least, so a changed agent is noticed soon. */
const SAMPLES_MAX = 64
/** However uncertain, a known time is not hoped to fall below this share. */
const HOPE_MIN = 0.1

export interface Arm {
  samples: number
  meanMs: number
}

/**
 * Which agent is fastest for a region is learnt by trying: a bandit. The rule is MOSS (Audibert and
 * Bubeck, "Minimax policies for adversarial and stochastic bandits", COLT 2009): an arm's index is
 * its mean, improved by √(max(0, ln(T / (K·s))) / s) after s samples. Unlike UCB1's, this index
 * changes only when its own arm is tried, so a database index can keep all arms in order and the
 * best is one seek away. Response times have no upper bound and vary with their size, so the bonus
 * is a share of the mean. Samples are capped: old ones fade (as in discounted UCB: Garivier and
 * Moulines, "On upper-confidence bound policies for switching bandits", ALT 2011) and no arm is
 * ever given up for good.
 */
export function tried(arm: Arm | null, elapsedMs: number): Arm {
  const samples = Math.min(SAMPLES_MAX, (arm?.samples ?? 0) + 1)
  const meanMs = arm?.meanMs ?? 0
  return { samples, meanMs: meanMs + (elapsedMs - meanMs) / samples }
}

/** The index: what the arm's response time may hopefully turn out to be. */
export function hopefulMs({ samples, meanMs }: Arm): number {
  const bonus = Math.sqrt(Math.max(0, Math.log(TRIES_PER_ARM / samples)) / samples)
  return meanMs * Math.max(HOPE_MIN, 1 - bonus)
}

/** Times faster than the best known that an untried agent is hoped to be: it is tried next, but
 * its growing queue keeps it from being given everything before it has answered once. */
const UNTRIED_HOPE = 0.5

/** What to expect of an agent without a measurement for this region. */
export function untriedMs(known: { bestMs: number | null; overallMs: number }): number {
  if (known.bestMs !== null) return known.bestMs * UNTRIED_HOPE
  return known.overallMs > 0 ? known.overallMs : 1
}
