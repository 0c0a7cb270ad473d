/**
 * The text of a DNS LOC record (RFC 1876 §3), as name servers and `dig` write it:
 *   d [m [s]] N|S  d [m [s]] E|W  altitude[m]  [size[m] [horizontal[m] [vertical[m]]]]
 * as in `38 43 12.5 N 9 8 20 W 100m 30m 10000m 10m`. Whatever is not of this form is no place.
 */
import type { Position } from './great-circle.ts'

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
