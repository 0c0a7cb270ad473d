import { ATTRIBUTE_CHARS_MAX } from '../input-limits.ts'

/** References in CSS, in the order in which they stand. */
export interface CssReference {
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

export function cssReferences(css: string): CssReference[] {
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
