/**
 * What survives of the thesis's measurements: F. L. Pulgar Romero, "Crawlsourcing", engineering
 * thesis, Universidad de Chile, August 2018, Tables 5.1 and 5.2. Table 5.1 gives mean response
 * times (evidently in seconds) of seven machines for sites in twenty countries. Two of its entries
 * are odd and kept as printed: Singapore → Turkey repeats Singapore → Singapore, and the row of
 * Iran is probably full of timeouts.
 */

/** A machine of the thesis: its city's country decides its column. */
export interface ThesisAgent {
  name: string
  /** ISO 3166. */
  country: string
}

/** In the order of the columns; experiments with k agents take the first k. */
export const THESIS_AGENTS: readonly ThesisAgent[] = [
  { name: 'US', country: 'US' },
  { name: 'NL', country: 'NL' },
  { name: 'SG', country: 'SG' },
  { name: 'UK', country: 'GB' },
  { name: 'DE', country: 'DE' },
  { name: 'CA', country: 'CA' },
  { name: 'IN', country: 'IN' },
]

export interface SiteCountry {
  name: string
  /** ISO 3166. */
  country: string
  /** Mean response time in seconds by agent, in the order of THESIS_AGENTS. */
  meanS: readonly number[]
}

export const TABLE_5_1: readonly SiteCountry[] = [
  site('USA', 'US', [1.3459, 1.5573, 5.1589, 1.2205, 1.4278, 1.403, 2.2871]),
  site('Netherlands', 'NL', [0.9965, 0.6902, 1.7137, 0.6842, 0.7677, 1.1619, 1.5127]),
  site('Singapore', 'SG', [2.1104, 2.1121, 1.2066, 2.2223, 1.947, 2.2331, 1.6574]),
  site('England', 'GB', [2.3453, 1.8286, 3.0631, 1.022, 1.8194, 2.4916, 2.8761]),
  site('Germany', 'DE', [1.5192, 0.7252, 1.7396, 0.6713, 0.7624, 1.2646, 1.943]),
  site('Canada', 'CA', [0.6569, 1.3271, 1.7931, 1.0002, 1.1566, 0.7935, 2.1469]),
  site('India', 'IN', [1.8816, 2.5577, 1.5134, 2.0634, 2.1613, 2.6015, 1.3816]),
  site('Australia', 'AU', [1.9365, 2.194, 1.286, 2.1368, 2.1341, 2.2989, 1.9903]),
  site('Brazil', 'BR', [1.6202, 2.6326, 3.5221, 2.0314, 1.8524, 1.9757, 4.6393]),
  site('Czech Rep.', 'CZ', [1.2602, 0.7719, 2.1008, 0.8049, 0.8259, 1.42, 1.7349]),
  site('Spain', 'ES', [1.4768, 1.0424, 2.7132, 1.0459, 1.0607, 1.5801, 2.0183]),
  site('France', 'FR', [2.9132, 1.0852, 2.5849, 0.925, 1.3386, 1.5522, 2.1044]),
  site('Ireland', 'IE', [1.0061, 0.5751, 1.5642, 0.4813, 0.5604, 1.0788, 1.5274]),
  site('Iran', 'IR', [3.1883, 2.5982, 18.7609, 14.4037, 42.0339, 16.7602, 20.1032]),
  site('Italy', 'IT', [1.4981, 1.297, 2.3881, 1.3273, 1.1928, 1.8095, 2.09]),
  site('Japan', 'JP', [1.5387, 2.2889, 1.062, 1.6241, 1.7285, 2.0084, 1.3982]),
  site('Poland', 'PL', [1.351, 1.285, 2.1763, 0.7977, 0.7894, 1.6628, 1.834]),
  site('Russia', 'RU', [7.138, 1.444, 9.4644, 0.8121, 1.0087, 1.5613, 2.0466]),
  site('Turkey', 'TR', [1.7287, 1.0859, 1.2066, 1.1059, 0.8836, 2.211, 2.1511]),
  site('Ukraine', 'UA', [1.6163, 1.0749, 2.2761, 1.1426, 1.0193, 1.6047, 2.3482]),
]

function site(name: string, country: string, meanS: readonly number[]): SiteCountry {
  return { name, country, meanS }
}

export interface PrintedTau {
  tau: number
  p: number
  /** Concordant minus discordant pairs, recovered from τ and p. */
  s: number
}

/** Table 5.2: Kendall's τ of response time against distance, with its p-value. */
export const TABLE_5_2: Readonly<Record<string, PrintedTau>> = {
  US: { tau: 0.453, p: 0.0058198, s: 86 },
  NL: { tau: 0.568, p: 0.00051749, s: 108 },
  SG: { tau: 0.364, p: 0.027288, s: 69 },
  UK: { tau: 0.611, p: 0.00019062, s: 116 },
  DE: { tau: 0.526, p: 0.0013182, s: 100 },
  CA: { tau: 0.663, p: 0.000050068, s: 126 },
  IN: { tau: 0.221, p: 0.18345, s: 42 },
}

/** The middles of the countries in degrees, latitude and longitude. The thesis does not say between
 * which points it measured. */
const MIDDLES: Readonly<Record<string, readonly [number, number]>> = {
  AU: [-25.3, 133.8],
  BR: [-14.2, -51.9],
  CA: [56.1, -106.3],
  CZ: [49.8, 15.5],
  DE: [51.2, 10.5],
  ES: [40.5, -3.7],
  FR: [46.2, 2.2],
  GB: [55.4, -3.4],
  IE: [53.4, -8.2],
  IN: [20.6, 79],
  IR: [32.4, 53.7],
  IT: [41.9, 12.6],
  JP: [36.2, 138.3],
  NL: [52.1, 5.3],
  PL: [51.9, 19.1],
  RU: [61.5, 105.3],
  SG: [1.4, 103.8],
  TR: [39, 35.2],
  UA: [48.4, 31.2],
  US: [37.1, -95.7],
}

const EARTH_RADIUS_KM = 6_371
const RADIANS_PER_DEGREE = Math.PI / 180

/** Between the middles of two countries of the tables, along the great circle. */
export function distanceKm(from: string, to: string): number {
  const [latA, lonA] = inRadians(from)
  const [latB, lonB] = inRadians(to)
  const chord =
    Math.sin((latB - latA) / 2) ** 2 +
    Math.cos(latA) * Math.cos(latB) * Math.sin((lonB - lonA) / 2) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

function inRadians(country: string): [number, number] {
  const middle = MIDDLES[country]
  if (middle === undefined) throw new RangeError(`${country} is not a country of the tables.`)
  return [middle[0] * RADIANS_PER_DEGREE, middle[1] * RADIANS_PER_DEGREE]
}
