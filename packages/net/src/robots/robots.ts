import { pathAndQueryOf } from '../url/url.ts'

/**
 * robots.txt as RFC 9309 defines it.
 *
 * The file is read as octets, as the RFC compares them: bytes that are not ASCII become
 * percent-escapes, which for UTF-8 files equals encoding the characters.
 */

/** RFC 9309 2.5: at least 500 KiB must be read. What comes after could only be a mistake or a trap. */
const MAX_ROBOTS_BYTES = 500 * 1024
const MAX_SITEMAPS = 1_000
const MAX_SITEMAP_CHARS = 8_192
/**
 * As long as rules may be remembered. A delay that outlasts them would start again with every read
 * and never end: it means "stay away".
 */
const MAX_CRAWL_DELAY_MS = 24 * 60 * 60 * 1000

/**
 * Rules with wildcards are searched for in the whole path, and a file has room for thirty thousand of
 * them: on a path of eight thousand characters that takes seconds. This allows twenty thousand such
 * rules on an ordinary path; where they do not suffice, the page is left alone.
 */
const MAX_SEARCHED_CHARS = 2_000_000

export interface RobotsRule {
  allow: boolean
  /** As written in the file, one character per octet. */
  path: string
}

/** Groups are kept apart as in the file: copying shared rules per agent could explode. */
export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  agents: string[]
  rules: RobotsRule[]
  crawlDelayMs: number | null
}

/** Plain data: it goes through JSON into the store and back. */
export interface RobotsRules {
  groups: RobotsGroup[]
  /** As written; resolve them against the address of robots.txt. */
  sitemaps: string[]
}

/** Never throws: whatever the bytes are, the readable lines count. */
export function parseRobots(bytes: Uint8Array): RobotsRules {
  const rules: RobotsRules = { groups: [], sitemaps: [] }
  let group: RobotsGroup | null = null
  let collectingAgents = false
  for (const line of linesOf(bytes)) {
    const field = fieldOf(line)
    if (field === null) continue
    const { name, value } = field
    if (name === 'user-agent') {
      if (group === null || !collectingAgents) {
        group = { agents: [], rules: [], crawlDelayMs: null }
        rules.groups.push(group)
      }
      group.agents.push(productTokenOf(value))
      collectingAgents = true
    } else if (name === 'allow' || name === 'disallow') {
      // Rules before the first user-agent line belong to no group; an empty rule matches nothing.
      if (group !== null && value !== '') group.rules.push({ allow: name === 'allow', path: value })
      collectingAgents = false
    } else if (name === 'crawl-delay') {
      // Not in the RFC, so it "must not interfere": it does not end a run of user-agent lines.
      if (group !== null) group.crawlDelayMs = longerDelay(group.crawlDelayMs, value)
    } else if (name === 'sitemap') {
      addSitemap(rules.sitemaps, value)
    }
  }
  return rules
}

function linesOf(bytes: Uint8Array): string[] {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lines = buffer.toString('latin1', start, MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/)
  // Half a rule means something else ("/a" for "/a/b"), so a line cut by the limit is dropped.
  const next = bytes[MAX_ROBOTS_BYTES]
  if (next !== undefined && next !== 0x0a && next !== 0x0d) lines.pop()
  return lines
}

function fieldOf(line: string): { name: string; value: string } | null {
  const comment = line.indexOf('#')
  const content = comment < 0 ? line : line.slice(0, comment)
  const colon = content.indexOf(':')
  if (colon < 0) return null
  return {
    name: content.slice(0, colon).trim().toLowerCase(),
    value: content.slice(colon + 1).trim(),
  }
}

/** `MingaBot/1.0 (note)` names the token `mingabot`: letters, `_` and `-` count, the rest is decoration. */
function productTokenOf(value: string): string {
  if (/^\*(?:\s|$)/.test(value)) return '*'
  return (/^[a-z_-]+/i.exec(value)?.[0] ?? '').toLowerCase()
}

