/**
 * Where a host is, from sources that contradict each other. The first source in the order of precedence
 * whose place light does not refute is believed; how far, depends on who agrees and who does not:
 *   odds(place) = Π c/(1 − c) over the sources that name it,  confidence = odds / (1 + Σ odds of all places)
 * which is Bayes's rule for sources that are right independently and, when wrong, name any place.
 */
import { greatCircleKm, isPosition, type Position } from './great-circle.ts'
import { lightCheck, type Witness } from './light-check.ts'
import { parseDnsLoc } from './dns-loc.ts'
import type { NamePlaces } from './name-places.ts'
import type { OperatorPlaces } from './operator-places.ts'

export type PlaceSource = 'operator' | 'dns-loc' | 'airport' | 'city' | 'institution' | 'geoip'

interface Trust {
  confidence: number
  errorKm: number
}

/**
 * In the order of precedence: the operator's file, a record for this host, the host's name, a guess
 * from its address. Confidences are beliefs, not measurements: `agreement.ts` measures.
 */
const TRUST: Record<PlaceSource, Trust> = {
  operator: { confidence: 0.98, errorKm: 10 },
  'dns-loc': { confidence: 0.9, errorKm: 10 },
  airport: { confidence: 0.85, errorKm: 40 },
  city: { confidence: 0.75, errorKm: 30 },
  institution: { confidence: 0.75, errorKm: 30 },
  geoip: { confidence: 0.6, errorKm: 100 },
}

export const PRECEDENCE = Object.keys(TRUST) as readonly PlaceSource[]

/** An airport serves a city that is not next door. */
export const SAME_PLACE_KM = 50

export interface HostFacts {
  host: string
  address: string | null
  /** The text of a LOC record. */
  dnsLoc: string | null
  /** What a database of addresses answered. */
  geoip: (Position & { errorKm?: number }) | null
}

export interface Gazetteer {
  names: NamePlaces
  operator: OperatorPlaces
}

export interface PlaceClaim extends Position {
  source: PlaceSource
  errorKm: number
}

export interface HostPlace {
  /**
   * Null when the place is unknown, all claims are refuted, or the host answers in several places.
   */
  place: PlaceClaim | null
  /** 0 to 1. */
  confidence: number
  agreeing: PlaceSource[]
  dissenting: PlaceSource[]
  refuted: PlaceSource[]
  anycast: boolean
}

/** What each source says, in the order of precedence. */
export function claimsOf(facts: HostFacts, { names, operator }: Gazetteer): PlaceClaim[] {
  const { host, address, dnsLoc, geoip } = facts
  const said: Record<PlaceSource, (Position & { errorKm?: number }) | null> = {
    operator: operator.find(host, address),
    'dns-loc': dnsLoc === null ? null : parseDnsLoc(dnsLoc),
    airport: names.find(host, 'airport'),
    city: names.find(host, 'city'),
    institution: names.find(host, 'institution'),
    geoip: geoip !== null && isPosition(geoip) ? geoip : null,
  }
  return PRECEDENCE.flatMap((source) => {
    const place = said[source]
    if (place === null) return []
    const { lat, lon, errorKm = TRUST[source].errorKm } = place
    return [{ source, lat, lon, errorKm }]
  })
}

/** Claims in the order of precedence; witnesses are agents that measured the host. */
export function locate(
  claims: readonly PlaceClaim[],
  witnesses: readonly Witness[] = [],
): HostPlace {
  const anycast = lightCheck(null, witnesses).kind === 'anycast'
  const isRefuted = (claim: PlaceClaim): boolean =>
    lightCheck(claim, witnesses).kind !== 'consistent'
  const refuted = claims.filter(isRefuted).map(({ source }) => source)
  const held = claims.filter(({ source }) => !refuted.includes(source))
  const [place] = held
  if (anycast || place === undefined) {
    return { place: null, confidence: 0, agreeing: [], dissenting: [], refuted, anycast }
  }
  const groups = groupsOf(held)
  const [chosen] = groups
  const odds = groups.map(oddsOf)
  const sum = odds.reduce((total, each) => total + each, 1)
  return {
    place,
    confidence: odds[0]! / sum,
    agreeing: chosen!.map(({ source }) => source),
    dissenting: groups.slice(1).flatMap((group) => group.map(({ source }) => source)),
    refuted,
    anycast,
  }
}

/** Each group is round its first claim, the one with precedence. */
function groupsOf(claims: readonly PlaceClaim[]): PlaceClaim[][] {
  const groups: PlaceClaim[][] = []
  for (const claim of claims) {
    const home = groups.find(([first]) => greatCircleKm(first!, claim) <= SAME_PLACE_KM)
    if (home === undefined) groups.push([claim])
    else home.push(claim)
  }
  return groups
}

function oddsOf(group: readonly PlaceClaim[]): number {
  let odds = 1
  for (const { source } of group) {
    const { confidence } = TRUST[source]
    odds *= confidence / (1 - confidence)
  }
  return odds
}
