/** Places on the Earth and how far apart they are. */

export interface Position {
  /** Degrees, north positive. */
  lat: number
  /** Degrees, east positive. */
  lon: number
}

const EARTH_RADIUS_KM = 6_371
const RADIANS_PER_DEGREE = Math.PI / 180

/** Haversine: well-behaved for points that are near each other, where it matters. */
export function greatCircleKm(a: Position, b: Position): number {
  const latA = a.lat * RADIANS_PER_DEGREE
  const latB = b.lat * RADIANS_PER_DEGREE
  const halfLat = (latB - latA) / 2
  const halfLon = ((b.lon - a.lon) * RADIANS_PER_DEGREE) / 2
  const chord = Math.sin(halfLat) ** 2 + Math.cos(latA) * Math.cos(latB) * Math.sin(halfLon) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

export function isPosition({ lat, lon }: Position): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180
}