function longerDelay(known: number | null, value: string): number | null {
  // One way to read each number: with two, every way to divide a long one would be tried.
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return known
  const delayMs = Math.min(Number(value) * 1000, MAX_CRAWL_DELAY_MS)
  return known === null ? delayMs : Math.max(known, delayMs)
}

function addSitemap(sitemaps: string[], value: string): void {
  if (value === '' || value.length > MAX_SITEMAP_CHARS || sitemaps.length >= MAX_SITEMAPS) return
  sitemaps.push(Buffer.from(value, 'latin1').toString('utf8'))
}

/** The groups that speak to this product token: its own ones together, else those of `*`. */
function groupsFor(rules: RobotsRules, productToken: string): RobotsGroup[] {
  const token = productTokenOf(productToken)
  const own = rules.groups.filter((group) => token !== '' && group.agents.includes(token))
  return own.length > 0 ? own : rules.groups.filter((group) => group.agents.includes('*'))
}

const FORBIDS_ALL: RobotsRule = { allow: false, path: '/' }

/** Rules of one file for one token, most specific first. Kept as long as the caller keeps the rules. */
const compiledByRules = new WeakMap<RobotsRules, Map<string, CompiledRule[]>>()

function compiledFor(rules: RobotsRules, productToken: string): CompiledRule[] {
  let byToken = compiledByRules.get(rules)
  if (byToken === undefined) compiledByRules.set(rules, (byToken = new Map()))
  let compiled = byToken.get(productToken)
  if (compiled === undefined) {
    const written = groupsFor(rules, productToken).flatMap((group) => group.rules)
    compiled = (asksToStayAway(rules, productToken) ? [FORBIDS_ALL] : written)
      .map(compileRule)
      // Longest first; between equals the allowing one, so that the first match decides.
      .toSorted((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow))
    byToken.set(productToken, compiled)
  }
  return compiled
}

/** RFC 9309 2.2.2: the longest matching rule decides, allow wins ties, no match allows. */
export function isAllowedByRobots(rules: RobotsRules, productToken: string, url: string): boolean {
  const compiled = compiledFor(rules, productToken)
  if (compiled.length === 0) return true
  const path = pathForRobots(url)
  if (path === '/robots.txt' || path.startsWith('/robots.txt?')) return true
  let searchedChars = 0
  for (const rule of compiled) {
    if (matchesRule(rule, path)) return rule.allow
    if (rule.pieces.length > 1) searchedChars += path.length
    if (searchedChars > MAX_SEARCHED_CHARS) return false
  }
  return true
}

/** The pause the site asks this product token to keep, or null when it asks for none. */
export function crawlDelayMsOf(rules: RobotsRules, productToken: string): number | null {
  let longest: number | null = null
  for (const { crawlDelayMs } of groupsFor(rules, productToken)) {
    if (crawlDelayMs !== null) longest = Math.max(longest ?? 0, crawlDelayMs)
  }
  return longest
}

/** Whether the requested delay is too long to be kept by any visitor. */
export function asksToStayAway(rules: RobotsRules, productToken: string): boolean {
  return (crawlDelayMsOf(rules, productToken) ?? 0) >= MAX_CRAWL_DELAY_MS
}

/**
 * What the answer to a request for robots.txt means (RFC 9309 2.3.1).
 * A 3xx that comes here was the last of five hops: "unavailable", which allows.
 * 429 asks for silence, so it counts with the server errors although it is a 4xx.
 */
export function robotsFromResponse(
  status: number | 'network-failure',
): 'rules' | 'allow-all' | 'forbid-all' {
  if (status === 'network-failure' || status === 429) return 'forbid-all'
  if (status >= 200 && status < 300) return 'rules'
  return status >= 300 && status < 500 ? 'allow-all' : 'forbid-all'
}

/**
 * Comparing a rule's path with a URL's (RFC 9309 2.2.2 and 2.2.3).
 * Both sides are brought to one spelling first; then `*` splits the rule into pieces which are
 * looked for from left to right. Taking the leftmost place for each piece is never worse than a
 * later one, so there is no backtracking: time is bounded by path × rule length.
 */
interface CompiledRule {
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
function pathForRobots(url: string): string {
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
