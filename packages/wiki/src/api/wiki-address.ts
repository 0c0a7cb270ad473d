/**
 * What a user wrote, and where to look for it: an address of api.php, an address of a page in any of the
 * forms that MediaWiki gives its pages, or a title in the language of a default wiki.
 */
import { canonicalUrl } from '@minga/net'
import { BadWikiAddress } from '../errors.ts'
import type { SiteInfo } from '../model.ts'
import { desktopHost, isWikimediaHost, languageOfHost } from './wikimedia.ts'
import { wholeNumber } from './step-ticket.ts'
import type { Ticket, WikiStep } from './wiki-step.ts'

/** Where api.php may be; `page`: the page whose head says so. */
export interface Candidate {
  kind: 'api' | 'page'
  url: string
}

/** The page that was asked for, by whichever of the three the address gives. */
export interface WantedPage {
  title: string | null
  pageId: number | null
  revId: number | null
}

export interface WikiAddress {
  /** Canonical, on the desktop host. */
  url: string
  wanted: WantedPage
  /** Language, where the host or the user says it. */
  locale: string | null
  candidates: Candidate[]
}

export interface AddressOptions {
  /** For plain titles; an address brings its own. */
  locale?: string | null
  /** For plain titles; `{locale}` stands for the language. */
  defaultWiki?: string | null
}

const ENGLISH = 'en'
const DEFAULT_WIKI = 'https://{locale}.wikipedia.org/'
const NOTHING: WantedPage = { title: null, pageId: null, revId: null }
/** Installations put their programs into few places; the first is Wikimedia's. */
const SCRIPT_FOLDERS = ['/w/', '/', '/wiki/', '/mediawiki/']
const LOOKS_LIKE_ADDRESS =
  /^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/.*(?:wiki|\.php|title=)|^[\w.-]+:\d+\//i

export function readWikiAddress(text: string, options: AddressOptions = {}): WikiAddress {
  const written = text.trim()
  if (written === '') throw new BadWikiAddress(text, 'it is empty')
  const url = asUrl(written)
  if (url === null) return addressOfTitle(written, options)
  const canonical = canonicalUrl(url)
  if (canonical === null) throw new BadWikiAddress(text, 'it is no http or https address')
  return addressOfUrl(canonical)
}

