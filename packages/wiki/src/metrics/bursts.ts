/** Days when a page, or anything else that is chosen, was edited much more than usual. */
import { numberOf, textOf, type Ask, type Choice } from './ask.ts'
import { DAY_MS, startOfDay } from './filters.ts'

export interface Burst {
  /** First and last day, both included. */
  from: string
  until: string
  edits: number
  /** How many times the usual number per day. */
  intensity: number
}

export interface BurstOptions {
  /** A burst has this many times the usual rate. */
  scale?: number
  /** What entering a burst costs: higher finds fewer. */
  reluctance?: number
}

export async function editBursts(
  ask: Ask,
  { where, values }: Choice,
  options: BurstOptions = {},
): Promise<Burst[]> {
  const rows = await ask(
    `SELECT strftime(day, '%Y-%m-%d') AS day, edits FROM (
       SELECT date_trunc('day', epoch_ms(r."at")) AS day, count(*) AS edits FROM revisions r WHERE ${where} GROUP BY 1
     ) ORDER BY 1`,
    values,
  )
  return findBursts(
    rows.map((row) => ({ day: textOf(row['day']), edits: numberOf(row['edits']) })),
    options,
  )
}

/**
 * The likeliest path of an automaton with two states, usual and burst, over the days from the first to the last
 * edit: Kleinberg, "Bursty and hierarchical structure in streams", KDD 2002, with Poisson counts per day.
 *   cost of a day with k edits at rate λ:  λ − k·ln λ  (ln k! is the same in both states)
 *   entering the burst costs reluctance·ln(days); leaving it is free
 * One pass over the days (Viterbi). Seasons are not known to it: a yearly event is a burst every year.
 */
export function findBursts(
  counts: readonly { day: string; edits: number }[],
  { scale = 3, reluctance = 1 }: BurstOptions = {},
): Burst[] {
  const [first, last] = [counts[0], counts.at(-1)]
  if (first === undefined || last === undefined) return []
  const start = startOfDay(first.day)
  const perDay = new Float64Array((startOfDay(last.day) - start) / DAY_MS + 1)
  for (const { day, edits } of counts) perDay[(startOfDay(day) - start) / DAY_MS] = edits
  const usual = perDay.reduce((sum, edits) => sum + edits, 0) / perDay.length
  const isBurst = likeliestPath(perDay, {
    usual,
    burst: usual * scale,
    enter: reluctance * Math.log(perDay.length),
  })
  return stretchesOf(isBurst).map(([from, until]) => {
    const edits = perDay.subarray(from, until + 1).reduce((sum, n) => sum + n, 0)
    return {
      from: dayAt(start, from),
      until: dayAt(start, until),
      edits,
      intensity: edits / (until - from + 1) / usual,
    }
  })
}

function likeliestPath(
  perDay: Float64Array,
  { usual, burst, enter }: { usual: number; burst: number; enter: number },
): Uint8Array {
  /** Bit 0: the best way to be usual on this day came from a burst; bit 1: to be in a burst, from a burst. */
  const cameFromBurst = new Uint8Array(perDay.length)
  let [usualCost, burstCost] = [0, enter]
  perDay.forEach((edits, i) => {
    const usualFromBurst = burstCost < usualCost
    const burstFromBurst = burstCost <= usualCost + enter
    cameFromBurst[i] = (usualFromBurst ? 1 : 0) | (burstFromBurst ? 2 : 0)
    const toUsual = usualFromBurst ? burstCost : usualCost
    const toBurst = burstFromBurst ? burstCost : usualCost + enter
    usualCost = toUsual + usual - edits * Math.log(usual)
    burstCost = toBurst + burst - edits * Math.log(burst)
  })
  const isBurst = new Uint8Array(perDay.length)
  let state = burstCost < usualCost ? 1 : 0
  for (let i = perDay.length - 1; i >= 0; i -= 1) {
    isBurst[i] = state
    state = (cameFromBurst[i]! >> state) & 1
  }
  return isBurst
}

function stretchesOf(flags: Uint8Array): [number, number][] {
  const stretches: [number, number][] = []
  flags.forEach((flag, i) => {
    if (flag === 0) return
    const open = stretches.at(-1)
    if (open !== undefined && open[1] === i - 1) open[1] = i
    else stretches.push([i, i])
  })
  return stretches
}

function dayAt(start: number, index: number): string {
  return new Date(start + index * DAY_MS).toISOString().slice(0, 10)
}
