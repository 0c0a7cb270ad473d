/**
 * What a site tells about its changes: feeds (RSS 0.9x, 1.0, 2.0, Atom 1.0), and where a page says
 * that its feeds and its hub (WebSub) are. Feeds are hand-written and by old programs: whatever can
 * be read is read.
 */
import type { Instant } from '@minga/protocol'
import { decodeAttribute, decodeTitle } from '../html/character-references.ts'
import { decodeText } from '../html/charset.ts'
import { webDate } from './feed-date.ts'
import { Attributes, scanHtml } from '../html/html-scan.ts'
import { LINKS_MAX } from '../input-limits.ts'
import { LenientXmlParser } from './lenient-xml.ts'
import { parseLinkHeader } from '../html/link-syntax.ts'
import { canonicalUrl } from '../url/url.ts'

export interface FeedItem {
  /** What the feed calls it; else its address, else its title. */
  id: string
  /** Canonical; null when it leads nowhere. */
  url: string | null
  title: string
  /** As it is written. */
  date: string
  /** By the rules of `feed-date.ts`; null when it cannot be known. */
  updatedAt: Instant | null
}

export interface Feed {
  kind: 'rss' | 'atom' | 'unknown'
  title: string
  items: FeedItem[]
  /** Where it says that news is pushed from. */
  hubs: string[]
  /** What it calls its own address. */
  self: string | null
  problems: string[]
}

export interface FeedOptions {
  /** Dates after it are wrong. */
  now: Instant
  contentType?: string
  maxItems?: number
  maxBytes?: number
}

/** A feed is a window on what is new; longer ones are archives. */
const MAX_ITEMS = 1_000
const MAX_BYTES = 10 * 1024 * 1024
const MAX_PROBLEMS = 20
const MAX_FIELD_CHARS = 8_192
const MAX_TITLE_CHARS = 500
/** Feeds have six levels. */
const DEPTH_MAX = 100
const CHUNK_CHARS = 64 * 1024
/** A feed or a page has one or two hubs; more is an attempt to have others called. */
const SOURCES_MAX = 10

/** Never throws: any bytes give a feed, at worst an empty one with problems. */
export function parseFeed(bytes: Uint8Array, url: string, options: FeedOptions): Feed {
  const reader = new FeedReader(url, options)
  const { text } = decodeText(bytes.subarray(0, options.maxBytes ?? MAX_BYTES), options.contentType)
  const parser = new LenientXmlParser((problem) => reader.problem(problem))
  parser.on('opentag', ({ name, attributes }) => reader.open(name, attributes))
  parser.on('closetag', () => reader.close())
  parser.on('text', (chunk) => reader.text(chunk))
  parser.on('cdata', (chunk) => reader.text(chunk))
  try {
    const start = text.search(/</)
    if (start < 0) reader.problem('this is no XML')
    else {
      for (let at = start; at < text.length && !reader.isDone; at += CHUNK_CHARS) {
        parser.write(text.slice(at, at + CHUNK_CHARS))
      }
      if (!reader.isDone) parser.close()
    }
  } catch (error) {
    reader.problem(`the XML could not be read to the end: ${String(error)}`)
  }
  return reader.feed
}

const KIND_BY_ROOT: Readonly<Record<string, Feed['kind']>> = {
  rss: 'rss',
  rdf: 'rss',
  feed: 'atom',
}
const ITEMS = new Set(['item', 'entry'])
/** Others (itunes:title, media:title …) speak of something else inside the item. */
const PREFIXES = new Set(['', 'rss', 'rdf', 'dc', 'dcterms', 'atom', 'atom10', 'a10', 'a'])
const FIELDS = new Set([
  'title',
  'link',
  'guid',
  'id',
  'pubdate',
  'date',
  'modified',
  'updated',
  'published',
  'issued',
])
/** What says when an item changed comes before what says when it began. */
const DATES = ['updated', 'modified', 'pubdate', 'date', 'published', 'issued'] as const

type Fields = Record<string, string>

class FeedReader {
  readonly feed: Feed = {
    kind: 'unknown',
    title: '',
    items: [],
    hubs: [],
    self: null,
    problems: [],
  }
  isDone = false
  readonly #url: string
  readonly #options: FeedOptions
  readonly #path: string[] = []
  /** Of the feed itself, and of the item that is open. */
  readonly #own: Fields = {}
  #item: Fields | null = null
  #field: string | null = null

  constructor(url: string, options: FeedOptions) {
    this.#url = url
    this.#options = options
  }

  problem(text: string): void {
    const { problems } = this.feed
    if (problems.length < MAX_PROBLEMS && !problems.includes(text)) problems.push(text)
  }

  open(name: string, attributes: Record<string, string>): void {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(0, colon)).toLowerCase()
    const local = name.slice(colon + 1).toLowerCase()
    const parent = this.#path.at(-1)
    if (this.#path.push(local) > DEPTH_MAX) return this.#stop('its elements are nested too deeply')
    if (parent === undefined) this.#root(local)
    else if (ITEMS.has(local) && this.#item === null) this.#openItem(attributes)
    else if (PREFIXES.has(prefix) && this.#isDirect(parent)) this.#openField(local, attributes)
  }

  #root(local: string): void {
    this.feed.kind = Object.hasOwn(KIND_BY_ROOT, local) ? KIND_BY_ROOT[local]! : 'unknown'
    if (this.feed.kind !== 'unknown') return
    this.#stop('the root element is none of a feed')
  }

  #stop(problem: string): void {
    this.problem(problem)
    this.isDone = true
  }

