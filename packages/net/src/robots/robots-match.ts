import { pathAndQueryOf } from '../url/url.ts'

/**
 * Comparing a rule's path with a URL's (RFC 9309 2.2.2 and 2.2.3).
 * Both sides are brought to one spelling first; then `*` splits the rule into pieces which are
 * looked for from left to right. Taking the leftmost place for each piece is never worse than a
 * later one, so there is no backtracking: time is bounded by path × rule length.
 */
export interface CompiledRule {
  allow: boolean
  /** Octets of the rule in its normal spelling: the measure of "most specific". */
  length: number
  pieces: string[]
  anchored: boolean
}

export function compileRule(rule: { allow: boolean; path: string }): CompiledRule {
  const anchored = rule.path.endsWith('$')
  const path = normalise(anchored ? rule.path.slice(0, -1) : rule.path, false)
  return {
    allow: rule.allow,
    length: path.length + Number(anchored),
    pieces: path.split(/\*+/),
    anchored,
  }
}

/** Path and query of a canonical URL in the spelling that rules are compared in. */
export function pathForRobots(url: string): string {
  const path = pathAndQueryOf(url)
  return /[^\w/.=&+,;:@~?-]/.test(path) ? normalise(path, true) : path
}

export function matchesRule(rule: CompiledRule, path: string): boolean {
  const { pieces, anchored } = rule
  const first = pieces[0] ?? ''
  if (!path.startsWith(first)) return false
  const last = pieces.length - 1
  if (last === 0) return !anchored || path.length === first.length
  let at = first.length
  for (let i = 1; i < last; i++) {
    const piece = pieces[i] ?? ''
    const found = path.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const tail = pieces[last] ?? ''
  if (!anchored) return path.indexOf(tail, at) >= 0
  return path.length - tail.length >= at && path.endsWith(tail)
}

const UNRESERVED = /[\w.~-]/
/**
 * In a query, `https://a` and `https%3A%2F%2Fa` must match each other (the RFC's second example),
 * so these delimiters are compared decoded there. In a path `%2F` is not a slash.
 */
const DECODED_IN_QUERY = new Set([':', '/', '?', '@'])

/** `starIsLiteral`: in a URL `*` and `$` are themselves, in a rule `*` is the wildcard. */
function normalise(path: string, starIsLiteral: boolean): string {
  const question = path.indexOf('?')
  return path.replace(/%[0-9a-f]{2}|[^\w/.!&'()+,;=:@~?[\]-]/gi, (found, offset: number) => {
    if (found.length === 3) {
      const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
      if (UNRESERVED.test(character)) return character
      const inQuery = question >= 0 && offset > question
      return inQuery && DECODED_IN_QUERY.has(character) ? character : found.toUpperCase()
    }
    if (found === '%' || (found === '*' && !starIsLiteral)) return found
    return percentEncoded(found)
  })
}

/** One character is one octet here: rules are read as octets and canonical URLs are ASCII. */
function percentEncoded(character: string): string {
  return '%' + character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
}
