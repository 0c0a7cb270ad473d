/** A few words of a text around what was asked for, with the places to be marked. */
import type { MarkedText } from '@minga/protocol'
import type { TextQuery, TextTerm } from './text-query.ts'
import { wordsOf, type Word } from './words.ts'

const WORDS_SHOWN = 36
/** Words before the first mark: enough to see what it is about. */
const WORDS_BEFORE = 8
/** Of a text whose words are very long. */
const LETTERS_SHOWN = 400

/** The passage with the most different terms; the first of equals; the beginning when there is none. */
export function snippetOf(text: string, { wanted }: TextQuery): MarkedText {
  const words = [...wordsOf(text)]
  const found = matchesIn(words, wanted)
  const first = bestStart(found)
  const from = Math.max(0, first - WORDS_BEFORE)
  const shown = words.slice(from, from + WORDS_SHOWN)
  const start = from === 0 ? 0 : (shown[0]?.from ?? 0)
  const isWhole = from + WORDS_SHOWN >= words.length
  const end = Math.min(start + LETTERS_SHOWN, isWhole ? text.length : (shown.at(-1)?.to ?? 0))
  const inside = found
    .map((match) => [words[match.first]!.from, words[match.last]!.to] as const)
    .filter(([at, to]) => at >= start && to <= end)
  const before = start > 0 ? '… ' : ''
  const moved = inside.map(([at, to]): [number, number] => {
    return [at - start + before.length, to - start + before.length]
  })
  const shownText = `${before}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
  return { text: shownText, marks: withoutOverlaps(moved) }
}

/** Everything that was asked for in a short text, such as a title. */
export function markedIn(text: string, { wanted }: TextQuery): MarkedText {
  const words = [...wordsOf(text)]
  const marks = matchesIn(words, wanted).map(({ first, last }): [number, number] => {
    return [words[first]!.from, words[last]!.to]
  })
  return { text, marks: withoutOverlaps(marks) }
}

interface Match {
  /** Places in the list of words, both included. */
  first: number
  last: number
  term: number
}

function matchesIn(words: readonly Word[], terms: readonly TextTerm[]): Match[] {
  const found: Match[] = []
  for (let first = 0; first < words.length; first++) {
    terms.forEach((term, i) => {
      if (isAt(words, first, term))
        found.push({ first, last: first + term.words.length - 1, term: i })
    })
  }
  return found
}

function isAt(
  words: readonly Word[],
  first: number,
  { words: asked, isPrefix }: TextTerm,
): boolean {
  return asked.every((word, i) => {
    const here = words[first + i]?.folded
    const isOpen = isPrefix && i === asked.length - 1
    return isOpen ? here?.startsWith(word) === true : here === word
  })
}

/** Matches are in the order of the text: two hands walk over them once. */
function bestStart(found: readonly Match[]): number {
  let best = { first: found[0]?.first ?? 0, terms: 0 }
  const inside = new Map<number, number>()
  let end = 0
  for (const { first, term } of found) {
    while (end < found.length && found[end]!.first < first + WORDS_SHOWN - WORDS_BEFORE) {
      const next = found[end++]!
      inside.set(next.term, (inside.get(next.term) ?? 0) + 1)
    }
    if (inside.size > best.terms) best = { first, terms: inside.size }
    const left = inside.get(term)! - 1
    if (left === 0) inside.delete(term)
    else inside.set(term, left)
  }
  return best.first
}

function withoutOverlaps(marks: readonly [number, number][]): [number, number][] {
  const kept: [number, number][] = []
  for (const [from, to] of marks) {
    const last = kept.at(-1)
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else kept.push([from, to])
  }
  return kept
}
