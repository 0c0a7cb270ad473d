/** How far apart countries are: between their middles, along the great circle. */
import { greatCircleKm, type Position } from '@minga/partition/great-circle'
import { COUNTRY_POSITIONS } from './countries.ts'

export function positionOf(country: string): Position | null {
  const place = COUNTRY_POSITIONS[country]
  return place === undefined ? null : { lat: place[0], lon: place[1] }
}

/** Infinite when either country is unknown: a known location is nearer. */
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
