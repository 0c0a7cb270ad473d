import { gunzipSync, constants } from 'node:zlib'
import { decodeText } from '../html/charset.ts'
import { SITEMAP_CHARS_MAX } from '../input-limits.ts'
import { LenientXmlParser } from './lenient-xml.ts'
import { canonicalUrl } from '../url/url.ts'

/** A list of pages that a site publishes: sitemap, sitemap index, text list, RSS or Atom feed. */
export interface Sitemap {
  kind: 'urlset' | 'index' | 'text' | 'feed' | 'unknown'
  entries: SitemapEntry[]
  /** What was wrong, for the log; the readable entries count all the same. */
  problems: string[]
}

export interface SitemapEntry {
  /** Canonical. */
  loc: string
  /** As written: sitemaps use W3C dates, RSS uses mail dates. */
  lastmod?: string
  changefreq?: string
  priority?: number
}

export interface SitemapLimits {
  /** sitemaps.org allows 50,000. */
  maxEntries?: number
  /** Uncompressed; sitemaps.org allows 50 MB. */
  maxBytes?: number
  /** Resolves relative addresses, which feeds like to use. */
  baseUrl?: string
}

const MAX_ENTRIES = 50_000
const MAX_BYTES = 50 * 1024 * 1024
const MAX_PROBLEMS = 20
const MAX_FIELD_CHARS = 8_192
/** Sitemaps have three levels, feeds among them six. */
const DEPTH_MAX = 100
/** Small enough to stop soon after the last wanted entry, large enough to cost nothing. */
const CHUNK_CHARS = 64 * 1024

/** Never throws: any bytes give a list, at worst an empty one with problems. */
export function parseSitemap(bytes: Uint8Array, limits: SitemapLimits = {}): Sitemap {
  const collector = new Collector(limits)
  const plain = uncompressed(bytes, limits.maxBytes ?? MAX_BYTES, collector)
  const { text } = decodeText(plain, undefined)
  if (/^\s*</.test(text)) readXml(text, collector)
  else readText(text, collector)
  return collector.sitemap
}

function uncompressed(bytes: Uint8Array, maxBytes: number, collector: Collector): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    if (bytes.length > maxBytes) collector.problem(`only the first ${maxBytes} bytes were read`)
    return bytes.subarray(0, maxBytes)
  }
  try {
    // A file that was cut short still gives its first part.
    return gunzipSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    collector.problem(`could not be decompressed: ${String(error)}`)
    return new Uint8Array()
  }
}

class Collector {
  readonly sitemap: Sitemap = { kind: 'unknown', entries: [], problems: [] }
  readonly #maxEntries: number
  readonly #baseUrl: string | undefined
  #characters = 0

  constructor(limits: SitemapLimits) {
    this.#maxEntries = limits.maxEntries ?? MAX_ENTRIES
    this.#baseUrl = limits.baseUrl
  }

  get isFull(): boolean {
    return this.sitemap.entries.length >= this.#maxEntries || this.#characters >= SITEMAP_CHARS_MAX
  }

