/**
 * Budgets that an operator set hold whatever the plans say: visits, and bytes that they bring, are
 * taken from buckets that fill evenly over the day. The plans are priced to use just as many visits;
 * the buckets catch what they misjudge.
 */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'

const VISITS_FACT = 'visitAllowance'
const BYTES_FACT = 'visitBytesAllowance'
const DAY_MS = 86_400_000
/** What a quiet time leaves over may be used later on the same day, not for ever. */
const KEPT_MS = 6 * 3_600_000

interface Allowance {
  left: number
  at: number
}

export interface VisitBudget {
  /** Over all watches; null: whatever is due goes out. */
  visitsPerDay: number | null
  /** That visits bring, over all watches; harvests have limits of their own. */
  visitBytesPerDay?: number | null
}

export interface TakeAllowance extends VisitBudget {
  now: number
  wanted: number
}

/** How many of the wanted visits may go out now. */
export async function takeAllowance(sql: Sql, args: TakeAllowance): Promise<number> {
  const { now, visitsPerDay, visitBytesPerDay = null, wanted } = args
  if (wanted === 0) return 0
  if (visitBytesPerDay !== null && !(await hasBytesLeft(sql, now, visitBytesPerDay))) return 0
  if (visitsPerDay === null) return wanted
  const before = await allowance(sql, VISITS_FACT)
  const { taken, after } = drawAllowance(before, { now, perDay: visitsPerDay, wanted })
  await keep(sql, VISITS_FACT, after)
  return taken
}

/** How much a visit brings is known when it ends: until then the bucket only must not be empty. */
async function hasBytesLeft(sql: Sql, now: number, perDay: number): Promise<boolean> {
  const before = await allowance(sql, BYTES_FACT)
  const { after } = drawAllowance(before, { now, perDay, wanted: 0 })
  await keep(sql, BYTES_FACT, after)
  return after.left > 0
}

/** Adds the size of ended visits. Without a budget nothing is counted. */
export async function spendBytes(sql: Sql, bytes: number): Promise<void> {
  const before = bytes === 0 ? null : await allowance(sql, BYTES_FACT)
  if (before !== null) await keep(sql, BYTES_FACT, { ...before, left: before.left - bytes })
}

async function allowance(sql: Sql, name: string): Promise<Allowance | null> {
  const stored = await readFact(sql, { name })
  return stored === null ? null : (JSON.parse(stored) as Allowance)
}

function keep(sql: Sql, name: string, value: Allowance): Promise<void> {
  return writeFact(sql, { name, value: JSON.stringify(value) })
}

export function drawAllowance(
  before: Allowance | null,
  { now, perDay, wanted }: { now: number; perDay: number; wanted: number },
): { taken: number; after: Allowance } {
  const most = Math.max(1, (perDay * KEPT_MS) / DAY_MS)
  // A smaller budget holds at once: what was saved under a larger one is cut.
  const grown =
    before === null ? most : before.left + (Math.max(0, now - before.at) * perDay) / DAY_MS
  const left = Math.min(most, grown)
  const taken = Math.max(0, Math.min(wanted, Math.floor(left)))
  return { taken, after: { left: left - taken, at: now } }
}
