/**
 * A budget that an operator set holds whatever the plans say: visits are taken from a bucket that
 * fills evenly over the day. The plans are priced to use just as much; the bucket catches what they
 * misjudge.
 */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../station-facts.ts'

const FACT = 'visitAllowance'
const DAY_MS = 86_400_000
/** What a quiet time leaves over may be used later on the same day, not for ever. */
const KEPT_MS = 6 * 3_600_000

interface Allowance {
  left: number
  at: number
}

export interface TakeAllowance {
  now: number
  visitsPerDay: number | null
  wanted: number
}

/** How many of the wanted visits may go out now. */
export async function takeAllowance(sql: Sql, args: TakeAllowance): Promise<number> {
  const { now, visitsPerDay, wanted } = args
  if (visitsPerDay === null || wanted === 0) return wanted
  const stored = await readFact(sql, { name: FACT })
  const before = stored === null ? null : (JSON.parse(stored) as Allowance)
  const { taken, after } = drawAllowance(before, { now, visitsPerDay, wanted })
  await writeFact(sql, { name: FACT, value: JSON.stringify(after) })
  return taken
}

export function drawAllowance(
  before: Allowance | null,
  { now, visitsPerDay, wanted }: TakeAllowance & { visitsPerDay: number },
): { taken: number; after: Allowance } {
  const most = Math.max(1, (visitsPerDay * KEPT_MS) / DAY_MS)
  // A smaller budget holds at once: what was saved under a larger one is cut.
  const grown =
    before === null ? most : before.left + (Math.max(0, now - before.at) * visitsPerDay) / DAY_MS
  const left = Math.min(most, grown)
  const taken = Math.min(wanted, Math.floor(left))
  return { taken, after: { left: left - taken, at: now } }
}
