/** What a submitted or found URL is refused for, as far as its text tells. Pure and cheap. */
import { credentialsIn } from './credentials.ts'
import { FAMILIES, type InjectionKind } from './injection-patterns.ts'

export type AbuseCode = 'MINGA_ABUSE_INJECTION' | 'MINGA_ABUSE_CREDENTIALS'

export interface AbuseVerdict {
  code: AbuseCode
  /** The kind of attack it resembles, for the operator who investigates it. */
  kind: string
}

/** Null when it is ordinary. The URL is canonical: what `canonicalUrl` of the net room answers. */
export function abuseIn(url: string): AbuseVerdict | null {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start < 0 || start === url.length - 1) return null
  const pathAndQuery = url.slice(start)
  const injection = injectionIn(pathAndQuery)
  if (injection !== null) return { code: 'MINGA_ABUSE_INJECTION', kind: injection.kind }
  const credentials = credentialsIn(pathAndQuery)
  return credentials && { code: 'MINGA_ABUSE_CREDENTIALS', kind: credentials }
}

interface Injection {
  kind: InjectionKind
  weight: number
}

/** Set on labelled addresses (`test/abuse/fixtures/`): lower denies searches about SQL, higher lets probes pass. */
const ENOUGH = 5
/** What is no proof yet. */
const ALARMING = 3

const HIDDEN = /(?:^|\/)\.\.(?:[/\\]|$)|[\r\n]/

/**
 * What an attack cannot do without: a character that breaks out of a value, raw or encoded, or one
 * of the words of the few attacks that need none. Everything else is ordinary.
 */
const SUSPECT =
  /[<>"'`{}|\\;$*()[\]\u0080-\uFFFF]|%(?:[01]|2[2-9ae]|3[bce]|5[bcde]|60|7[bcd]|c0|c1|e0%80|f0%80|e5%98|u|ff)|\.\.|--|(?:\+|%20)(?:or|and|xor|select|union|having|order|waitfor)[+%(]|:\/\/|\/(?:etc|proc|winnt|web-inf|windows|var|meta-inf)\/|=(?:ro0ab|h4si|file:|php:|jar:|[a-z]:)|__|cmd\.exe|eval-stdin|allow_url|invokefunc|@@|169\.254|metadata|classloader|bin\/|jndi/i

/**
 * Is this URL an attempt to make its server do what its owner never meant? Weighed, not matched:
 * evidence of one kind adds up, and only a sum that no ordinary address reaches counts. Most URLs
 * are let through after one look at their characters; the rest are decoded and weighed.
 * Null when it is none. `pathAndQuery` is of a canonical URL.
 */
function injectionIn(pathAndQuery: string): Injection | null {
  if (!SUSPECT.test(pathAndQuery)) return null
  // In a path the canonical form has no dot segments left: those that decoding shows were hidden.
  if (HIDDEN.test(plainPathOf(pathAndQuery))) return { kind: 'traversal', weight: ENOUGH }
  const { text, layers } = plainTextOf(pathAndQuery)
  let worst: Injection | null = null
  for (const { kind, gate, patterns } of FAMILIES) {
    if (!gate.test(text)) continue
    let weight = 0
    for (const [heavy, pattern] of patterns) if (pattern.test(text)) weight += heavy
    // Wrapped twice is what a nested address is; with other evidence it is hiding.
    if (layers > 1 && weight >= ALARMING) weight++
    if (weight >= ENOUGH && weight > (worst?.weight ?? 0)) worst = { kind, weight }
  }
  return worst
}

// What the server behind a URL gets to read: percent-encoding taken off, layer by layer, since
// attacks are wrapped twice to pass a look at the surface.

interface PlainText {
  /**
   * Lower case; SQL comments and runs of blanks are one blank. Parameters begin with ? or \uE000, for
   * an encoded & is part of a value and must not look like the real one.
   */
  text: string
  /** How often it was encoded; 1 is ordinary. */
  layers: number
}

/** Text encoded more than three times is decoded by neither server nor attacker. */
const LAYERS_MAX = 3

/** `pathAndQuery` is of a canonical URL. */
function plainTextOf(pathAndQuery: string): PlainText {
  const cut = pathAndQuery.indexOf('?')
  const marked =
    cut < 0 ? pathAndQuery : pathAndQuery.slice(0, cut) + marks(pathAndQuery.slice(cut))
  const { text, layers } = unwrapped(marked)
  return { text: flat(text.toLowerCase()), layers }
}

function marks(query: string): string {
  return query.replaceAll('&', '\uE000').replaceAll('+', ' ')
}

/** The path of a URL as its server reads it; canonical ones change only where they are encoded. */
function plainPathOf(pathAndQuery: string): string {
  const cut = pathAndQuery.indexOf('?')
  return unwrapped(cut < 0 ? pathAndQuery : pathAndQuery.slice(0, cut)).text
}

function unwrapped(wrapped: string): { text: string; layers: number } {
  let text = wrapped
  let layers = 0
  while (layers < LAYERS_MAX && text.includes('%')) {
    const next = text.replace(ENCODED, decoded)
    if (next === text) break
    text = next
    layers++
  }
  return { text, layers }
}

/**
 * ASCII, and what careless servers take for ASCII: overlong UTF-8 of `.`, `/` and `\`, the
 * %u-form, and U+560A and U+560D, whose low bytes end a line. Letters of the world stay encoded:
 * no attack is written in them.
 */
const ENCODED =
  /%(?:([0-7][0-9a-f])|u([0-9a-f]{4})|(?:c0%ae|e0%80%ae|f0%80%80%ae)|(?:c0%(?:af|2f)|c1%(?:9c|1c|af|pc)|e0%80%af|f0%80%80%af)|e5%98%8[ad])/gi

function decoded(run: string, ascii?: string, wide?: string): string {
  if (ascii !== undefined) return CHARACTERS[Number.parseInt(ascii, 16)]!
  if (wide !== undefined) return narrow(Number.parseInt(wide, 16))
  if (run.startsWith('%e5') || run.startsWith('%E5')) return '\n'
  return /ae$/i.test(run) ? '.' : '/'
}

const CHARACTERS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** Full-width forms stand for the ASCII ones: some servers fold them back. */
function narrow(code: number): string {
  return String.fromCharCode(code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : code)
}

function flat(text: string): string {
  const uncommented = text.includes('/*')
    ? text.replace(/\/\*!?\d{0,6}(.{0,60}?)\*\//g, ' $1 ')
    : text
  const spaced = uncommented.replace(/[ \t]{2,}/g, ' ').replace(/(?:\r?\n){3,}/g, '\r\n\r\n')
  return spaced.replace(LONG_BLANKS, (run) => run.slice(0, BLANKS_MAX))
}

/** Patterns allow blanks of any length in several places: each way to divide a long run would be tried. */
const BLANKS_MAX = 8
const LONG_BLANKS = new RegExp(`\\s{${BLANKS_MAX + 1},}`, 'g')
