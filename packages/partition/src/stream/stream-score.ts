/**
 * How well a part suits a host: what it offers (links into it, less what the host costs there)
 * against how full it is, 1 being at its limit. Two ways to weigh the one against the other:
 *
 *   ldg     offer · (1 − fullness)          Stanton and Kliot, KDD 2012
 *   fennel  offer − price · √fullness       Tsourakakis et al., WSDM 2014
 *
 * Fennel's own penalty is α·γ·load^(γ−1) with γ = 3/2 and α = √k · links / weight^(3/2). In shares
 * of the whole, that is the line above with price = 3/2 · links per weight · weight of the host,
 * which also serves parts of unlike capacity and hosts that are still coming.
 */

export type ScoreName = 'fennel' | 'ldg'

export function scoreOf(name: ScoreName, offer: number, fullness: number, price: number): number {
  return name === 'ldg' ? offer * (1 - fullness) : offer - price * Math.sqrt(fullness)
}

/** Fennel's γ. */
const STEEPNESS = 1.5

/** What a host of this weight pays in a full part. */
export function fennelPrice(weight: number, links: number, allWeight: number): number {
  return allWeight === 0 ? 0 : (STEEPNESS * links * weight) / allWeight
}

/** Chance between two equal parts; it hangs on seed, host and part, and not on the order of arrival. */
export function isFirstLot(seed: number, host: number, part: number, other: number): boolean {
  return lot(seed, host, part) < lot(seed, host, other)
}

function lot(seed: number, host: number, part: number): number {
  let x =
    Math.imul(seed ^ Math.imul(host + 1, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(part, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return (x ^ (x >>> 16)) >>> 0
}
