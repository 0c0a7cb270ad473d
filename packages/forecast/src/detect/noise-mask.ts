/**
 * Noise learnt from double fetches: a page is fetched twice in immediate succession, and the places
 * that differ are those that change by themselves (rotating teasers, random banners). A place is
 * forgotten after `FORGOTTEN_AFTER` double fetches in which it stood still.
 */
import { BadSketch } from './errors.ts'
import { foldPlaces, PLACE_BITS, type Place, type Sketch } from './sketch.ts'

export interface NoiseMask {
  /** Places are told apart by this many bits, as few as any sketch seen had. */
  bits: number
  /** How many double fetches were seen. */
  trials: number
  /** Place → the trial in which it last differed. */
  places: Map<number, number>
  /** The trials in a row, up to the last, in which nearly the whole text differed. */
  restless: number
}

/** `quiet`: nothing differs by itself; `partly`: some places do; `restless`: the page never stands still. */
export type NoiseClass = 'quiet' | 'partly' | 'restless'

const FORGOTTEN_AFTER = 5
/** Above, what is left of the page is a frame around noise. */
const RESTLESS_SHARE = 0.8
/** Pictures come in links in frames. */
const DEEPEST_STRAY = 4
const VERSION = 1

export function learnNoise(mask: NoiseMask | null, first: Sketch, second: Sketch): NoiseMask {
  const bits = Math.min(mask?.bits ?? PLACE_BITS, first.placeBits, second.placeBits)
  const trials = (mask?.trials ?? 0) + 1
  const places = new Map<number, number>()
  for (const [key, trial] of mask?.places ?? []) {
    const folded = key & ((1 << bits) - 1)
    if (trials - trial < FORGOTTEN_AFTER) {
      places.set(folded, Math.max(trial, places.get(folded) ?? 0))
    }
  }
  const differing = differingPlaces(first, second, bits)
  for (const key of differing) places.set(key, trials)
  const isRestless =
    first.kind === 'binary' || second.kind === 'binary'
      ? first.digest !== second.digest
      : shareOf(second, differing, bits) > RESTLESS_SHARE
  return { bits, trials, places, restless: isRestless ? (mask?.restless ?? 0) + 1 : 0 }
}

export function noiseClassOf(mask: NoiseMask | null): NoiseClass {
  if (mask === null || (mask.places.size === 0 && mask.restless === 0)) return 'quiet'
  return mask.restless > 0 ? 'restless' : 'partly'
}

/** Which of these places are noise; `bits` is how finely the places were told apart. */
export function maskedKeys(mask: NoiseMask | null, bits: number): Set<number> {
  return new Set([...(mask?.places.keys() ?? [])].map((key) => key & ((1 << bits) - 1)))
}

/**
 * Noise of another shape, as the picture in a slot that showed none when its noise was learnt. A place is
 * noise too when it has no text of its own and all places inside it are noise; and when only one version
 * has it and all that stands beside it is noise.
 */
export function withStrayPlaces(
  masked: Set<number>,
  before: readonly Place[],
  after: readonly Place[],
): Set<number> {
  if (masked.size === 0) return masked
  const inBefore = new Map(before.map((place) => [place.key, place]))
  const inAfter = new Map(after.map((place) => [place.key, place]))
  const all = new Set(masked)
  const children = Map.groupBy(
    before.filter(({ key }) => inAfter.has(key)),
    ({ parent }) => parent,
  )
  const isAllNoise = (parent: number): boolean =>
    children.get(parent)?.every(({ key }) => all.has(key)) ?? false
  for (let depth = 0; depth < DEEPEST_STRAY; depth++) {
    for (const { key, parent, text } of [...before, ...after]) {
      const isStray = !inBefore.has(key) || !inAfter.has(key)
      const isBox = !isStray && text === 0 && isAllNoise(key)
      if (isBox || (isStray && (all.has(parent) || isAllNoise(parent)))) all.add(key)
    }
  }
  return all
}

function differingPlaces(first: Sketch, second: Sketch, bits: number): Set<number> {
  const before = new Map(foldPlaces(first.places, bits).map((place) => [place.key, place]))
  const after = new Map(foldPlaces(second.places, bits).map((place) => [place.key, place]))
  const keys = new Set([...before.keys(), ...after.keys()])
  return new Set([...keys].filter((key) => !isSamePlace(before.get(key), after.get(key))))
}

export function isSamePlace(first: Place | undefined, second: Place | undefined): boolean {
  if (first === undefined || second === undefined) return false
  const isSameText = first.textSum === second.textSum && first.itemSum === second.itemSum
  return isSameText && first.shapeSum === second.shapeSum && first.lookSum === second.lookSum
}

function shareOf(sketch: Sketch, keys: Set<number>, bits: number): number {
  const places = foldPlaces(sketch.places, bits)
  const all = places.reduce((sum, { text }) => sum + text, 0)
  const within = places.filter(({ key }) => keys.has(key)).reduce((sum, { text }) => sum + text, 0)
  return all === 0 ? 0 : within / all
}

export function encodeMask(mask: NoiseMask): string {
  const { bits, trials, restless } = mask
  return JSON.stringify({ version: VERSION, bits, trials, restless, places: [...mask.places] })
}

export function decodeMask(text: string): NoiseMask {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new BadSketch('its noise is not JSON', error)
  }
  const mask = value as Partial<Record<keyof NoiseMask | 'version', unknown>> | null
  if (mask?.version !== VERSION) throw new BadSketch('its noise is of another version')
  const { bits, trials, restless, places } = mask
  const isPair = (pair: unknown): pair is [number, number] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => Number.isInteger(part))
  if (!isCount(bits) || !isCount(trials) || !isCount(restless) || !Array.isArray(places)) {
    throw new BadSketch('its noise lacks a part')
  }
  return { bits, trials, restless, places: new Map(places.filter(isPair)) }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
