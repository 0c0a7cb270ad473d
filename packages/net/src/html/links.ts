import { ATTRIBUTE_CHARS_MAX, LINKS_MAX, LINK_CHARS_MAX, REFERENCES_MAX } from '../input-limits.ts'
import { parseRobotsDirectives } from '../robots/robots-directives.ts'
import { canonicalUrl } from '../url/url.ts'
import { decodeAttribute, decodeTitle } from './character-references.ts'
import { Attributes, scanHtml, type HtmlVisitor } from './html-scan.ts'
import {
  kindOfRel,
  parseLinkHeader,
  refreshTarget,
  srcsetUrls,
  type LinkKind,
} from './link-syntax.ts'
import { withQueryIn } from './query-charset.ts'

/** What a page points at, as a browser without scripts sees it. The hottest code of the agent. */
export interface Link {
  /** Canonical. */
  url: string
  kind: LinkKind
}

export interface LinkedPage {
  text: string
  /** In which it was written; UTF-8 when left out. */
  charset?: string
  /** The address the page came from. */
  url: string
  /** Values of HTTP `Link` headers. */
  linkHeaders: string[]
  /** Value of the HTTP `Location` header. */
  location?: string
}

export interface LinkOptions {
  /** Leaves out links marked `rel=nofollow`. */
  honourNofollow?: boolean
  /** `<meta name="…">` with this name speaks to us as `robots` does. */
  productToken?: string
}

interface FoundLinks {
  links: Link[]
  /** How many were found beyond the limit and left out. */
  linksDropped: number
}

export interface PageLinks extends FoundLinks {
  nofollow: boolean
  noindex: boolean
  canonical: string | null
  title: string | null
}

const MAX_TITLE_CHARS = 1_000

const WANTED_ATTRIBUTES = [
  'href',
  'xlink:href',
  'src',
  'srcset',
  'imagesrcset',
  'data',
  'poster',
  'background',
  'style',
  'rel',
  'name',
  'content',
  'http-equiv',
  'type',
  'shadowrootmode',
]

export function extractLinks(page: LinkedPage, options: LinkOptions = {}): PageLinks {
  const reader = new PageReader(options, page.charset ?? 'utf-8')
  scanHtml(page.text, new Attributes(WANTED_ATTRIBUTES), reader)
  const found = new LinkSet()
  if (page.location !== undefined) found.add(page.location, 'redirect', page.url)
  for (const header of page.linkHeaders) {
    for (const { url, rel } of parseLinkHeader(header)) {
      const kind = kindOfRel(rel)
      if (kind !== null) found.add(url, kind, page.url)
    }
  }
  const base = (reader.base === null ? null : canonicalUrl(reader.base, page.url)) ?? page.url
  for (const [index, url] of reader.urls.entries()) {
    // A jump within the page, unless <base> makes it lead elsewhere.
    if (base === page.url && (url === '' || url.startsWith('#'))) continue
    found.add(url, reader.kinds[index] ?? 'link', base)
  }
  const robots = parseRobotsDirectives(reader.robots, options.productToken ?? '')
  return { ...found.result(), ...robots, canonical: found.canonical, title: reader.title }
}

/** References of a stylesheet on its own. */
export function extractCssLinks(text: string, url: string): FoundLinks {
  const found = new LinkSet()
  for (const reference of cssReferences(text)) found.add(reference.url, reference.kind, url)
  return found.result()
}

class LinkSet {
  readonly #links: Link[] = []
  readonly #seen = new Set<string>()
  #references = 0
  #characters = 0
  /** As written: resolved they would fill the memory where the address of the page is long. */
  readonly #dropped = new Set<string>()
  #unread = 0
  canonical: string | null = null

