/** Addresses inside a page without what changes from fetch to fetch: sessions, trackers, cache busters. */
import { canonicalUrl } from '@minga/net'

const SESSION =
  /^(?:(?:php|asp|j|cf|ses|php)?sess(?:ion)?_?id\w*|sid|zenid|oscsid|cftoken|cfid|s?token|csrf\w*|xsrf\w*|_token|nonce|_wpnonce|authenticity_token|utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|_ga|_gl|igshid|wbraid|gbraid|sig|signature|expires|hmac|x-amz-\w+|_hs\w+|spm|ref_src|share_id|click_?id|trk\w*|cachebust\w*|cb|rnd|rand(?:om)?|_|__cf\w+|_rsc)$/i
/** Names that may carry a version or a moment; only a value that looks like one is noise. */
const VERSION = /^(?:v|ver|version|rev|r|t|ts|time|timestamp|hash|build|cache|_v|bust)$/i
const VERSION_VALUE =
  /^(?:v?\d{1,4}(?:\.\d{1,6}){1,4}|\d{8,}|(?=[\da-f]*\d)[\da-f]{6,64}|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{16,})$/i
const RANDOM_VALUE =
  /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{24,})$/i
const PATH_SESSION = /;(?:jsessionid|phpsessid|sid)=[^/?;]*/gi
const PATH_SESSION_ASP = /\/\((?:[a-z]\([\w-]{10,}\))+\)/gi
/** `main.3f9ac21b.css`, `app-3f9ac21b.css`, `/_next/static/Xy…/`, `/assets/1715520000/`. */
const BUNDLE_HASH = /([./_-])(?=[\w-]*\d)[\da-zA-Z_-]{6,40}(?=\.(?:min\.)?(?:css|m?js)$)/
const BUNDLE_FOLDER =
  /\/(?:(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{8,40}|\d{8,14}|v?\d{1,4}(?:\.\d{1,6}){1,4})(?=\/)/g

const AD_HOSTS = new RegExp(
  `(?:^|\\.)(?:${[
    'doubleclick\\.net',
    'googlesyndication\\.com',
    'googleadservices\\.com',
    'googletagservices\\.com',
    'google-analytics\\.com',
    'googletagmanager\\.com',
    'amazon-adsystem\\.com',
    'adnxs\\.com',
    'adsrvr\\.org',
    'adform\\.net',
    'criteo\\.(?:com|net)',
    'taboola\\.com',
    'outbrain\\.com',
    'rubiconproject\\.com',
    'pubmatic\\.com',
    'openx\\.net',
    'smartadserver\\.com',
    'moatads\\.com',
    'scorecardresearch\\.com',
    'quantserve\\.com',
    'zedo\\.com',
    'revive-adserver\\.\\w+',
    'ad[sv]?\\d*\\.[\\w.-]+',
    'adserver\\d*\\.[\\w.-]+',
    'banners?\\.[\\w.-]+',
  ].join('|')})$`,
  'i',
)

/** Longer addresses are data, not links: their start is enough to know them by. */
const LONGEST = 2_048

/** A hyperlink's target as it counts; null when it leads nowhere that matters. */
export function linkTarget(href: string, base: string): string | null {
  const trimmed = href.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return null
  const lower = trimmed.slice(0, 12).toLowerCase()
  if (lower.startsWith('javascript:') || lower.startsWith('data:')) return null
  if (lower.startsWith('mailto:') || lower.startsWith('tel:')) return trimmed.slice(0, LONGEST)
  const url = canonicalUrl(trimmed, base)
  if (url === null) return trimmed.slice(0, LONGEST)
  if (url.includes('/cdn-cgi/l/email-protection')) return null
  return isAdHost(url) ? null : withoutNoise(url)
}

/** The source of an image, frame or video as it counts. */
export function assetSource(source: string, base: string): string | null {
  const trimmed = source.trim()
  if (trimmed === '') return null
  if (/^data:/i.test(trimmed)) return trimmed.slice(0, LONGEST)
  const url = canonicalUrl(trimmed, base)
  if (url === null) return trimmed.slice(0, LONGEST)
  return isAdHost(url) ? null : withoutNoise(url)
}

/** A stylesheet by its name without the marks of its build. */
export function styleSource(source: string, base: string): string | null {
  const url = assetSource(source, base)
  if (url === null) return null
  const path = url.split('?', 1)[0] ?? url
  return path.replace(BUNDLE_HASH, '').replace(BUNDLE_FOLDER, '/‹build›')
}

export function isAdHost(url: string): boolean {
  const start = url.indexOf('//') + 2
  const end = url.indexOf('/', start)
  const host = url.slice(start, end < 0 ? undefined : end).replace(/:\d+$/, '')
  return AD_HOSTS.test(host)
}

function withoutNoise(url: string): string {
  const short = url.slice(0, LONGEST)
  const query = short.indexOf('?')
  const path = query < 0 ? short : short.slice(0, query)
  const clean =
    path.includes(';') || path.includes('(')
      ? path.replace(PATH_SESSION, '').replace(PATH_SESSION_ASP, '')
      : path
  if (query < 0) return clean
  const kept = short
    .slice(query + 1)
    .split('&')
    .filter((pair) => !isNoise(pair))
  return kept.length === 0 ? clean : `${clean}?${kept.toSorted().join('&')}`
}

function isNoise(pair: string): boolean {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? pair : pair.slice(0, equals)
  const value = equals < 0 ? '' : pair.slice(equals + 1)
  if (SESSION.test(name) || RANDOM_VALUE.test(value)) return true
  // `?3f9ac21b` and `?1715520000` have no name at all.
  if (equals < 0) return VERSION_VALUE.test(name)
  return VERSION.test(name) && VERSION_VALUE.test(value)
}
