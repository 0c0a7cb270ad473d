/**
 * Locations of the demo. All of it is on this machine; the station gets other locations from the two files that
 * an operator would give it: countries by address and places by name.
 */
import { mmdbPlace, writeMmdb } from '@minga/net'

/** Of loopback, and the country that the demo takes it for. Numbers of networks are those kept for examples. */
const NETWORKS = [
  { network: '127.0.0.0/8', country: 'PE', asn: 64_500 },
  { network: '127.51.0.0/16', country: 'PE', asn: 64_501 },
  { network: '127.59.0.0/16', country: 'BO', asn: 64_502 },
  { network: '127.35.0.0/16', country: 'PT', asn: 64_503 },
] as const

/** As `--geoip` reads it. */
export function countriesFile(): Buffer {
  const networks = NETWORKS.map(({ network, country, asn }) => ({
    network,
    record: mmdbPlace(country, asn),
  }))
  return writeMmdb(networks)
}

interface Placed {
  name: string
  lat: number
  lon: number
}

/** The sites of the valley and those who help; sites elsewhere are nearer to some than to others. */
const PLACES: readonly Placed[] = [
  { name: '*.valley.test', lat: -13.52, lon: -71.97 },
  { name: 'library.valley.test', lat: 38.72, lon: -9.14 },
  { name: 'museum.valley.test', lat: 41.15, lon: -8.61 },
  { name: 'radio.valley.test', lat: -16.5, lon: -68.15 },
  { name: 'market.valley.test', lat: -16.4, lon: -71.54 },
  { name: 'local-1', lat: -12.05, lon: -77.04 },
  { name: 'killa-attic', lat: -13.52, lon: -71.97 },
  { name: 'killa-office', lat: -16.5, lon: -68.15 },
  { name: 'joao-porto', lat: 41.15, lon: -8.61 },
]

/** As `--places` reads it. */
export function placesText(): string {
  return PLACES.map(({ name, lat, lon }) => `${name} ${lat} ${lon}\n`).join('')
}