  add(reference: string, kind: LinkKind, base: string): void {
    this.#references += 1
    if (this.#references > REFERENCES_MAX) return void this.#unread++
    const url = canonicalUrl(reference, base)
    if (url === null) return
    if (kind === 'canonical') this.canonical ??= url
    if (this.#seen.has(url)) return
    const isFull = this.#links.length >= LINKS_MAX || this.#characters + url.length > LINK_CHARS_MAX
    if (isFull) return void this.#dropped.add(reference)
    this.#characters += url.length
    this.#seen.add(url)
    this.#links.push({ url, kind })
  }

  result(): FoundLinks {
    return { links: this.#links, linksDropped: this.#dropped.size + this.#unread }
  }
}

/**
 * Collects references as written; they are resolved at the end, because a `<base>` counts for
 * what stands before it too.
 */
class PageReader implements HtmlVisitor {
  readonly urls: string[] = []
  readonly kinds: LinkKind[] = []
  readonly robots: string[] = []
  base: string | null = null
  title: string | null = null
  readonly #options: LinkOptions
  readonly #charset: string
  /** Depth inside templates that no browser shows; their images are never loaded. */
  #inertDepth = 0

  constructor(options: LinkOptions, charset: string) {
    this.#options = options
    this.#charset = charset
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'template') this.#openTemplate(attributes)
    if (this.#inertDepth > 0 || attributes.count === 0) return
    const style = attributes.get('style')
    if (style !== undefined) this.#addCss(decodeAttribute(style))
    this.#openElement(name, attributes)
  }

  close(name: string): void {
    if (name === 'template' && this.#inertDepth > 0) this.#inertDepth -= 1
  }

  text(name: string, content: string): void {
    if (this.#inertDepth > 0) return
    if (name === 'style') this.#addCss(content)
    if (name === 'title' && this.title === null) {
      const title = decodeTitle(content.slice(0, MAX_TITLE_CHARS)).replace(/\s+/g, ' ').trim()
      this.title = title === '' ? null : title
    }
  }

  #openTemplate(attributes: Attributes): void {
    // A declarative shadow root is shown at once; any other template waits for a script.
    if (this.#inertDepth > 0 || attributes.get('shadowrootmode') === undefined)
      this.#inertDepth += 1
  }

  #openElement(name: string, attributes: Attributes): void {
    switch (name) {
      case 'a':
      case 'area':
        return this.#openAnchor(attributes)
      case 'link':
        return this.#openLink(attributes)
      case 'meta':
        return this.#openMeta(attributes)
      case 'base':
        this.base ??= this.#decoded(attributes.get('href'))
        return
      case 'frame':
      case 'iframe':
        return this.#add(attributes.get('src'), 'frame')
      case 'object':
        return this.#add(attributes.get('data'), 'embed')
      case 'img':
      case 'source':
      case 'video':
      case 'audio':
      case 'script':
      case 'embed':
      case 'track':
      case 'input':
        return this.#openMedia(attributes)
      case 'image':
      case 'use':
        return this.#add(attributes.get('href') ?? attributes.get('xlink:href'), 'embed')
      case 'body':
      case 'table':
      case 'td':
        return this.#add(attributes.get('background'), 'embed')
    }
  }

  #openAnchor(attributes: Attributes): void {
    if (this.#options.honourNofollow === true) {
      const rel = attributes.get('rel')?.toLowerCase() ?? ''
      if (rel.split(/\s+/).includes('nofollow')) return
    }
    const href = attributes.get('href') ?? attributes.get('xlink:href')
    if (href === undefined) return
    this.#push(decodeAttribute(href), 'link')
  }

  #openLink(attributes: Attributes): void {
    const kind = kindOfRel(attributes.get('rel') ?? '')
    if (kind === null) return
    this.#add(attributes.get('href'), kind)
    this.#addSrcset(attributes.get('imagesrcset'))
  }

  #openMedia(attributes: Attributes): void {
    this.#add(attributes.get('src'), 'embed')
    this.#addSrcset(attributes.get('srcset'))
    this.#add(attributes.get('poster'), 'embed')
  }

  #openMeta(attributes: Attributes): void {
    const content = this.#decoded(attributes.get('content'))
    if (content === null) return
    const name = attributes.get('name')?.trim().toLowerCase()
    if (name === 'robots' || (name && name === this.#options.productToken?.toLowerCase())) {
      this.robots.push(content)
    }
    if (attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
      this.#add(refreshTarget(content), 'redirect')
    }
  }

  #decoded(value: string | undefined): string | null {
    return value === undefined ? null : decodeAttribute(value)
  }

  /** An empty `src` loads nothing, while an empty `href` of an anchor is a link to the page. */
  #add(value: string | undefined, kind: LinkKind): void {
    if (value === undefined || value === '') return
    this.#push(decodeAttribute(value), kind)
  }

  #addSrcset(value: string | undefined): void {
    if (value === undefined) return
    for (const url of srcsetUrls(decodeAttribute(value))) this.#push(url, 'embed')
  }

  #push(url: string, kind: LinkKind): void {
    this.urls.push(withQueryIn(this.#charset, url))
    this.kinds.push(kind)
  }

  #addCss(css: string): void {
    for (const { url, kind } of cssReferences(css)) {
      this.urls.push(url)
      this.kinds.push(kind)
    }
  }
}

/** References in CSS, in the order in which they stand. */
interface CssReference {
  url: string
  kind: 'stylesheet' | 'embed'
}

/**
 * `@import`, with or without url(), or url(). The unquoted form stops at `(`, as CSS demands;
 * that also keeps `url(url(url(…` from being read over and over. It is bounded because the engine
 * remembers every turn of such a loop, and throws when it has no room left.
 */
const REFERENCE = new RegExp(
  String.raw`(@import\s+)(?:"([^"\n]*)"|'([^'\n]*)')|(@import\s+)?\burl\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|((?:[^\s"'()\\]|\\[0-9a-f]{1,6}\s?|\\[^\n]){1,${ATTRIBUTE_CHARS_MAX}}))`,
  'gi',
)
/** A namespace is a name that looks like an address. An open comment swallows the rest. */
const IGNORED = /\/\*[^]*?(?:\*\/|$)|@namespace[^;]*(?:;|$)/gi

function cssReferences(css: string): CssReference[] {
  if (!/url\(|@import/i.test(css)) return []
  const references: CssReference[] = []
  const active = /\/\*|@namespace/i.test(css) ? css.replace(IGNORED, ' ') : css
  for (const found of active.matchAll(REFERENCE)) {
    const url = found[2] ?? found[3] ?? found[5] ?? found[6] ?? found[7] ?? ''
    const imported = found[1] !== undefined || found[4] !== undefined
    // `url(#gradient)` points into the document itself.
    if (url !== '' && !url.startsWith('#'))
      references.push({ url: unescaped(url), kind: imported ? 'stylesheet' : 'embed' })
  }
  return references
}

/** CSS escapes: `\26 ` is a code point in hex, `\)` is the character itself. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi, (_, hex?: string, character?: string) => {
    if (hex === undefined) return character ?? ''
    const code = Number.parseInt(hex, 16)
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  })
}
