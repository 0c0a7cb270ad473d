/** Location of a host for filters. An unknown location is omitted: no filter can decide by it. */
import type { WhereFacts } from '@minga/frontier'
import type { GeoLookup } from '../../station/geoip.ts'

export function whereOf(
  addresses: readonly string[],
  { countryOf, positionOf }: Pick<GeoLookup, 'countryOf' | 'positionOf'>,
): WhereFacts {
  // The first is the one that is dialled.
  const [address = ''] = addresses
  const country = countryOf(address)
  const position = positionOf(address)
  return {
    addresses,
    ...(country === null ? {} : { country }),
    ...(position === null ? {} : { place: { latitude: position.lat, longitude: position.lon } }),
  }
}
