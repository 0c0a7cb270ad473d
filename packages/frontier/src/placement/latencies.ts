/** Measured response times by agent and region of hosts: the bandit's arms in the database. */
import type { Sql } from '@minga/store'
import { hopefulMs, tried, untriedMs, type Arm } from './bandit.ts'
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
