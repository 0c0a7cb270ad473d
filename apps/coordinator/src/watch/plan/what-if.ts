/**
 * What another budget of visits would bring: the price of a visit is found at it, as a replanning
 * would, and every address is asked how often it would be visited. Nothing is written. Hosts that
 * bear less than is wanted of them are reckoned at the common price, and addresses whose policy
 * names no gaps in bulk are left out and counted.
 */
import { isBulkPolicy, type Policy, type RateSet } from '@minga/forecast'
import type { BudgetPoint } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { livePolicy } from './live-policies.ts'
import { priceIn, readPlanning } from './planning.ts'
import { activeForecasts } from './rate-sets.ts'
import { visitPrices } from './visit-prices.ts'

/** Rarer than this is as good as never. */
const RARE_DAYS = 365

export interface WhatIf {
  point: BudgetPoint
  urls: number
  /** Addresses that were not reckoned with. */
  urlsLeftOut: number
}

export async function whatIf(
  sql: Sql,
  args: { visitsPerDay: number | null; bytesPerDay: number | null },
): Promise<WhatIf> {
  const { chosen } = await readPlanning(sql)
  const sets = await activeForecasts(sql, { chosen, visitsPerDay: args.visitsPerDay })
  const { prices } = await visitPrices(sql, sets, { bytesPerDay: args.bytesPerDay })
  const sums: Sums = { urls: 0, visits: 0, versions: 0, changes: 0, fresh: 0, rare: 0 }
  for (const [name, { set }] of sets.byPolicy) {
    const policy = livePolicy(name)
    const kept = prices[name]
    const gaps =
      policy !== null && kept !== undefined && isBulkPolicy(policy)
        ? policy.gapDays(set, priceIn(kept))
        : fixedGaps(name, policy, set)
    if (gaps !== null) add(sums, set, gaps)
  }
  const scale = sets.everyNth
  const reckoned = Math.max(1, sums.urls)
  return {
    urls: sets.urls,
    urlsLeftOut: Math.max(0, sets.urls - sums.urls * scale),
    point: {
      visitsPerDay: sets.budgetPerUrlPerDay * sets.urls,
      usedVisitsPerDay: sums.visits * scale,
      versionsPerDay: sums.versions * scale,
      changesPerDay: sums.changes * scale,
      freshness: sums.fresh / reckoned,
      rareUrls: sums.rare * scale,
    },
  }
}

/** A manual period holds whatever the budget is. */
function fixedGaps(name: string, policy: Policy | null, set: RateSet): Float32Array | null {
  const hours = Number(/^fixed:([\d.]+)$/.exec(policy?.name ?? name)?.[1])
  return hours > 0 ? new Float32Array(set.count).fill(hours / 24) : null
}

interface Sums {
  urls: number
  visits: number
  versions: number
  changes: number
  fresh: number
  rare: number
}

/** Visits at a steady gap catch ρ(1 − e^{−λ/ρ}) versions a day, and (1 − e^{−x})/x of the time the copy is current. */
function add(sums: Sums, { rates, count }: RateSet, gaps: Float32Array): void {
  for (let i = 0; i < count; i++) {
    const rate = rates[i]!
    const days = gaps[i]!
    const seen = rate * days
    sums.urls++
    sums.changes += rate
    if (days >= RARE_DAYS) sums.rare++
    if (!Number.isFinite(days) || days <= 0) continue
    const caught = -Math.expm1(-seen)
    sums.visits += 1 / days
    sums.versions += caught / days
    sums.fresh += seen < 1e-9 ? 1 : caught / seen
  }
}
