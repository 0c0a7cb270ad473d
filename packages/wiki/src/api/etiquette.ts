/** How a program behaves towards a wiki: who it says it is, how much at a time, how long it waits. */

/** One request at a time is what MediaWiki's etiquette asks for; Wikimedia bears three. */
export const WIKI_IN_FLIGHT = 1
export const WIKI_IN_FLIGHT_MAX = 3

const WIKIMEDIA = [
  'wikipedia.org',
  'wiktionary.org',
  'wikibooks.org',
  'wikinews.org',
  'wikiquote.org',
  'wikisource.org',
  'wikiversity.org',
  'wikivoyage.org',
  'wikimedia.org',
  'wikidata.org',
  'wikifunctions.org',
  'mediawiki.org',
]
/** First labels of Wikimedia's hosts that are no languages. */
const PROJECTS = new Set([
  'www',
  'm',
  'commons',
  'meta',
  'species',
  'incubator',
  'test',
  'test2',
  'outreach',
])

/** Its changes can be had from EventStreams. */
export function isWikimediaHost(host: string): boolean {
  return WIKIMEDIA.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

/** `en.m.wikipedia.org` shows the same wiki as `en.wikipedia.org`, which has api.php. */
export function desktopHost(host: string): string {
  if (!isWikimediaHost(host)) return host
  const labels = host.split('.')
  const at = labels.indexOf('m')
  if (at < 0 || at > 1) return host
  const others = labels.filter((_, index) => index !== at)
  return others.length === 2 ? `www.${others.join('.')}` : others.join('.')
}

/** The language of a Wikimedia wiki; null for others, whose hosts say nothing of it. */
export function languageOfHost(host: string): string | null {
  if (!isWikimediaHost(host)) return null
  const labels = desktopHost(host).split('.')
  const [first = ''] = labels
  return labels.length === 3 && !PROJECTS.has(first) ? first : null
}

/**
 * Why a User-Agent would be blocked by wikis that ask programs to say who they are; null when it is fine.
 * Wikimedia's form is `client/version (contact) library/version`.
 */
export function userAgentProblem(text: string): string | null {
  if (!/^[\w.-]+\/[\w.+-]+/.test(text)) return 'it does not begin with a name and a version'
  if (/^(?:mozilla|curl|wget|python|node|undici|java|okhttp|go-http)/i.test(text)) {
    return 'it begins like that of a browser or of a library'
  }
  const hasContact = /\([^)]*(?:https?:\/\/\S|[^\s@]+@[^\s@]+\.[^\s@)]+)/.test(text)
  return hasContact ? null : 'it names no contact (an address in round brackets)'
}

/** Five seconds is the least that `maxlag` asks for; ten minutes is long enough for a database to recover. */
const PAUSE_MS = 5_000
const PAUSE_MAX_MS = 600_000

/**
 * How long to stay away after trouble. What the wiki asks for is the floor; failures in a row double it, and
 * chance (0 ≤ random < 1) spreads it by half, so that many programs do not come back at once.
 */
export function pauseAfterTroubleMs(askedMs: number, failures: number, random: number): number {
  const doubled = PAUSE_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10)
  const spread = Math.min(doubled, PAUSE_MAX_MS) * (1 + random / 2)
  return Math.round(Math.max(spread, askedMs * (1 + random / 10)))
}

const EVENT_STREAM = 'https://stream.wikimedia.org/v2/stream/mediawiki.page_change.v1'

/** From a moment on; a reader with a Last-Event-ID sends that instead. */
export function eventStreamUrl(sinceMs: number | null): string {
  if (sinceMs === null) return EVENT_STREAM
  return `${EVENT_STREAM}?since=${encodeURIComponent(new Date(sinceMs).toISOString())}`
}
