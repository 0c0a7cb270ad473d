import { BadPattern } from '../errors.ts'
import { CHARACTERS, parsePattern, type PatternNode } from './pattern-syntax.ts'

/**
 * Regular expressions that people write and web sites then choose the input of.
 *
 * JavaScript's engine backtracks: `/.*` + `/.*` + `\.html` takes minutes on a URL of eight thousand
 * slashes, which any site can link to. This one walks all alternatives at once (Thompson 1968) and
 * remembers the sets of places it has been in as the states of a machine: one table look-up per
 * character once warm. A state that is new costs one union of bit sets per place that it holds, so
 * that time is linear in the text and bounded for every pattern that is accepted.
 */

/** Longer ones are generated lists, which belong in the seeds. */
const MAX_PATTERN_CHARS = 1_000
/** Counted repeats are written out, so `(a{50}){50}` would be 2,500 places. */
const PLACES_MAX = 300
/** What patterns could have before that limit: collections that exist keep theirs. */
export const STORED_PLACES_MAX = 2_000
/** 1 KiB each. Beyond, the machine forgets and learns again, which is slower but never wrong. */
const MAX_STATES = 1_000
/**
 * A machine that forgets costs a hundred times more per character, and sites choose the characters: a new
 * pattern has all its states and steps within these limits. Ordinary ones have less than a hundred states.
 */
const MAX_STEPS = 10_000

export interface UrlPattern {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
}

