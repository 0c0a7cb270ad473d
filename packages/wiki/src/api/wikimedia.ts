/** What is special about the wikis of Wikimedia: their hosts, their languages, their stream of changes. */

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

const EVENT_STREAM = 'https://stream.wikimedia.org/v2/stream/mediawiki.page_change.v1'

/** From a moment on; a reader with a Last-Event-ID sends that instead. */
export function eventStreamUrl(sinceMs: number | null): string {
  if (sinceMs === null) return EVENT_STREAM
  return `${EVENT_STREAM}?since=${encodeURIComponent(new Date(sinceMs).toISOString())}`
}
