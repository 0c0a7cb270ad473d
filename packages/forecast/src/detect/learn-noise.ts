/**
 * What is learnt about the noise of a page from double fetches, and for how long it holds.
 *   masked     a region that differed in at least two of the last three twins;
 *   cleared    after three still twins in a row;
 *   expired    seven days or twenty masked visits after the last twin that confirmed it;
 *   restored   a person said that it is not noise: it is never masked again.
 * Everything is data: the same history gives the same mask, and no clock is read.
 */
import { BadSketch } from './errors.ts'
import { isSameNode, type NoiseMask } from './noise-mask.ts'
import { foldNodes, PLACE_BITS, type Sketch } from './sketch.ts'
import type { ReplacedRegion, TwinEvidence } from './twin-evidence.ts'

export interface NoiseRegion {
  key: number
  /** The last three twins since it first differed, oldest first: `d` it differed, `s` it stood still. */
  twins: string
  /** When it became noise; null: it is none, or not yet. */
  maskedAt: number | null
  /** When a twin last showed that it differs by itself. */
  confirmedAt: number
  /** Visits since then in which the mask has hidden a difference here. */
  maskedVisits: number
  /** Visits since it became noise, and those of them in which it differed. */
  visits: number
  differed: number
  /** The share of the words of the page that it holds. */
  share: number
  preview: string
  isRestored: boolean
  /** The warning that it may hide what people watch for was given. */
  isWarned: boolean
}

export interface LearntNoise {
  /** Regions are distinguished by this many bits, as few as any sketch seen had. */
  bits: number
  /** How many twins were compared. */
  twins: number
  regions: NoiseRegion[]
}

/** A pair of fetches further apart than this is no twin: what differs may be an edit. */
export const TWIN_WITHIN_MS = 5_000
const RECENT_TWINS = 3
const DIFFERING_LEAST = 2
const CLEARED = 's'.repeat(RECENT_TWINS)
const EXPIRES_MS = 7 * 86_400_000
const MASKED_VISITS_MOST = 20
/** Fewer visits say little of how often a region differs. */
const WARNING_VISITS_LEAST = 5
const WARNING_DIFFERED = 0.8
const WARNING_SHARE = 0.2
const VERSION = 2

export function learnNoise(
  noise: LearntNoise | null,
  evidence: TwinEvidence,
  at: number,
): LearntNoise {
  const bits = Math.min(noise?.bits ?? PLACE_BITS, evidence.bits)
  const fold = (key: number): number => key & ((1 << bits) - 1)
  const known = new Map(foldRegions(noise?.regions ?? [], bits).map((one) => [one.key, one]))
  const replaced = new Map(evidence.replaced.map((one) => [fold(one.key), one]))
  const unclear = new Set(evidence.unclear.map(fold))
  const regions: NoiseRegion[] = []
  for (const key of new Set([...known.keys(), ...replaced.keys()])) {
    const region = unexpired(known.get(key) ?? freshRegion(key), at)
    const seen = replaced.get(key)
    const isUnclear = seen === undefined && unclear.has(key)
    const next = isUnclear ? region : afterTwin(region, seen, at)
    if (next.isRestored || next.twins.includes('d')) regions.push(next)
  }
  return { bits, twins: (noise?.twins ?? 0) + 1, regions }
}

function afterTwin(region: NoiseRegion, seen: ReplacedRegion | undefined, at: number): NoiseRegion {
  const twins = (region.twins + (seen === undefined ? 's' : 'd')).slice(-RECENT_TWINS)
  const differed = twins.split('d').length - 1
  const isKept = region.maskedAt !== null && twins !== CLEARED
  const isFound = region.maskedAt === null && differed >= DIFFERING_LEAST && !region.isRestored
  const maskedAt = isKept ? region.maskedAt : isFound ? at : null
  const next = { ...region, twins, maskedAt }
  if (seen === undefined) return next
  const { preview, share } = seen
  return { ...next, preview, share, confirmedAt: at, maskedVisits: 0 }
}

function freshRegion(key: number): NoiseRegion {
  const counts = { confirmedAt: 0, maskedVisits: 0, visits: 0, differed: 0, share: 0 }
  const flags = { isRestored: false, isWarned: false }
  return { key, twins: '', maskedAt: null, ...counts, preview: '', ...flags }
}

/** An expired region starts again: it needs two new twins, as if it had never been noise. */
function unexpired(region: NoiseRegion, at: number): NoiseRegion {
  if (region.maskedAt === null || isMasked(region, at)) return region
  return { ...freshRegion(region.key), preview: region.preview, share: region.share }
}

/** Regions that fewer bits no longer tell apart become one; what a person restored stays restored. */
function foldRegions(regions: readonly NoiseRegion[], bits: number): NoiseRegion[] {
  const folded = new Map<number, NoiseRegion>()
  for (const region of regions) {
    const key = region.key & ((1 << bits) - 1)
    const other = folded.get(key)
    if (other === undefined) folded.set(key, { ...region, key })
    else if (region.isRestored || other.isRestored) {
      folded.set(key, { ...other, maskedAt: null, isRestored: true })
    } else if (other.maskedAt === null) folded.set(key, { ...region, key })
  }
  return [...folded.values()]
}

