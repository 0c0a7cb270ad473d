import { BadPattern } from './errors.ts'
import { CHARACTERS, parsePattern, type PatternNode } from './pattern-syntax.ts'

/**
 * Regular expressions that people write and web sites then choose the input of.
 *
 * JavaScript's engine backtracks: `/.*` + `/.*` + `\.html` takes minutes on a URL of eight thousand
 * slashes, which any site can link to. This one walks all alternatives at once (Thompson 1968) and
 * remembers the sets of places it has been in as the states of a machine: one table look-up per
 * character once warm, and never more than length × size of the pattern.
 */

/** Longer ones are generated lists, which belong in the seeds. */
const MAX_PATTERN_CHARS = 1_000
/** Counted repeats are written out, so `(a{50}){50}` would be 2,500 places. */
const MAX_PLACES = 2_000
/** 1 KiB each. Beyond, the machine forgets and learns anew, which is slower but never wrong. */
const MAX_STATES = 1_000

export interface UrlPattern {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
}

/** Compiles a pattern over whole URLs, or throws `BadPattern` saying what to change. */
export function compileUrlPattern(pattern: string): UrlPattern {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new BadPattern(pattern, `it is longer than ${MAX_PATTERN_CHARS} characters`)
  }
  if (!isRegularExpression(pattern)) {
    throw new BadPattern(pattern, 'it is not a regular expression; check its brackets and escapes')
  }
  const tree = parsePattern(pattern)
  if (hasNestedRepeats(tree)) {
    throw new BadPattern(pattern, 'it has a repeat inside a repeat; write it without nesting')
  }
  return new Machine(tree, pattern)
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

/**
 * `(a+)+` would do no harm here, but it is always a mistake, and the same pattern hangs every
 * backtracking engine that its author or another station may give it to.
 */
function hasNestedRepeats(node: PatternNode): boolean {
  if (node.type === 'repeat' && node.most === Infinity && varies(node.body)) return true
  return childrenOf(node).some(hasNestedRepeats)
}

function varies(node: PatternNode): boolean {
  return (node.type === 'repeat' && node.least !== node.most) || childrenOf(node).some(varies)
}

function childrenOf(node: PatternNode): PatternNode[] {
  switch (node.type) {
    case 'sequence':
      return node.parts
    case 'choice':
      return node.options
    case 'repeat':
      return [node.body]
    default:
      return []
  }
}

/** A place in the pattern. Characters are read at `set`; the others are passed without reading. */
interface Place {
  set: Uint8Array | null
  only: 'start' | 'end' | null
  next: number[]
}

const MATCHED = 0

interface State {
  places: number[]
  matched: boolean
  matchedAtEnd: boolean
  next: (State | undefined)[]
}

class Machine implements UrlPattern {
  readonly #places: Place[] = [{ set: null, only: null, next: [] }]
  readonly #entry: number
  readonly #pattern: string
  readonly #states = new Map<string, State>()
  #first: State

  constructor(tree: PatternNode, pattern: string) {
    this.#pattern = pattern
    this.#entry = this.#build(tree, MATCHED)
    this.#first = this.#stateAt([this.#entry], true)
  }

  test(text: string): boolean {
    let state = this.#first
    for (let i = 0; i < text.length; i++) {
      if (state.matched) return true
      const code = Math.min(text.charCodeAt(i), CHARACTERS - 1)
      state = state.next[code] ?? this.#step(state, code)
    }
    return state.matched || state.matchedAtEnd
  }

  /** Adds the places of a node that go on at `next`; returns where they begin. */
  #build(node: PatternNode, next: number): number {
    switch (node.type) {
      case 'characters':
        return this.#place({ set: node.set, only: null, next: [next] })
      case 'start':
      case 'end':
        return this.#place({ set: null, only: node.type, next: [next] })
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.#build(part, after), next)
      case 'choice': {
        const starts = node.options.map((option) => this.#build(option, next))
        return this.#place({ set: null, only: null, next: starts })
      }
      case 'repeat':
        return this.#buildRepeat(node, next)
    }
  }

  #buildRepeat(node: PatternNode & { type: 'repeat' }, next: number): number {
    let start = next
    if (node.most === Infinity) {
      start = this.#place({ set: null, only: null, next: [next] })
      this.#places[start]?.next.push(this.#build(node.body, start))
    } else {
      for (let i = node.least; i < node.most; i++) {
        start = this.#place({ set: null, only: null, next: [next, this.#build(node.body, start)] })
      }
    }
    for (let i = 0; i < node.least; i++) start = this.#build(node.body, start)
    return start
  }

  #place(place: Place): number {
    if (this.#places.length >= MAX_PLACES) {
      throw new BadPattern(this.#pattern, 'its counted repeats multiply; use smaller counts')
    }
    return this.#places.push(place) - 1
  }

  #step(state: State, code: number): State {
    const reached: number[] = []
    for (const index of state.places) {
      const place = this.#places[index]
      if (place?.set?.[code] === 1) reached.push(...place.next)
    }
    // The pattern may begin at any character.
    reached.push(this.#entry)
    const next = this.#stateAt(reached, false)
    state.next[code] = next
    return next
  }

  #stateAt(starts: number[], atStart: boolean): State {
    const places = this.#passedFrom(starts, { atStart, atEnd: false })
    // `$^` tells the start of the text from other places even where the places are the same.
    const key = (atStart ? '^' : '') + places.join()
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= MAX_STATES) this.#forget()
    const atEnd = this.#passedFrom(starts, { atStart, atEnd: true })
    const state: State = {
      places,
      matched: places.includes(MATCHED),
      matchedAtEnd: atEnd.includes(MATCHED),
      next: Array.from({ length: CHARACTERS }),
    }
    this.#states.set(key, state)
    return state
  }

  #forget(): void {
    this.#states.clear()
    // The first state would otherwise keep all that were reached from it.
    this.#first = { ...this.#first, next: Array.from({ length: CHARACTERS }) }
  }

  /** All places that are reached without reading a character, in order. */
  #passedFrom(starts: number[], at: { atStart: boolean; atEnd: boolean }): number[] {
    const seen = new Set<number>()
    const waiting = [...starts]
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (seen.has(index)) continue
      seen.add(index)
      const place = this.#places[index]
      if (!place || place.set !== null) continue
      if (place.only === 'start' && !at.atStart) continue
      if (place.only === 'end' && !at.atEnd) continue
      waiting.push(...place.next)
    }
    return [...seen].toSorted((a, b) => a - b)
  }
}
