/**
 * The round trip between an agent and a host from whatever is known. A measured median is believed as it
 * is. Otherwise the estimates of coordinates, routes and distance are averaged, each by the inverse square
 * of its uncertainty, and never below what light needs.
 */
import { leastRttMs } from './light-check.ts'
import { medianOf } from './median.ts'

export interface RttEstimate {
  rttMs: number
  /** One standard deviation. */
  uncertaintyMs: number
}

export interface RttKnowledge {
  measured?: RttEstimate | null | undefined
  coordinates?: RttEstimate | null | undefined
  route?: RttEstimate | null | undefined
  distance?: DistanceFacts | null
  /** Learnt by `learnDistancePrior`; left out: the usual one. */
  prior?: DistancePrior
}

export interface DistanceFacts {
  km: number
  /** How far both ends together may be from where they are said to be. */
  errorKm: number
  /** That the places are right, 0 to 1. */
  confidence: number
}

/** What a path costs over that of light in glass along the great circle. */
export interface DistancePrior {
  /** Times as long as light needs. */
  stretch: number
  /** Access lines and routers, at any distance. */
  baseMs: number
  spread: number
}

export interface BlendedRtt extends RttEstimate {
  sources: ('measured' | 'coordinates' | 'route' | 'distance')[]
}

/** Cables follow coasts and exchanges: about twice the great circle is common. */
export const USUAL_PRIOR: DistancePrior = { stretch: 2, baseMs: 5, spread: 0.5 }
/** Fewer pairs say more about themselves than about the network. */
const LEAST_PAIRS = 20
/** Nearer, access lines hide the distance. */
const FAR_KM = 200
/** No estimate is exact; a zero would silence all others. */
const LEAST_UNCERTAINTY_MS = 0.1
/** Places that are hardly believed still leave a time that is hardly believed. */
const LEAST_CONFIDENCE = 0.05

/** Null when nothing is known. */
export function blendRtt(known: RttKnowledge): BlendedRtt | null {
  if (known.measured != null) return { ...known.measured, sources: ['measured'] }
  const { distance = null, prior = USUAL_PRIOR } = known
  const candidates = [
    { source: 'coordinates' as const, estimate: known.coordinates ?? null },
    { source: 'route' as const, estimate: known.route ?? null },
    { source: 'distance' as const, estimate: distance && rttOfDistance(distance, prior) },
  ].flatMap(({ source, estimate }) => (estimate === null ? [] : [{ source, estimate }]))
  if (candidates.length === 0) return null
  const average = averageOf(candidates.map(({ estimate }) => estimate))
  const least = distance === null ? 0 : lightBound(distance)
  return {
    ...average,
    rttMs: Math.max(average.rttMs, least),
    sources: candidates.map(({ source }) => source),
  }
}

export function rttOfDistance(facts: DistanceFacts, prior = USUAL_PRIOR): RttEstimate {
  const rttMs = prior.baseMs + prior.stretch * leastRttMs(facts.km)
  const ofPlaces = prior.stretch * leastRttMs(facts.errorKm)
  const confidence = Math.max(LEAST_CONFIDENCE, facts.confidence)
  return { rttMs, uncertaintyMs: Math.hypot(prior.spread * rttMs, ofPlaces) / confidence }
}

/** A place that is doubted bounds by as much less. */
function lightBound({ km, errorKm, confidence }: DistanceFacts): number {
  return confidence * leastRttMs(km - errorKm)
}

/** Estimates that contradict each other are as uncertain as they lie apart, however sure each is. */
function averageOf(estimates: readonly RttEstimate[]): RttEstimate {
  let [weights, sum] = [0, 0]
  for (const { rttMs, uncertaintyMs } of estimates) {
    const weight = Math.max(LEAST_UNCERTAINTY_MS, uncertaintyMs) ** -2
    weights += weight
    sum += weight * rttMs
  }
  const rttMs = sum / weights
  let apart = 0
  for (const estimate of estimates) {
    const weight = Math.max(LEAST_UNCERTAINTY_MS, estimate.uncertaintyMs) ** -2
    apart += (weight / weights) * (estimate.rttMs - rttMs) ** 2
  }
  return { rttMs, uncertaintyMs: Math.hypot(Math.sqrt(1 / weights), Math.sqrt(apart)) }
}

/** From measured pairs whose places are known: medians, so that false places do not count for much. */
export function learnDistancePrior(pairs: readonly { km: number; rttMs: number }[]): DistancePrior {
  const near = pairs.filter(({ km }) => km <= FAR_KM)
  const baseMs =
    near.length < LEAST_PAIRS ? USUAL_PRIOR.baseMs : medianOf(near.map(({ rttMs }) => rttMs))
  const far = pairs.filter(({ km }) => km > FAR_KM)
  if (far.length < LEAST_PAIRS) return { ...USUAL_PRIOR, baseMs }
  const stretch = Math.max(
    1,
    medianOf(far.map(({ km, rttMs }) => (rttMs - baseMs) / leastRttMs(km))),
  )
  const errors = far.map(({ km, rttMs }) => {
    const expected = baseMs + stretch * leastRttMs(km)
    return Math.abs(rttMs - expected) / expected
  })
  // The median of absolute errors is 0.6745 σ of a normal distribution.
  return { stretch, baseMs, spread: Math.max(0.05, medianOf(errors) / 0.6745) }
}
