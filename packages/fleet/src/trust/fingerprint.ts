/**
 * What two fetches of one page have in common. Pages carry noise (times, counters, nonces, session
 * tokens), so their digests differ although all are genuine: the noise is masked, the rest is
 * hashed.
 *
 * A hash of everything that is left, and not a simhash: a simhash forgives a small edit, and a
 * small edit (one name, one link) is what a forger makes. Erring towards "different" costs a third
 * fetch; erring towards "equal" verifies a forgery. Known limit: a forgery that only changes
 * numbers is masked with them; it is caught only where the digests of honest fetches are equal.
 */
import { createHash } from 'node:crypto'

const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:html|xhtml|xml|json|javascript|ld\+json)\b)/i

/** Values that exist to differ on every answer, whatever they look like. The bounds keep the time
 * linear in the text: pages are other people's. */
const FRESH_ATTRIBUTES =
  /\b(nonce|csrf[\w-]{0,40}|xsrf[\w-]{0,40}|authenticity_token|request-?id|session-?id)(["']?\s{0,3}[=:]\s{0,3})(?:"[^"]*"|'[^']*'|[\w+/=-]+)/gi
/** The same as a hidden field: name and value stand in attributes of their own. */
const FIELDS = /<(?:input|meta)\b[^<>]*>/gi
const FRESH_NAMES = /\bname\s{0,3}=\s{0,3}["']?[\w-]{0,60}(?:csrf|xsrf|token|nonce|viewstate)/i
const FIELD_VALUES = /\b(value|content)=(?:"[^"]*"|'[^']*'|[^\s>]+)/gi
/** Many pages show who asks by its address: to a lent machine that masks its own, zeros. IPv4 is all digits anyway. */
const IPV6_ADDRESSES =
  /(?<![\da-f](?<!%[\da-f]{2}))[23][\da-f]{3}(?:(?::|%3a)[\da-f]{0,4}){1,6}(?::|%3a)(?:[\da-f]{1,4}|(?<=(?::|%3a){2}))(?![\da-f])/gi
const TIME_WORDS =
  /^(?:mon|tues?|wed(?:nes)?|thurs?|fri|sat(?:ur)?|sun)(?:day)?$|^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$|^(?:am|pm|gmt|utc)$|^(?:second|minute|hour|day|week|month|year)s?$/i
const TOKENS = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu
/** What joins the parts of a number, a time or an encoded token. */
const JOINTS = new Set([':', '.', ',', '-', '+', '/', '='])
const MASK = '#'

/** Null for what is no text: there the digest alone decides. */
export function contentFingerprint(text: string, contentType: string): string | null {
  if (!TEXTUAL.test(contentType.trim())) return null
  const hash = createHash('sha256')
  const calm = text
    .replace(IPV6_ADDRESSES, MASK)
    .replace(FRESH_ATTRIBUTES, `$1$2${MASK}`)
    .replace(FIELDS, (field) =>
      FRESH_NAMES.test(field) ? field.replace(FIELD_VALUES, `$1=${MASK}`) : field,
    )
  for (const token of maskedTokens(calm)) hash.update(token).update('\0')
  return `fp:${hash.digest('hex').slice(0, 32)}`
}

/** What decides how an answer is shown and where it leads. Others say how it was transported, or are new each time. */
const TELLING_HEADERS = [
  'content-type',
  'content-disposition',
  'content-location',
  'link',
  'refresh',
  'x-robots-tag',
]

/** Of all values of each such header, with the same noise masked as in texts. */
export function headersFingerprint(valuesOf: (name: string) => readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of TELLING_HEADERS) {
    hash.update(`${name}\0`)
    const values = valuesOf(name).join(',').toLowerCase().replace(IPV6_ADDRESSES, MASK)
    for (const token of maskedTokens(values)) {
      hash.update(token).update('\0')
    }
  }
  return `fp:${hash.digest('hex').slice(0, 32)}`
}

/** Neighbouring masks are one, joints between them included: `9:05` and `12:30:01` are both `#`. */
function* maskedTokens(text: string): Generator<string> {
  let held: string[] = []
  let isMasked = false
  for (const [token] of text.matchAll(TOKENS)) {
    if (isNoise(token)) {
      if (!isMasked) yield MASK
      isMasked = true
      held = []
    } else if (isMasked && JOINTS.has(token)) {
      held.push(token)
    } else {
      yield* held
      held = []
      isMasked = false
      yield token
    }
  }
  yield* held
}

/** A word with a digit in it is a number, a date, an id or a token; `h1` and `utf8` go with them,
 * at no loss. */
function isNoise(token: string): boolean {
  return token === MASK || /\p{N}/u.test(token) || TIME_WORDS.test(token)
}

/** Places of a site that were found to differ on every fetch are remembered by their shape. */
export function urlPattern(url: string): string {
  if (!URL.canParse(url)) return ''
  const { pathname, searchParams } = new URL(url)
  const path = pathname
    .split('/')
    .map((part) => (/\d/.test(part) ? MASK : part))
    .join('/')
  const names = [...new Set(searchParams.keys())].toSorted()
  return names.length === 0 ? path : `${path}?${names.join('&')}`
}