export function isMasked(region: NoiseRegion, now: number): boolean {
  const { maskedAt, isRestored, maskedVisits } = region
  if (maskedAt === null || isRestored) return false
  return now <= expiresAt(region) && maskedVisits < MASKED_VISITS_MOST
}

/** When a mask that no further twin confirms ends at the latest. */
export const expiresAt = ({ confirmedAt }: NoiseRegion): number => confirmedAt + EXPIRES_MS

/** Null when nothing is ignored at this moment. */
export function maskAt(noise: LearntNoise | null, now: number): NoiseMask | null {
  const masked = noise?.regions.filter((region) => isMasked(region, now)) ?? []
  if (noise === null || masked.length === 0) return null
  const share = masked.reduce((sum, region) => sum + region.share, 0)
  return { bits: noise.bits, keys: new Set(masked.map(({ key }) => key)), share }
}

/** Another twin would decide whether some region is noise. */
export function isUndecided(noise: LearntNoise | null): boolean {
  const regions = noise?.regions ?? []
  return regions.some(({ twins, maskedAt, isRestored }) => {
    return maskedAt === null && !isRestored && twins.length < RECENT_TWINS && twins.includes('d')
  })
}

/** Counts a visit that was judged with a mask: how often each ignored region differed. */
export function countMaskedVisit(
  noise: LearntNoise,
  [before, after]: readonly [Sketch, Sketch],
  at: number,
): LearntNoise {
  const placesOf = (sketch: Sketch) =>
    new Map(foldNodes(sketch.nodes, noise.bits).map((node) => [node.key, node]))
  const [old, fresh] = [placesOf(before), placesOf(after)]
  const regions = noise.regions.map((region) => {
    if (!isMasked(region, at)) return region
    const [was, is] = [old.get(region.key), fresh.get(region.key)]
    const isAbsent = was === undefined && is === undefined
    const isWhole = before.kind === 'binary' && before.digest !== after.digest
    const hasDiffered = isWhole || (!isAbsent && !isSameNode(was, is))
    const one = hasDiffered ? 1 : 0
    return withWarning({
      ...region,
      visits: region.visits + 1,
      differed: region.differed + one,
      maskedVisits: region.maskedVisits + one,
    })
  })
  return { ...noise, regions }
}

function withWarning(region: NoiseRegion): NoiseRegion {
  const { visits, differed, share } = region
  const isOften = visits >= WARNING_VISITS_LEAST && differed > WARNING_DIFFERED * visits
  return { ...region, isWarned: region.isWarned || (isOften && share > WARNING_SHARE) }
}

/** Ignored regions that hold much of the page and hardly ever stand still: they may be its content. */
export function warnedRegions(noise: LearntNoise | null, now: number): NoiseRegion[] {
  return noise?.regions.filter((region) => region.isWarned && isMasked(region, now)) ?? []
}

/** "Not noise": the region counts from now on and is never masked again. Null: there is no such region. */
export function restoreRegion(noise: LearntNoise, key: number): LearntNoise | null {
  const region = noise.regions.find((one) => one.key === key)
  if (region === undefined) return null
  const restored = { ...region, maskedAt: null, isRestored: true, isWarned: false }
  return { ...noise, regions: noise.regions.map((one) => (one === region ? restored : one)) }
}

/** What people restored is their word and stays. */
export function forgetNoise(noise: LearntNoise): LearntNoise {
  return { ...noise, twins: 0, regions: noise.regions.filter(({ isRestored }) => isRestored) }
}

export function encodeNoise(noise: LearntNoise): string {
  return JSON.stringify({ version: VERSION, ...noise })
}

export function decodeNoise(text: string): LearntNoise {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new BadSketch('its noise is not JSON', error)
  }
  const noise = value as Partial<Record<keyof LearntNoise | 'version', unknown>> | null
  if (noise?.version !== VERSION) throw new BadSketch('its noise is of another version')
  const { bits, twins, regions } = noise
  if (!isCount(bits) || !isCount(twins) || !Array.isArray(regions) || !regions.every(isRegion)) {
    throw new BadSketch('its noise lacks a part')
  }
  return { bits, twins, regions }
}

function isRegion(value: unknown): value is NoiseRegion {
  if (typeof value !== 'object' || value === null) return false
  const region = value as Record<keyof NoiseRegion, unknown>
  const counts = [region.key, region.confirmedAt, region.maskedVisits, region.visits]
  if (![...counts, region.differed].every(isCount) || typeof region.share !== 'number') return false
  if (typeof region.twins !== 'string' || typeof region.preview !== 'string') return false
  if (typeof region.isRestored !== 'boolean' || typeof region.isWarned !== 'boolean') return false
  return region.maskedAt === null || isCount(region.maskedAt)
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