/** Compiles a pattern over whole URLs, or throws `BadPattern` saying what to change. */
export function compileUrlPattern(pattern: string, placesMax = PLACES_MAX): UrlPattern {
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
  const places = new PlaceBuilder(pattern, placesMax)
  const machine = new Machine(places.all, places.build(tree, MATCHED))
  if (placesMax === PLACES_MAX && !machine.isSmall()) {
    const problem =
      'too much can be half matched at once; use smaller counts, or write what stands before a repeat more exactly'
    throw new BadPattern(pattern, problem)
  }
  return machine
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

/** Writes a pattern out as places that lead to one another. */
class PlaceBuilder {
  readonly all: Place[] = [{ set: null, only: null, next: [] }]
  readonly #pattern: string
  readonly #most: number

  constructor(pattern: string, most: number) {
    this.#pattern = pattern
    this.#most = most
  }

  /** Adds the places of a node that go on at `next`; returns where they begin. */
  build(node: PatternNode, next: number): number {
    switch (node.type) {
      case 'characters':
        return this.#place({ set: node.set, only: null, next: [next] })
      case 'start':
      case 'end':
        return this.#place({ set: null, only: node.type, next: [next] })
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.build(part, after), next)
      case 'choice': {
        const starts = node.options.map((option) => this.build(option, next))
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
      this.all[start]?.next.push(this.build(node.body, start))
    } else {
      for (let i = node.least; i < node.most; i++) {
        start = this.#place({ set: null, only: null, next: [next, this.build(node.body, start)] })
      }
    }
    for (let i = 0; i < node.least; i++) start = this.build(node.body, start)
    return start
  }

  #place(place: Place): number {
    if (this.all.length >= this.#most) {
      const problem = `it has more than ${this.#most} places, counted repeats written out; use smaller counts or several patterns`
      throw new BadPattern(this.#pattern, problem)
    }
    return this.all.push(place) - 1
  }
}

/** Where one can be: bits of the places that read a character, and whether the pattern has matched. */
interface Reach {
  bits: Uint32Array
  matched: boolean
  matchedAtEnd: boolean
}

interface State extends Reach {
  next: (State | undefined)[]
}

const WORD_BITS = 32

class Machine implements UrlPattern {
  readonly #places: readonly Place[]
  readonly #words: number
  /** By character: its class. All characters of a class are read by the same places. */
  readonly #classes = new Uint8Array(CHARACTERS)
  /** By class: the places that read its characters. */
  readonly #readers: Uint32Array[]
  /** By place: where one is after reading a character there; undefined where none is read. */
  readonly #after: (Reach | undefined)[]
  /** The pattern may begin at any character. */
  readonly #entry: Reach
  readonly #states = new Map<string, State>()
  #first: State

  constructor(places: readonly Place[], entry: number) {
    this.#places = places
    this.#words = Math.ceil(places.length / WORD_BITS)
    this.#readers = this.#classify()
    this.#after = places.map(({ set, next }) =>
      set === null ? undefined : this.#reachFrom(next, false),
    )
    this.#entry = this.#reachFrom([entry], false)
    this.#first = withNext(this.#reachFrom([entry], true))
  }

  test(text: string): boolean {
    let state = this.#first
    for (let i = 0; i < text.length; i++) {
      if (state.matched) return true
      const kind = this.#classes[Math.min(text.charCodeAt(i), CHARACTERS - 1)]!
      state = state.next[kind] ?? this.#step(state, kind)
    }
    return state.matched || state.matchedAtEnd
  }

  /** Whether every text can be read without forgetting. Takes all steps that there are, up to the limit. */
  isSmall(): boolean {
    const known = new Set([this.#first])
    let steps = 0
    for (const state of known) {
      if (state.matched) continue
      for (let kind = 0; kind < this.#readers.length; kind++) {
        if (++steps > MAX_STEPS || this.#states.size >= MAX_STATES) return false
        known.add(this.#step(state, kind))
      }
    }
    return true
  }

  #classify(): Uint32Array[] {
    const byCharacter = Array.from({ length: CHARACTERS }, () => new Uint32Array(this.#words))
    for (const [index, { set }] of this.#places.entries()) {
      set?.forEach((isRead, code) => isRead === 1 && addBit(byCharacter[code]!, index))
    }
    const known = new Map<string, number>()
    const readers: Uint32Array[] = []
    for (const [code, bits] of byCharacter.entries()) {
      const key = bits.join()
      const kind = known.get(key) ?? readers.push(bits) - 1
      known.set(key, kind)
      this.#classes[code] = kind
    }
    return readers
  }

  #step(state: State, kind: number): State {
    const reached = { ...this.#entry, bits: this.#entry.bits.slice() }
    const readers = this.#readers[kind]!
    for (let word = 0; word < this.#words; word++) {
      // The lowest bit is taken off until none is left.
      for (let left = state.bits[word]! & readers[word]!; left !== 0; left &= left - 1) {
        const lowest = WORD_BITS - 1 - Math.clz32(left & -left)
        join(reached, this.#after[word * WORD_BITS + lowest]!)
      }
    }
    const next = this.#stateOf(reached)
    state.next[kind] = next
    return next
  }

  #stateOf(reach: Reach): State {
    const flags = Number(reach.matched) + 2 * Number(reach.matchedAtEnd)
    const key = String.fromCharCode(flags, ...new Uint16Array(reach.bits.buffer))
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= MAX_STATES) this.#forget()
    const state = withNext(reach)
    this.#states.set(key, state)
    return state
  }

  #forget(): void {
    this.#states.clear()
    // The first state would otherwise keep all that were reached from it.
    this.#first = withNext(this.#first)
  }

  #reachFrom(starts: readonly number[], atStart: boolean): Reach {
    const passed = this.#passedFrom(starts, { atStart, atEnd: false })
    const bits = new Uint32Array(this.#words)
    for (const index of passed) if (this.#places[index]!.set !== null) addBit(bits, index)
    const atEnd = this.#passedFrom(starts, { atStart, atEnd: true })
    return { bits, matched: passed.has(MATCHED), matchedAtEnd: atEnd.has(MATCHED) }
  }

  /** All places that are reached without reading a character. */
  #passedFrom(starts: readonly number[], at: { atStart: boolean; atEnd: boolean }): Set<number> {
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
    return seen
  }
}

const withNext = (reach: Reach): State => ({ ...reach, next: [] })

function addBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31)
}

function join(into: Reach, other: Reach): void {
  for (let word = 0; word < into.bits.length; word++) into.bits[word]! |= other.bits[word]!
  into.matched ||= other.matched
  into.matchedAtEnd ||= other.matchedAtEnd
}
