/**
 * Where a host is, from sources that contradict each other. The first source in the order of precedence
 * whose place light does not refute is believed; how far, depends on who agrees and who does not:
 *   odds(place) = Π c/(1 − c) over the sources that name it,  confidence = odds / (1 + Σ odds of all places)
 * which is Bayes's rule for sources that are right independently and, when wrong, name any place.
 */
import { greatCircleKm, isPosition, type Position } from './great-circle.ts'
import { lightCheck, type Witness } from './light-check.ts'
import type { NamePlaces } from './name-places.ts'
import { BadPlaceList } from './errors.ts'

export interface KnownPlace extends Position {
  errorKm: number
}

const USUAL_ERROR_KM = 10
const HALF_THE_EARTH_KM = 20_038
const MOST_FAULTS = 100
const NUMBER = /^[+-]?\d{1,5}(\.\d{1,12})?$/

/**
 * Where an operator knows hosts to be, one per line:
 *   name latitude longitude [±km]      as in   *.example.org 38.72 -9.14 5
 * The name is a host, an address, or `*.` and a domain for all hosts below it; the longest that
 * fits counts. Lines that begin with # say nothing; an invalid one is reported with its number, and
 * the others count.
 */
export class OperatorPlaces {
  readonly faults: BadPlaceList[] = []
  readonly #places = new Map<string, KnownPlace>()

  constructor(name: string, lines: Iterable<string>) {
    let number = 0
    for (const line of lines) {
      number++
      const problem = this.#read(line)
      if (problem === null || this.faults.length === MOST_FAULTS) continue
      this.faults.push(new BadPlaceList(name, number, problem))
    }
  }

  find(host: string, address: string | null): KnownPlace | null {
    const name = host.toLowerCase()
    const exact = this.#places.get(name) ?? this.#places.get(address ?? '')
    if (exact !== undefined) return exact
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const place = this.#places.get(`*${name.slice(dot)}`)
      if (place !== undefined) return place
    }
    return null
  }

  /** What is wrong with the line, or null. */
  #read(line: string): string | null {
    const [name = '', ...numbers] = line.trim().split(/\s+/)
    if (name === '' || name.startsWith('#')) return null
    if (!/^(\*\.)?[^*]+$/.test(name)) return 'a name is a host, an address or *. and a domain'
    if (numbers.length < 2 || numbers.length > 3) return 'a place has a latitude and a longitude'
    const wrong = numbers.find((text) => !NUMBER.test(text))
    if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 60))} is no number`
    const [lat, lon, errorKm = USUAL_ERROR_KM] = numbers.map(Number)
    const place = { lat: lat!, lon: lon!, errorKm }
    if (!isPosition(place)) return `${lat}, ${lon} is no place on the Earth`
    if (!(errorKm >= 0 && errorKm <= HALF_THE_EARTH_KM)) return `±${errorKm} km says nothing`
    this.#places.set(name.toLowerCase(), place)
    return null
  }
}

/** Of the horizontal precision when the record leaves it out: RFC 1876 says 10,000 m. */
const USUAL_PRECISION_M = 10_000
const METRES_PER_KM = 1_000

const ANGLE = String.raw`(\d{1,3})(?:\s+(\d{1,2})(?:\s+(\d{1,2}(?:\.\d{1,3})?))?)?`
const METRES = String.raw`(-?\d{1,8}(?:\.\d{1,2})?)m?`
const RECORD = new RegExp(
  String.raw`^${ANGLE}\s+([NS])\s+${ANGLE}\s+([EW])\s+${METRES}` +
    String.raw`(?:\s+${METRES}(?:\s+${METRES}(?:\s+${METRES})?)?)?$`,
  'i',
)

/**
 * The text of a DNS LOC record (RFC 1876 §3), as name servers and `dig` write it:
 *   d [m [s]] N|S  d [m [s]] E|W  altitude[m]  [size[m] [horizontal[m] [vertical[m]]]]
 * as in `38 43 12.5 N 9 8 20 W 100m 30m 10000m 10m`. Whatever is not of this form is no place.
 */
export function parseDnsLoc(text: string): (Position & { errorKm: number }) | null {
  const found = RECORD.exec(text.trim())
  if (found === null) return null
  const lat = degreesOf(found.slice(1, 4), 90)
  const lon = degreesOf(found.slice(5, 8), 180)
  const precisionM = Number(found[11] ?? USUAL_PRECISION_M)
  if (lat === null || lon === null || precisionM < 0) return null
  return {
    lat: found[4]!.toUpperCase() === 'S' ? -lat : lat,
    lon: found[8]!.toUpperCase() === 'W' ? -lon : lon,
    errorKm: precisionM / METRES_PER_KM,
  }
}

function degreesOf(parts: readonly (string | undefined)[], most: number): number | null {
  const [degrees, minutes, seconds] = parts.map((part) => Number(part ?? 0))
  if (minutes! >= 60 || seconds! >= 60) return null
  const angle = degrees! + minutes! / 60 + seconds! / 3_600
  return angle > most ? null : angle
}

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
