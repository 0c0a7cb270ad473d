/**
 * What a double fetch (a "twin") shows: the page was requested twice within seconds, and the regions that
 * differ may be noise. Only a region that showed something else instead of what it had speaks for noise.
 * One that grew, shrank, or kept most of its texts speaks neither for nor against it: new sentences and
 * new list items are what people watch for, and an edit may fall between the two fetches by accident.
 */
import { isSameNode } from './noise-mask.ts'
import type { PageBody } from './page-body.ts'
import type { TextPart } from './page-parts.ts'
import type { Selectors } from './selectors.ts'
import { foldNodes, sketchPage, type SketchNode, type Sketch } from './sketch.ts'

export interface ReplacedRegion {
  key: number
  /** The beginning of what the region showed last, for people; empty where it has no text. */
  preview: string
  /** The share of the words of the page that it holds. */
  share: number
}

export interface TwinEvidence {
  /** Regions are distinguished by this many bits of their key. */
  bits: number
  replaced: ReplacedRegion[]
  /** Keys of regions that differ in a way that proves nothing. All others stood still. */
  unclear: number[]
}

/** A binary has no places; its only region is all of it. */
const WHOLE = 0
const PREVIEW_CHARS = 120

/** A twin with the very same bytes. */
export const STILL_TWIN: TwinEvidence = { bits: 16, replaced: [], unclear: [] }

/** Null when the two cannot be compared: a document became another kind of document. */
export function twinEvidence(
  first: PageBody,
  second: PageBody,
  selectors: Selectors,
): TwinEvidence | null {
  const [before, after] = [readRegions(first, selectors), readRegions(second, selectors)]
  if (before.sketch.kind !== after.sketch.kind) return null
  const bits = Math.min(before.sketch.placeBits, after.sketch.placeBits)
  if (before.sketch.kind === 'binary') {
    const isSame = before.sketch.digest === after.sketch.digest
    return { bits, replaced: isSame ? [] : [{ key: WHOLE, preview: '', share: 1 }], unclear: [] }
  }
  return compareRegions(before, after, bits)
}

interface ReadRegions {
  sketch: Sketch
  parts: readonly TextPart[]
}

function readRegions(page: PageBody, selectors: Selectors): ReadRegions {
  const parts: TextPart[] = []
  const sketch = sketchPage(page, selectors, (part) => parts.push(part))
  return { sketch, parts }
}

interface Region {
  node: SketchNode | undefined
  parts: readonly TextPart[]
}

function compareRegions(before: ReadRegions, after: ReadRegions, bits: number): TwinEvidence {
  const regionsBefore = regionsOf(before, bits)
  const regionsAfter = regionsOf(after, bits)
  const keys = new Set([...regionsBefore.keys(), ...regionsAfter.keys()])
  const words = after.sketch.nodes.reduce((sum, { text }) => sum + text, 0)
  const swapped = swappedKeys(regionsBefore, regionsAfter)
  const evidence: TwinEvidence = { bits, replaced: [], unclear: [] }
  for (const key of keys) {
    const [old, fresh] = [regionsBefore.get(key), regionsAfter.get(key)]
    if (isSameNode(old?.node, fresh?.node)) continue
    const isReplaced =
      old === undefined || fresh === undefined ? swapped.has(key) : showsSomethingElse(old, fresh)
    if (isReplaced) {
      const share = (fresh?.node?.text ?? 0) / Math.max(1, words)
      evidence.replaced.push({ key, preview: previewOf(old, fresh), share })
    } else evidence.unclear.push(key)
  }
  return evidence
}

function regionsOf({ sketch, parts }: ReadRegions, bits: number): Map<number, Region> {
  const byKey = Map.groupBy(parts, ({ place }) => place & ((1 << bits) - 1))
  return new Map(
    foldNodes(sketch.nodes, bits).map((node) => [
      node.key,
      { node, parts: byKey.get(node.key) ?? [] },
    ]),
  )
}

/** Inside one box a place went and another came: a slot that shows a text now and a picture then. */
function swappedKeys(before: Map<number, Region>, after: Map<number, Region>): Set<number> {
  const onlyIn = (one: Map<number, Region>, other: Map<number, Region>): SketchNode[] =>
    [...one].flatMap(([key, { node }]) => (other.has(key) || node === undefined ? [] : [node]))
  const [gone, come] = [onlyIn(before, after), onlyIn(after, before)]
  const goneFrom = new Set(gone.map(({ parent }) => parent))
  const comeTo = new Set(come.map(({ parent }) => parent))
  const both = [...gone, ...come].filter(({ parent }) => goneFrom.has(parent) && comeTo.has(parent))
  return new Set(both.map(({ key }) => key))
}

const textsOf = ({ parts }: Region): string[] => parts.map(({ kind, text }) => `${kind} ${text}`)

function showsSomethingElse(before: Region, after: Region): boolean {
  const [old, fresh] = [textsOf(before), textsOf(after)]
  const [gone, come] = [without(old, fresh), without(fresh, old)]
  if (gone.length === 0 && come.length === 0) return isRedressed(before.node, after.node)
  if (gone.length === 0 || come.length === 0) return false
  const kept = old.length - gone.length
  const isMostlyKept = 2 * kept > Math.max(old.length, fresh.length)
  if (isMostlyKept || isShifted(old, fresh, kept)) return false
  return !come.some((text) => gone.some((former) => isExtended(former, text)))
}

/** The same texts and as many elements in other clothes, as a slot whose class is drawn by lot. */
function isRedressed(before: SketchNode | undefined, after: SketchNode | undefined): boolean {
  const isSameTree = before?.shape === after?.shape && before?.itemSum === after?.itemSum
  return isSameTree && before?.lookSum !== after?.lookSum
}

/** The texts of the first list that the second has fewer of. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const text of other) left.set(text, (left.get(text) ?? 0) + 1)
  return list.filter((text) => {
    const known = left.get(text) ?? 0
    left.set(text, known - 1)
    return known <= 0
  })
}

/** A list of the latest items: new ones come in at one end, old ones leave at the other. */
function isShifted(before: readonly string[], after: readonly string[], kept: number): boolean {
  if (kept === 0) return false
  const isNewestFirst = isEqual(before.slice(0, kept), after.slice(-kept))
  return isNewestFirst || isEqual(before.slice(-kept), after.slice(0, kept))
}

function isEqual(first: readonly string[], second: readonly string[]): boolean {
  return first.every((text, index) => text === second[index])
}

/** All words of the first text stand in the second in their order, and there are more. */
function isExtended(before: string, after: string): boolean {
  const [old, fresh] = [before.split(' '), after.split(' ')]
  if (old.length < 2 || fresh.length <= old.length) return false
  let next = 0
  for (const word of fresh) if (word === old[next]) next += 1
  return next === old.length
}

function previewOf(before: Region | undefined, after: Region | undefined): string {
  const old = before === undefined ? [] : textsOf(before)
  const parts = after?.parts.length ? after.parts : (before?.parts ?? [])
  const differing = parts.find(({ kind, text }) => !old.includes(`${kind} ${text}`))
  const raw = (differing ?? parts[0])?.raw ?? ''
  return raw.length <= PREVIEW_CHARS ? raw : `${raw.slice(0, PREVIEW_CHARS).toWellFormed()}…`
}