function asUrl(written: string): string | null {
  if (/^https?:\/\//i.test(written)) return written
  if (written.startsWith('//')) return `https:${written}`
  return LOOKS_LIKE_ADDRESS.test(written) ? `https://${written}` : null
}

function addressOfUrl(canonical: string): WikiAddress {
  const parsed = new URL(canonical)
  parsed.hostname = desktopHost(parsed.hostname)
  return {
    url: parsed.href,
    wanted: wantedOfUrl(parsed),
    locale: languageOfHost(parsed.hostname),
    candidates: candidatesOf(parsed.href),
  }
}

function addressOfTitle(written: string, options: AddressOptions): WikiAddress {
  const template = options.defaultWiki ?? DEFAULT_WIKI
  const own = template.includes('{locale}') ? ENGLISH : languageOfHost(hostOf(template))
  const { language, rest } =
    own === null ? { language: null, rest: written } : splitLanguage(written)
  const locale = own === null ? null : (language ?? options.locale ?? own).toLowerCase()
  if (locale !== null && !/^[a-z]{2,}(?:-[a-z]+)*$/.test(locale)) {
    throw new BadWikiAddress(written, `${locale} is no code of a language`)
  }
  const url = canonicalUrl(withScheme(inLanguage(template, own, locale)))
  if (url === null) throw new BadWikiAddress(template, 'the default wiki is no address')
  const [title = ''] = rest
    .replaceAll('_', ' ')
    .replace(/^[: ]+/, '')
    .split('#')
  if (title.trim() === '') throw new BadWikiAddress(written, 'no title is left of it')
  const wanted = { ...NOTHING, title: title.trim() }
  return { url, wanted, locale, candidates: candidatesOf(url) }
}

function withScheme(url: string): string {
  return asUrl(url) ?? `https://${url}`
}

function hostOf(url: string): string {
  return URL.parse(withScheme(url))?.hostname ?? ''
}

/** `en.wikivoyage.org` as the default wiki and `es` as the language are `es.wikivoyage.org`. */
function inLanguage(template: string, own: string | null, locale: string | null): string {
  if (own === null || locale === null) return template
  return template.replace(template.includes('{locale}') ? '{locale}' : own, locale)
}

/** `es:RabbitMQ` names a language, `Help:Contents` does not. */
function splitLanguage(written: string): { language: string | null; rest: string } {
  const [, code = '', rest = ''] = /^:?([a-z]{2,6}(?:-[a-z]{2,8})*):(.+)$/i.exec(written) ?? []
  const language = code.toLowerCase()
  return isLanguage(language) ? { language, rest } : { language: null, rest: written }
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

function isLanguage(code: string): boolean {
  if (code === 'simple') return true
  const [language = ''] = code.split('-')
  return /^[a-z]{2,3}$/.test(language) && languages.of(language) !== undefined
}

/**
 * In the order to try. An address of index.php or of `/wiki/…` says nearly surely where api.php is; where
 * nothing says it, one look at the page itself is cheaper for the wiki than four guesses.
 */
export function candidatesOf(url: string): Candidate[] {
  const parsed = new URL(url)
  const { origin, pathname } = parsed
  const script = /^(.*\/)(?:api|index|load|rest|opensearch_desc)\.php(?:\/|$)/.exec(pathname)?.[1]
  const guesses = SCRIPT_FOLDERS.map((folder) => `${origin}${folder}api.php`)
  const isWikiPath = pathname.startsWith('/wiki/') || isWikimediaHost(parsed.hostname)
  const sure =
    script === undefined
      ? isWikiPath
        ? [`${origin}/w/api.php`]
        : []
      : [`${origin}${script}api.php`]
  const isApi = pathname.endsWith('/api.php')
  const page: Candidate = {
    kind: 'page',
    url: isApi ? `${origin}${script ?? '/'}` : pageUrl(parsed),
  }
  const apis = (urls: string[]): Candidate[] => urls.map((each) => ({ kind: 'api', url: each }))
  const ordered = [...apis(sure), page, ...apis(guesses)]
  return ordered.filter(
    (candidate, at) => ordered.findIndex((other) => other.url === candidate.url) === at,
  )
}

/** Actions such as `history` may be shut to strangers where reading is not. */
function pageUrl(url: URL): string {
  const copy = new URL(url)
  for (const name of ['action', 'oldid', 'diff', 'printable', 'veaction'])
    copy.searchParams.delete(name)
  copy.hash = ''
  return copy.href
}

export function wantedOfUrl(url: URL, articlePath: string | null = null): WantedPage {
  const query = url.searchParams
  const title =
    query.get('title') ?? query.get('titles') ?? query.get('page') ?? titleInPath(url, articlePath)
  const pageId = positive(query.get('curid') ?? query.get('pageids') ?? query.get('pageid'))
  const revId = positive(query.get('oldid') ?? query.get('revids') ?? query.get('diff'))
  return withPermalink({ title: tidyTitle(title), pageId, revId })
}

function positive(text: string | null): number | null {
  const value = wholeNumber(text)
  return value !== null && value > 0 ? value : null
}

/** `Special:Permalink/123` and `Special:Diff/122/123` are ways to write a revision. */
function withPermalink(wanted: WantedPage): WantedPage {
  const found = /^Special:(?:PermanentLink|Permalink|Diff)\/(?:\d+\/)?(\d+)$/i.exec(
    wanted.title ?? '',
  )
  return found === null ? wanted : { ...wanted, title: null, revId: positive(found[1] ?? null) }
}

function tidyTitle(title: string | null): string | null {
  const tidied = (title ?? '')
    .replaceAll('_', ' ')
    .replace(/^[: ]+/, '')
    .trim()
  return tidied === '' || tidied.includes('|') ? null : tidied
}

/** Scripts of wikis with several of them (`/zh-hant/Title`). */
const VARIANT = /^\/(?:zh|sr|kk|ku|uz|iu|shi|tg|gan|crh|tly|ban|mni|wuu)(?:-[a-z]+)+\/(.+)$/

function titleInPath(url: URL, articlePath: string | null): string | null {
  const path = url.pathname
  if (articlePath !== null) {
    const [before = '', after = ''] = pathOf(articlePath).split('$1')
    const fits = path.startsWith(before) && path.endsWith(after) && path.length > before.length
    if (fits && !path.endsWith('.php'))
      return unescaped(path.slice(before.length, path.length - after.length))
  }
  const afterScript = /\/index\.php\/(.+)$/.exec(path)?.[1]
  if (afterScript !== undefined) return unescaped(afterScript)
  if (/\.php\d?(?:\/|$)/.test(path)) return null
  const afterWiki = /\/wiki\/(.+)$/.exec(path)?.[1]
  if (afterWiki !== undefined) return unescaped(afterWiki)
  const variant = isWikimediaHost(url.hostname) ? VARIANT.exec(path)?.[1] : undefined
  if (variant !== undefined) return unescaped(variant)
  const short = path.slice(1)
  return short === '' || /^(?:w|wiki|mediawiki)\/?$/.test(short) ? null : unescaped(short)
}

/** `articlepath` is a path, but some wikis give a whole address. */
function pathOf(articlePath: string): string {
  return articlePath.replace(/^(?:https?:)?\/\/[^/]+/, '')
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The requested page, read again when the wiki has reported where its articles are. */
export function wantedOn(site: SiteInfo, address: Pick<WikiAddress, 'url' | 'wanted'>): WantedPage {
  const again = wantedOfUrl(new URL(address.url), site.articlePath)
  const isAsked = again.title !== null || again.pageId !== null || again.revId !== null
  return isAsked ? again : address.wanted
}

export function firstStep(address: WikiAddress, ticket: Ticket): WikiStep {
  const step = stepAtCandidate(address.url, 0, ticket)
  if (step === null) throw new BadWikiAddress(address.url, 'there is nowhere to look')
  return step
}

/** Null when all places have been tried. */
export function stepAtCandidate(
  origin: string,
  candidate: number,
  ticket: Ticket,
): WikiStep | null {
  const place = candidatesOf(origin)[candidate]
  if (place === undefined) return null
  if (place.kind === 'api') return { kind: 'siteinfo', api: place.url, origin, candidate, ticket }
  return { kind: 'discover', url: place.url, origin, candidate, ticket }
}