  #openItem(attributes: Record<string, string>): void {
    const about = attributes['rdf:about']
    this.#item = about === undefined ? {} : { about }
  }

  #isDirect(parent: string): boolean {
    return this.#item === null ? parent === 'channel' || parent === 'feed' : ITEMS.has(parent)
  }

  #openField(local: string, attributes: Record<string, string>): void {
    if (!FIELDS.has(local)) return
    const { href } = attributes
    if (local === 'link' && href !== undefined) return this.#openLink(href, attributes['rel'])
    const fields = this.#item ?? this.#own
    if (fields[local] !== undefined) return
    fields[local] = ''
    this.#field = local
    if (local === 'guid' && attributes['isPermaLink']?.toLowerCase() === 'false') {
      fields['isNoLink'] = 'true'
    }
  }

  /** Atom, also inside RSS. */
  #openLink(href: string, rel = 'alternate'): void {
    const words = rel.toLowerCase().split(/\s+/)
    if (words.includes('alternate')) (this.#item ?? this.#own)['link'] ??= href
    if (this.#item !== null) return
    const url = canonicalUrl(href, this.#url)
    if (url === null) return
    const { hubs } = this.feed
    if (words.includes('hub') && hubs.length < SOURCES_MAX && !hubs.includes(url)) hubs.push(url)
    if (words.includes('self')) this.feed.self ??= url
  }

  text(chunk: string): void {
    if (this.#field === null) return
    const fields = this.#item ?? this.#own
    const known = fields[this.#field] ?? ''
    if (known.length < MAX_FIELD_CHARS) {
      fields[this.#field] = known + chunk.slice(0, MAX_FIELD_CHARS)
    }
  }

  close(): void {
    const local = this.#path.pop() ?? ''
    // Markup inside a title does not end it.
    if (local === this.#field) this.#field = null
    if (this.#path.length === 0) this.feed.title = titleOf(this.#own)
    if (!ITEMS.has(local) || this.#item === null) return
    const item = this.#item
    this.#item = null
    this.#add(item)
  }

  #add(fields: Fields): void {
    const { maxItems = MAX_ITEMS } = this.#options
    if (this.feed.items.length >= maxItems) {
      this.problem(`only the first ${maxItems} items were read`)
      this.isDone = true
      return
    }
    const title = titleOf(fields)
    const url = this.#urlOf(fields)
    const id = [fields['guid'], fields['id'], fields['about'], url, title]
      .map((text) => text?.trim() ?? '')
      .find((text) => text !== '')
    if (id === undefined)
      return this.problem('an item has neither an id nor an address nor a title')
    this.feed.items.push({ id, url, title, ...this.#dateOf(fields) })
  }

  #urlOf(fields: Fields): string | null {
    const permanent = fields['isNoLink'] === 'true' ? '' : (fields['guid'] ?? '')
    for (const text of [fields['link'], fields['about'], permanent]) {
      const trimmed = text?.trim() ?? ''
      // A guid is a link only when it looks like one.
      if (trimmed === '' || (text === permanent && !/^https?:/i.test(trimmed))) continue
      const url = canonicalUrl(trimmed, this.#url)
      if (url !== null) return url
      this.problem(`not a web address: ${trimmed.slice(0, 100)}`)
    }
    return null
  }

  #dateOf(fields: Fields): Pick<FeedItem, 'date' | 'updatedAt'> {
    const written = DATES.map((name) => fields[name]?.trim() ?? '').filter((text) => text !== '')
    for (const text of written) {
      const updatedAt = webDate(text, this.#options.now)
      if (updatedAt !== null) return { date: text, updatedAt }
    }
    if (written.length > 0) this.problem(`a date that cannot be: ${written[0]!.slice(0, 100)}`)
    return { date: written[0] ?? '', updatedAt: null }
  }
}

/** Titles are text, or HTML that was escaped once too often. */
function titleOf({ title = '' }: Fields): string {
  return decodeTitle(title.replaceAll(/<[^<>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE_CHARS)
}

/** Where a page, or its headers, say that its changes are published. */
export interface Sources {
  feeds: string[]
  hubs: string[]
  /** What the page calls its own address, for its hub. */
  self: string | null
}

const FEED_TYPES = /^application\/(?:rss|atom|rdf)\+xml\b|^text\/xml\b/i

export function discoverSources(page: {
  text: string
  url: string
  linkHeaders: readonly string[]
}): Sources {
  const links: { href: string; rel: string; type: string }[] = page.linkHeaders
    .flatMap(parseLinkHeader)
    .map(({ url, rel }) => ({ href: url, rel, type: '' }))
  let base: string | null = null
  scanHtml(page.text, new Attributes(['href', 'rel', 'type']), {
    open: (name, attributes) => {
      const href = decodeAttribute(attributes.get('href') ?? '').trim()
      if (name === 'base' && href !== '') base ??= canonicalUrl(href, page.url)
      if (name !== 'link' || href === '' || links.length >= LINKS_MAX) return
      const rel = attributes.get('rel') ?? ''
      links.push({ href, rel, type: attributes.get('type') ?? '' })
    },
    close: () => {},
    text: () => {},
  })
  return sourcesAmong(links, base ?? page.url)
}

function sourcesAmong(
  links: readonly { href: string; rel: string; type: string }[],
  base: string,
): Sources {
  const sources: Sources = { feeds: [], hubs: [], self: null }
  for (const { href, rel, type } of links) {
    const url = canonicalUrl(href, base)
    if (url === null) continue
    const words = rel.toLowerCase().split(/\s+/)
    if (words.includes('self')) sources.self ??= url
    const list = words.includes('hub')
      ? sources.hubs
      : words.includes('alternate') && FEED_TYPES.test(type.trim())
        ? sources.feeds
        : null
    if (list !== null && list.length < SOURCES_MAX && !list.includes(url)) list.push(url)
  }
  return sources
}
