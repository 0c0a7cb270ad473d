import { BadPattern } from '../errors.ts'

/**
 * The regular expressions people use on URLs, read into a tree: characters, classes, groups,
 * alternatives, repeats and the two anchors. What needs memory of the text (look-around,
 * references to groups, word borders) is left out, since it cannot be matched in one pass.
 */
export type PatternNode =
  | { type: 'characters'; set: Uint8Array }
  | { type: 'start' }
  | { type: 'end' }
  | { type: 'sequence'; parts: PatternNode[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'repeat'; body: PatternNode; least: number; most: number }

/** Canonical URLs are ASCII; the last place of a set stands for every other character. */
export const CHARACTERS = 128
const OTHER = 127

const CLASS_ESCAPES: Record<string, Uint8Array> = {
  d: setOf(/\d/),
  D: setOf(/\D/),
  w: setOf(/\w/),
  W: setOf(/\W/),
  s: setOf(/\s/),
  S: setOf(/\S/),
}
const CONTROL_ESCAPES: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }
const ANY = setOf(/./)

/** Takes text that `RegExp` has accepted, so that brackets are known to be balanced. */
export function parsePattern(pattern: string): PatternNode {
  const reader = new PatternReader(pattern)
  const node = reader.choice()
  if (!reader.isAtEnd) throw new BadPattern(pattern, 'it is not a regular expression')
  return node
}

class PatternReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  choice(): PatternNode {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 ? (options[0] ?? EMPTY) : { type: 'choice', options }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    while (!this.isAtEnd && !this.#sees('|') && !this.#sees(')')) {
      parts.push(this.#repeats(this.#atom()))
    }
    return parts.length === 1 ? (parts[0] ?? EMPTY) : { type: 'sequence', parts }
  }

  #repeats(body: PatternNode): PatternNode {
    const found = this.#match(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y)
    if (found === null) return body
    const [, sign, least, comma, most] = found
    if (sign !== undefined) {
      return {
        type: 'repeat',
        body,
        least: sign === '+' ? 1 : 0,
        most: sign === '?' ? 1 : Infinity,
      }
    }
    const fewest = Number(least)
    const end = most === '' ? Infinity : Number(most)
    return { type: 'repeat', body, least: fewest, most: comma === undefined ? fewest : end }
  }

  #atom(): PatternNode {
    if (this.#take('^')) return { type: 'start' }
    if (this.#take('$')) return { type: 'end' }
    if (this.#take('.')) return { type: 'characters', set: ANY }
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return { type: 'characters', set: this.#class() }
    const set = new Uint8Array(CHARACTERS)
    this.#addCharacter(set)
    return { type: 'characters', set }
  }

  #group(): PatternNode {
    if (this.#match(/\?(?:[=!]|<[=!])/y) !== null) {
      throw new BadPattern(
        this.#text,
        'look-around is not supported; use an exclude pattern instead',
      )
    }
    this.#match(/\?(?::|<[^>]*>)/y)
    if (this.#sees('?')) throw new BadPattern(this.#text, 'options of groups are not supported')
    const body = this.choice()
    if (!this.#take(')')) throw new BadPattern(this.#text, 'a bracket is not closed')
    return body
  }

  #class(): Uint8Array {
    const set = new Uint8Array(CHARACTERS)
    const negated = this.#take('^')
    while (!this.isAtEnd && !this.#take(']')) {
      const first = this.#addCharacter(set)
      if (first === null || !this.#sees('-') || this.#text.charAt(this.#at + 1) === ']') continue
      this.#at += 1
      const last = this.#addCharacter(set)
      // `[\d-x]` is no range: the dash is itself.
      if (last === null) add(set, 45)
      for (let code = first; code <= Math.min(last ?? -1, OTHER); code++) add(set, code)
    }
    return negated ? set.map((value) => 1 - value) : set
  }

  /** Adds one character or class escape; returns its code, or null for a class. */
  #addCharacter(set: Uint8Array): number | null {
    const character = this.#text.charAt(this.#at)
    this.#at += 1
    if (character !== '\\') return add(set, character.charCodeAt(0))
    const hex = this.#match(/x([0-9a-f]{2})|u([0-9a-f]{4})/iy)
    if (hex !== null) return add(set, Number.parseInt(hex[1] ?? hex[2] ?? '', 16))
    const escape = this.#text.charAt(this.#at)
    this.#at += 1
    const named = CLASS_ESCAPES[escape]
    if (named !== undefined) {
      for (const [code, value] of named.entries()) if (value === 1) set[code] = 1
      return null
    }
    const control = CONTROL_ESCAPES[escape]
    if (control !== undefined) return add(set, control)
    if (/[a-z0-9]/i.test(escape)) throw new BadPattern(this.#text, `\\${escape} is not supported`)
    return add(set, escape.charCodeAt(0))
  }

  #sees(character: string): boolean {
    return this.#text.charAt(this.#at) === character
  }

  #take(character: string): boolean {
    if (!this.#sees(character)) return false
    this.#at += 1
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }
}

const EMPTY: PatternNode = { type: 'sequence', parts: [] }

/** Characters beyond ASCII never occur in a canonical URL, so naming one matches nothing. */
function add(set: Uint8Array, code: number): number {
  if (code < OTHER) set[code] = 1
  return code
}

function setOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: CHARACTERS }, (_, code) =>
    Number(characters.test(String.fromCharCode(code))),
  )
}
