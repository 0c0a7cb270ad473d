/** How often sources of places agree, pair by pair: the only measure of them without the truth. */
import { greatCircleKm } from './great-circle.ts'
import { PRECEDENCE, SAME_PLACE_KM, type PlaceClaim, type PlaceSource } from './locate.ts'

export interface AgreementRow {
  a: PlaceSource
  b: PlaceSource
  /** Hosts that both place. */
  both: number
  /** Of these, within SAME_PLACE_KM of each other. */
  coincident: number
  /** Coincident over both; null of none. */
  share: number | null
  /** Over all that both place, the coincident ones too. */
  meanKm: number | null
}

/** All pairs of sources in the order of precedence; one list of claims per host. */
export function agreementMatrix(claimsByHost: readonly (readonly PlaceClaim[])[]): AgreementRow[] {
  const pairs = PRECEDENCE.flatMap((a, i) => PRECEDENCE.slice(i + 1).map((b) => ({ a, b })))
  return pairs.map(({ a, b }) => {
    const distancesKm = claimsByHost.flatMap((claims) => {
      const [ofA, ofB] = [a, b].map((source) => claims.find((claim) => claim.source === source))
      return ofA === undefined || ofB === undefined ? [] : [greatCircleKm(ofA, ofB)]
    })
    const both = distancesKm.length
    const coincident = distancesKm.filter((km) => km <= SAME_PLACE_KM).length
    const sumKm = distancesKm.reduce((sum, km) => sum + km, 0)
    const isEmpty = both === 0
    return {
      a,
      b,
      both,
      coincident,
      share: isEmpty ? null : coincident / both,
      meanKm: isEmpty ? null : sumKm / both,
    }
  })
}

/** How many hosts each source places. */
export function countBySource(
  claimsByHost: readonly (readonly PlaceClaim[])[],
): Record<PlaceSource, number> {
  const counts = Object.fromEntries(PRECEDENCE.map((source) => [source, 0]))
  for (const { source } of claimsByHost.flat()) counts[source]!++
  return counts as Record<PlaceSource, number>
}
