/** How far apart countries are: between their middles, along the great circle. */
import { COUNTRY_POSITIONS } from './countries.ts'

const EARTH_RADIUS_KM = 6_371
const RADIANS_PER_DEGREE = Math.PI / 180

export interface Position {
  lat: number
  lon: number
}

/** Haversine: well-behaved for points that are near each other, where it matters. */
export function greatCircleKm(a: Position, b: Position): number {
  const latA = a.lat * RADIANS_PER_DEGREE
  const latB = b.lat * RADIANS_PER_DEGREE
  const halfLat = (latB - latA) / 2
  const halfLon = ((b.lon - a.lon) * RADIANS_PER_DEGREE) / 2
  const chord = Math.sin(halfLat) ** 2 + Math.cos(latA) * Math.cos(latB) * Math.sin(halfLon) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

export function positionOf(country: string): Position | null {
  const place = COUNTRY_POSITIONS[country]
  return place === undefined ? null : { lat: place[0], lon: place[1] }
}

/** Infinite when either country is unknown: whoever has a place is nearer. */
export function countryDistanceKm(from: string, to: string): number {
  const [a, b] = [positionOf(from), positionOf(to)]
  return a === null || b === null ? Infinity : greatCircleKm(a, b)
}

/** The countries in order of their distance; those as far as each other by name. */
export function byDistanceFrom(from: string, countries: readonly string[]): string[] {
  const distances = countries.map((country) => ({ country, km: countryDistanceKm(from, country) }))
  // Infinite distances must not be subtracted.
  distances.sort((a, b) =>
    a.km === b.km ? (a.country < b.country ? -1 : 1) : a.km < b.km ? -1 : 1,
  )
  return distances.map(({ country }) => country)
}