  add(loc: string, fields: Omit<SitemapEntry, 'loc'>): void {
    const { length } = this.sitemap.entries
    if (this.isFull) return this.problem(`only the first ${length} entries were read`)
    const url = canonicalUrl(loc, this.#baseUrl)
    if (url === null) return this.problem(`not a web address: ${loc.slice(0, 100)}`)
    this.#characters += url.length
    this.sitemap.entries.push({ loc: url, ...fields })
  }

  problem(text: string): void {
    const { problems } = this.sitemap
    if (problems.length < MAX_PROBLEMS && !problems.includes(text)) problems.push(text)
  }
}

function readText(text: string, collector: Collector): void {
  for (let at = 0; at < text.length;) {
    const end = text.slice(at, at + MAX_FIELD_CHARS).search(/[\r\n]/)
    const lineEnd = end >= 0 ? at + end : endOfLine(text, at)
    const line = text.slice(at, lineEnd).trim()
    at = lineEnd + 1
    if (line === '') continue
    if (collector.sitemap.kind === 'unknown') {
      // Prose, JSON or an error page: the first line tells.
      if (!/^https?:\/\//i.test(line))
        return collector.problem('neither XML nor a list of addresses')
      collector.sitemap.kind = 'text'
    }
    if (collector.isFull) return collector.add(line, {})
    collector.add(line, {})
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

const KIND_BY_ROOT: Record<string, Sitemap['kind']> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'feed',
  rdf: 'feed',
  feed: 'feed',
}
const ENTRY_ELEMENTS = new Set(['url', 'sitemap', 'item', 'entry'])
/** Element inside an entry → what it tells us. Only direct children count: `image:loc` is no page. */
const FIELDS: Record<string, 'loc' | 'lastmod' | 'changefreq' | 'priority'> = {
  loc: 'loc',
  link: 'loc',
  lastmod: 'lastmod',
  pubdate: 'lastmod',
  date: 'lastmod',
  updated: 'lastmod',
  changefreq: 'changefreq',
  priority: 'priority',
}

/**
 * saxes reads no DTD, so entities beyond XML's five are errors here, not bombs. Namespaces are
 * ignored since half of the web's sitemaps declare the wrong one.
 */
function readXml(text: string, collector: Collector): void {
  const reader = new EntryReader(collector)
  const parser = new LenientXmlParser((problem) => collector.problem(problem))
  parser.on('opentag', (tag) => reader.open(tag.name, tag.attributes))
  parser.on('closetag', () => reader.close())
  parser.on('text', (chunk) => reader.text(chunk))
  parser.on('cdata', (chunk) => reader.text(chunk))
  try {
    const start = text.search(/</)
    for (let at = start; at < text.length && !reader.isDone; at += CHUNK_CHARS) {
      parser.write(text.slice(at, at + CHUNK_CHARS))
    }
    if (!reader.isDone) parser.close()
  } catch (error) {
    collector.problem(`XML could not be read to the end: ${String(error)}`)
  }
}

class EntryReader {
  readonly #collector: Collector
  readonly #path: string[] = []
  #fields: Record<string, string> | null = null
  #field: string | null = null
  isDone = false

  constructor(collector: Collector) {
    this.#collector = collector
  }

  open(name: string, attributes: Record<string, string>): void {
    const local = name.slice(name.lastIndexOf(':') + 1).toLowerCase()
    const parent = this.#path.at(-1)
    if (this.#path.push(local) > DEPTH_MAX) return this.#stop('its elements are nested too deeply')
    if (parent === undefined) {
      this.#collector.sitemap.kind = KIND_BY_ROOT[local] ?? 'unknown'
      if (!Object.hasOwn(KIND_BY_ROOT, local)) this.#stop('the root element is not a known one')
    } else if (ENTRY_ELEMENTS.has(local) && this.#fields === null) {
      this.#fields = {}
    } else if (this.#fields !== null && parent !== undefined && ENTRY_ELEMENTS.has(parent)) {
      this.#openField(local, attributes)
    }
  }

  #openField(local: string, attributes: Record<string, string>): void {
    const field = Object.hasOwn(FIELDS, local) ? FIELDS[local] : undefined
    if (field === undefined || this.#fields === null) return
    const { href } = attributes
    if (local === 'link' && href !== undefined) {
      // Atom: the page itself is the alternate; self, edit and enclosure are something else.
      if ((attributes['rel'] ?? 'alternate') === 'alternate') this.#fields['loc'] ??= href
    } else if (this.#fields[field] === undefined) {
      this.#field = field
      this.#fields[field] = ''
    }
  }

  text(chunk: string): void {
    if (this.#fields === null || this.#field === null) return
    const known = this.#fields[this.#field] ?? ''
    if (known.length < MAX_FIELD_CHARS) {
      this.#fields[this.#field] = known + chunk.slice(0, MAX_FIELD_CHARS)
    }
  }

  close(): void {
    const local = this.#path.pop()
    this.#field = null
    if (local === undefined || !ENTRY_ELEMENTS.has(local) || this.#fields === null) return
    const fields = this.#fields
    this.#fields = null
    const loc = fields['loc']?.trim() ?? ''
    if (loc === '') return
    const wasFull = this.#collector.isFull
    this.#collector.add(loc, optionalFields(fields))
    if (wasFull) this.isDone = true
  }

  #stop(problem: string): void {
    this.#collector.problem(problem)
    this.isDone = true
  }
}

function optionalFields(fields: Record<string, string>): Omit<SitemapEntry, 'loc'> {
  const found: Omit<SitemapEntry, 'loc'> = {}
  const lastmod = fields['lastmod']?.trim() ?? ''
  const changefreq = fields['changefreq']?.trim().toLowerCase() ?? ''
  const priority = Number.parseFloat(fields['priority'] ?? '')
  if (lastmod !== '') found.lastmod = lastmod.slice(0, 64)
  if (changefreq !== '') found.changefreq = changefreq.slice(0, 16)
  if (priority >= 0 && priority <= 1) found.priority = priority
  return found
}
