/** The difference of two versions of a page for people: block by block, and word by word inside. */
import { alignBlocks, type AlignedText, type BlockPair } from './align-blocks.ts'
import { compareSketches } from './compare.ts'
import { factsOf } from './hash.ts'
import { ignoredPlaces, type NoiseMask } from './noise-mask.ts'
import type { PageBody } from './page-body.ts'
import type { TextPart } from './page-parts.ts'
import type { Selectors } from './selectors.ts'
import { foldNodes, sketchPage, type Sketch } from './sketch.ts'
import { diffWords, type WordRun } from './word-diff.ts'

export interface DiffBlock {
  kind: 'same' | 'added' | 'removed' | 'moved' | 'edited'
  before?: string
  after?: string
  /** Of an edited block. */
  words?: WordRun[]
  /** It differs in a region that is ignored as noise, and does not count. */
  isIgnored?: true
}

export interface PageDiff {
  changed: boolean
  visual: number
  structural: number
  content: number
  magnitude: number
  reasons: string[]
  blocks: DiffBlock[]
  /** Only this many blocks of a version were compared; the figures are of the whole. */
  truncatedAt?: number
}

export interface DiffOptions {
  selectors: Selectors
  mask?: NoiseMask | null
}

/** More than anyone reads. */
const MOST_BLOCKS = 20_000

export function diffPages(before: PageBody, after: PageBody, options: DiffOptions): PageDiff {
  const [old, fresh] = [readBlocks(before, options), readBlocks(after, options)]
  const { mask = null } = options
  const change = compareSketches(old.sketch, fresh.sketch, { mask, threshold: 0 })
  const isIgnored = ignoredIn(old.sketch, fresh.sketch, mask)
  const blocks = alignBlocks(old.texts, fresh.texts).flatMap((pair) =>
    shownBlock(pair, [old, fresh], isIgnored),
  )
  const { changed, visual, structural, content, magnitude, reasons } = change
  const diff = { changed, visual, structural, content, magnitude, reasons, blocks }
  return old.isCut || fresh.isCut ? { ...diff, truncatedAt: MOST_BLOCKS } : diff
}

/** Whether a place does not count between these two versions. */
function ignoredIn(
  before: Sketch,
  after: Sketch,
  mask: NoiseMask | null,
): (place: number) => boolean {
  if (mask === null) return () => false
  const bits = Math.min(before.placeBits, after.placeBits, mask.bits)
  const nodes = [foldNodes(before.nodes, bits), foldNodes(after.nodes, bits)] as const
  const ignored = ignoredPlaces(mask, { bits, before, after }, nodes)
  return (place) => ignored.has(place & ((1 << bits) - 1))
}

interface ReadBlock extends AlignedText {
  kind: TextPart['kind']
  place: number
  raw: string
}

interface ReadPage {
  sketch: Sketch
  texts: ReadBlock[]
  isCut: boolean
}

function readBlocks(page: PageBody, { selectors }: DiffOptions): ReadPage {
  const texts: ReadBlock[] = []
  let isCut = false
  const sketch = sketchPage(page, selectors, ({ kind, place, raw, text }, hash) => {
    if (texts.length >= MOST_BLOCKS) isCut = true
    else texts.push({ kind, place, raw, hash, ...alikeFacts(text) })
  })
  return { sketch, texts, isCut }
}

function alikeFacts(text: string): { simhash: number; words: number } {
  const { simhash, words } = factsOf(text)
  return { simhash, words }
}

/** Targets and pictures are shown where they differ; where they do not, they would hide the text. */
function shownBlock(
  pair: BlockPair,
  [old, fresh]: readonly [ReadPage, ReadPage],
  isIgnored: (place: number) => boolean,
): DiffBlock[] {
  const before = pair.before === null ? null : old.texts[pair.before]!
  const after = pair.after === null ? null : fresh.texts[pair.after]!
  const isText = (after ?? before)?.kind === 'text'
  if (!isText && (pair.kind === 'same' || pair.kind === 'moved')) return []
  const block: DiffBlock = { kind: pair.kind }
  if (before !== null) block.before = shownText(before)
  if (after !== null) block.after = shownText(after)
  if (pair.kind === 'edited') block.words = diffWords(block.before ?? '', block.after ?? '')
  const sides = [before, after].filter((side) => side !== null)
  if (pair.kind !== 'same' && sides.every(({ place }) => isIgnored(place))) block.isIgnored = true
  return [block]
}

function shownText({ kind, raw }: ReadBlock): string {
  if (kind === 'link') return `→ ${raw}`
  return kind === 'image' ? `[${raw}]` : raw
}
