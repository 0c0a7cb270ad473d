/** The small languages inside attributes and headers that hold addresses. */
import { HEADER_CHARS_MAX } from '../input-limits.ts'

export type LinkKind = 'link' | 'embed' | 'redirect' | 'canonical' | 'frame' | 'stylesheet'

/** Loaded with the page, whatever the words next to them. */
const EMBED_RELS = new Set([
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'preload',
  'modulepreload',
  'prefetch',
  'manifest',
])
/** These name a server to warm up, not a page. */
const NO_PAGE_RELS = new Set(['preconnect', 'dns-prefetch'])

/** What a `rel` value makes of a link; null when it leads to no document. */
export function kindOfRel(rel: string): LinkKind | null {
  const words = rel.toLowerCase().split(/\s+/)
  if (words.includes('stylesheet')) return 'stylesheet'
  if (words.includes('canonical')) return 'canonical'
  if (words.some((word) => EMBED_RELS.has(word))) return 'embed'
  return words.some((word) => NO_PAGE_RELS.has(word)) ? null : 'link'
}

/** RFC 8288, one header value, which may hold several links. */
export function parseLinkHeader(value: string): { url: string; rel: string }[] {
  const known = value.slice(0, HEADER_CHARS_MAX)
  return [...known.matchAll(/<([^<>]*)>([^<]*)/g)].map(([, url = '', parameters = '']) => {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    return { url, rel: rel?.[1] ?? rel?.[2] ?? '' }
  })
}

/** The addresses of a srcset (WHATWG HTML 4.8.4.2.1); sizes and densities are skipped. */
export function srcsetUrls(srcset: string): string[] {
  const urls: string[] = []
  const word = /[\s,]*(\S+)/y
  for (let at = 0; at < srcset.length;) {
    word.lastIndex = at
    const found = word.exec(srcset)
    if (found === null) break
    at = word.lastIndex
    const text = found[1] ?? ''
    const url = withoutTrailingCommas(text)
    if (url !== '') urls.push(url)
    // A comma glued to the address ends the candidate; otherwise descriptors follow.
    if (url.length === text.length) at = endOfDescriptors(srcset, at)
  }
  return urls
}

/** A loop: `/,+$/` starts again at every comma of a long run, which takes quadratic time. */
function withoutTrailingCommas(text: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === ',') end -= 1
  return text.slice(0, end)
}

function endOfDescriptors(srcset: string, from: number): number {
  let depth = 0
  for (let at = from; at < srcset.length; at++) {
    const character = srcset.charAt(at)
    if (character === '(') depth += 1
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (character === ',' && depth === 0) return at + 1
  }
  return srcset.length
}

/** `5; url='next.html'`, `0,next.html` and their relatives; a bare number reloads the page itself. */
export function refreshTarget(content: string): string | undefined {
  const rest = /^\s*[\d.]+[\s;,]+([^]*)$/.exec(content)?.[1]
  if (rest === undefined) return undefined
  const target = rest.replace(/^url\s*=\s*/i, '')
  const quote = target.charAt(0)
  if (quote !== '"' && quote !== "'") return target.trim()
  const end = target.indexOf(quote, 1)
  return end < 0 ? target.slice(1) : target.slice(1, end)
}
