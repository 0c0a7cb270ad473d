/**
 * Which agents an agent without enough work may steal from, and how much. Only due turns that are
 * not leased can be stolen, and the thief leases them in the same operation: nothing is lost or
 * done twice. A thief stops when its victim has no more than itself: stealing more would only
 * reverse the imbalance, and a series of small thefts evens out any queue in a logarithm of its
 * length.
 */
import { timeToEnd } from './choose.ts'
import type { Load } from './loads.ts'

export interface StolenTurns {
  device: string
  turns: number
}

export interface StealRequest {
  /** Turns that the thief has got already. */
  has: number
  /** Turns that it wants in all. */
  wants: number
}

/**
 * `least-busy`, and `nearest` within a country: one turn after the other from the agent with the
 * longest queue at that moment.
 */
export function stealFromLongest(
  victims: readonly Load[],
  { has, wants }: StealRequest,
): StolenTurns[] {
  const left = new Map(victims.map(({ device, due }) => [device, due]))
  const taken = new Map<string, number>()
  for (let mine = has; mine < wants; mine++) {
    let longest: string | null = null
    for (const [device, due] of left) {
      const most = longest === null ? mine : left.get(longest)!
      const isLonger = due > most || (longest !== null && due === most && device < longest)
      if (isLonger) longest = device
    }
    if (longest === null) break
    left.set(longest, left.get(longest)! - 1)
    taken.set(longest, (taken.get(longest) ?? 0) + 1)
  }
  return [...taken].map(([device, turns]) => ({ device, turns }))
}

/** `fastest`: whatever the thief is expected to finish before its owner would. */
export function stealFromSlower(
  victims: readonly Load[],
  { has, wants, thief }: StealRequest & { thief: Load },
): StolenTurns[] {
  const stolen: StolenTurns[] = []
  const me = { ...thief }
  let mine = has
  const slowest = victims.toSorted((a, b) => endOf(b) - endOf(a) || (a.device < b.device ? -1 : 1))
  for (const victim of slowest) {
    const rest = { ...victim }
    const perTurn = Math.max(1, Math.round(victim.promised / Math.max(1, victim.due)))
    let turns = 0
    while (mine < wants && rest.due > 0) {
      if (timeToEnd(me, perTurn, msOf(me)) >= endOf(rest)) break
      rest.due--
      rest.promised -= perTurn
      me.promised += perTurn
      mine++
      turns++
    }
    if (turns > 0) stolen.push({ device: victim.device, turns })
  }
  return stolen
}

const msOf = (load: Load): number => (load.latency_ms > 0 ? load.latency_ms : 1)
const endOf = (load: Load): number => timeToEnd(load, 0, msOf(load))
