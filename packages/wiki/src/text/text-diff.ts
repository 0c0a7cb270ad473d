/**
 * What changed between two texts: lines first, then sentences, then tokens; a line that only moved
 * is marked as moved.
 */
import { commonSubsequence, newWork, type Work } from './common-subsequence.ts'
import { sentencesOf, tokenise, tokensAndSpaces } from './tokenise.ts'

/** `moved-from` stands where a line was, `moved-to` where it is now. */
export type DiffKind = 'same' | 'removed' | 'added' | 'moved-from' | 'moved-to'

export interface DiffPart {
  kind: DiffKind
  text: string
}

export interface TextDiff {
  /** Joined together, all but `added` and `moved-to` are the text before, all but `removed` and `moved-from` the text after. */
  parts: DiffPart[]
  /** Numbers of tokens, white space left out. */
  tokens: { same: number; removed: number; added: number; moved: number }
}

/** Shorter lines, such as the end of a template, are everywhere; that one "moved" says nothing. */
const MOVED_TOKENS_LEAST = 3

export function diffTexts(before: string, after: string): TextDiff {
  const diff: Diff = { parts: [], work: newWork() }
  diffLines(linesOf(before), linesOf(after), diff)
  const merged = mergedParts(diff.parts)
  const count = (kind: DiffKind): number =>
    merged.reduce((sum, part) => sum + (part.kind === kind ? tokenise(part.text).length : 0), 0)
  const tokens = { same: count('same'), removed: count('removed'), added: count('added') }
  return { parts: merged, tokens: { ...tokens, moved: count('moved-to') } }
}

/** What was found so far, and what finding the rest may cost. */
interface Diff {
  parts: DiffPart[]
  work: Work
}

/** With their ends, so that nothing is lost between them. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function diffLines(before: readonly string[], after: readonly string[], diff: Diff): void {
  const stretches = stretchesOf({ before, after }, diff.work)
  const moves = movesIn(stretches)
  for (const stretch of stretches) {
    if (typeof stretch === 'string') diff.parts.push({ kind: 'same', text: stretch })
    else diffGap(stretch, moves, diff)
  }
}

interface Gap {
  before: readonly string[]
  after: readonly string[]
}

/** Items that stay, and between them what differs. */
function stretchesOf({ before, after }: Gap, work: Work): (string | Gap)[] {
  const stretches: (string | Gap)[] = []
  const numbers = new Map<string, number>()
  const [a, b] = [numbered(before, numbers), numbered(after, numbers)]
  let [i, j] = [0, 0]
  const common = commonSubsequence(a, b, work)
  for (const [atI, atJ] of [...common, [before.length, after.length] as const]) {
    if (atI > i || atJ > j)
      stretches.push({ before: before.slice(i, atI), after: after.slice(j, atJ) })
    if (atI < before.length) stretches.push(before[atI]!)
    i = atI + 1
    j = atJ + 1
  }
  return stretches
}

function numbered(items: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(items, (item) => {
    const number = numbers.get(item) ?? numbers.size
    numbers.set(item, number)
    return number
  })
}

/** How many lines of each text are still to be marked as moved, on either side. */
interface Moves {
  from: Map<string, number>
  to: Map<string, number>
}

function movesIn(stretches: readonly (string | Gap)[]): Moves {
  const gaps = stretches.filter((stretch) => typeof stretch !== 'string')
  const [gone, come] = [
    countsOf(gaps.flatMap((g) => g.before)),
    countsOf(gaps.flatMap((g) => g.after)),
  ]
  const both = [...gone].flatMap(([line, n]): [string, number][] => {
    const moved = Math.min(n, come.get(line) ?? 0)
    return moved > 0 && tokenise(line).length >= MOVED_TOKENS_LEAST ? [[line, moved]] : []
  })
  return { from: new Map(both), to: new Map(both) }
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** Moved lines cut a gap into runs; the runs of both sides are compared in their order. */
function diffGap(gap: Gap, moves: Moves, diff: Diff): void {
  const { parts } = diff
  const [before, after] = [runsOf(gap.before, moves.from), runsOf(gap.after, moves.to)]
  for (let i = 0; i < Math.max(before.length, after.length); i += 1) {
    diffSentences(before[i]?.lines ?? [], after[i]?.lines ?? [], diff)
    if (before[i]?.moved !== undefined) parts.push({ kind: 'moved-from', text: before[i]!.moved! })
    if (after[i]?.moved !== undefined) parts.push({ kind: 'moved-to', text: after[i]!.moved! })
  }
}

interface Run {
  lines: string[]
  /** The moved line that ends it. */
  moved?: string
}

function runsOf(lines: readonly string[], left: Map<string, number>): Run[] {
  const runs: Run[] = [{ lines: [] }]
  for (const line of lines) {
    const run = runs.at(-1)!
    const moves = left.get(line) ?? 0
    if (moves === 0) {
      run.lines.push(line)
      continue
    }
    left.set(line, moves - 1)
    run.moved = line
    runs.push({ lines: [] })
  }
  return runs
}

function diffSentences(before: readonly string[], after: readonly string[], diff: Diff): void {
  const gap = { before: before.flatMap(sentencesOf), after: after.flatMap(sentencesOf) }
  for (const stretch of stretchesOf(gap, diff.work)) {
    if (typeof stretch === 'string') diff.parts.push({ kind: 'same', text: stretch })
    else diffTokens(stretch, diff)
  }
}

function diffTokens({ before, after }: Gap, { parts, work }: Diff): void {
  const gap = {
    before: tokensAndSpaces(before.join('')),
    after: tokensAndSpaces(after.join('')),
  }
  for (const stretch of stretchesOf(gap, work)) {
    if (typeof stretch === 'string') parts.push({ kind: 'same', text: stretch })
    else {
      parts.push({ kind: 'removed', text: stretch.before.join('') })
      parts.push({ kind: 'added', text: stretch.after.join('') })
    }
  }
}

function mergedParts(parts: readonly DiffPart[]): DiffPart[] {
  const merged: DiffPart[] = []
  for (const { kind, text } of parts) {
    if (text === '') continue
    const last = merged.at(-1)
    if (last?.kind === kind) last.text += text
    else merged.push({ kind, text })
  }
  return merged
}
