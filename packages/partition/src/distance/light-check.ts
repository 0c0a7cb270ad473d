/**
 * Nothing is faster than light in glass: an answer after t ms comes from at most 100·t km away, there and
 * back. So every measured time draws a disc round its agent. A claimed place outside of a disc is false;
 * two discs that do not meet mean that the host answers in several places (anycast), whatever is claimed.
 * The test on pairs of discs is that of Cicalese et al., "Characterizing IPv4 anycast", 2015. O(agents²).
 */
import { greatCircleKm, type Position } from './great-circle.ts'

/** Two thirds of the speed in vacuum. Radio links are faster but rare, and short. */
const LIGHT_KM_PER_MS = 200

export interface Witness {
  agent: string
  at: Position
  /** How far the agent may be from where it says it is. */
  errorKm: number
  rttMs: number
}

export interface LightVerdict {
  kind: 'consistent' | 'false-location' | 'anycast'
  /** The agents whose times contradict the place, or each other. */
  witnesses: string[]
}

/** The least time that a round trip over this distance takes. */
export const leastRttMs = (km: number): number => (2 * Math.max(0, km)) / LIGHT_KM_PER_MS

const reachKm = ({ rttMs, errorKm }: Witness): number => (rttMs * LIGHT_KM_PER_MS) / 2 + errorKm

/** An unknown place contradicts nothing. */
export function lightCheck(
  place: (Position & { errorKm: number }) | null,
  witnesses: readonly Witness[],
): LightVerdict {
  const apart = agentsApart(witnesses)
  if (apart.length > 0) return { kind: 'anycast', witnesses: apart }
  const against =
    place === null
      ? []
      : witnesses.filter(
          (witness) => greatCircleKm(place, witness.at) > reachKm(witness) + place.errorKm,
        )
  return against.length === 0
    ? { kind: 'consistent', witnesses: [] }
    : { kind: 'false-location', witnesses: against.map(({ agent }) => agent) }
}

/** Those whose discs miss another's. An agent that is in every pair may itself stand elsewhere. */
function agentsApart(witnesses: readonly Witness[]): string[] {
  const apart = new Set<string>()
  for (const [i, a] of witnesses.entries()) {
    for (const b of witnesses.slice(i + 1)) {
      if (greatCircleKm(a.at, b.at) <= reachKm(a) + reachKm(b)) continue
      apart.add(a.agent)
      apart.add(b.agent)
    }
  }
  return [...apart]
}
