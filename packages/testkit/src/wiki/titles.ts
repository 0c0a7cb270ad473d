/** Namespaces and titles as MediaWiki has them by default, for the fake wiki. */

const NAMESPACE_NAMES: Record<number, string> = {
  [-2]: 'Media',
  [-1]: 'Special',
  0: '',
  1: 'Talk',
  2: 'User',
  3: 'User talk',
  4: 'Project',
  5: 'Project talk',
  6: 'File',
  7: 'File talk',
  8: 'MediaWiki',
  9: 'MediaWiki talk',
  10: 'Template',
  11: 'Template talk',
  12: 'Help',
  13: 'Help talk',
  14: 'Category',
  15: 'Category talk',
}

export const CATEGORY_NS = 14
export const NAMESPACE_ALIASES = [
  { id: 6, alias: 'Image' },
  { id: 7, alias: 'Image talk' },
]
/** What no title may hold; MediaWiki names the first of them in its refusal. */
const ILLEGAL = /[#<>[\]{}|�]|\p{Cc}/u
const TITLE_BYTES_MAX = 255

export interface FakeTitle {
  ns: number
  /** With the name of its namespace, spaces instead of underscores. */
  title: string
}

export interface FakeNamespace {
  id: number
  name: string
  canonical: string
}

export class FakeTitles {
  readonly #names: Map<number, string>

  constructor(siteName: string) {
    this.#names = new Map(Object.entries(NAMESPACE_NAMES).map(([id, name]) => [Number(id), name]))
    this.rename({ 4: siteName, 5: `${siteName} talk` })
  }

  /** Also how a wiki gets namespaces of its own. */
  rename(names: Record<number, string>): void {
    for (const [id, name] of Object.entries(names)) this.#names.set(Number(id), name)
  }

  namespaces(): FakeNamespace[] {
    return [...this.#names]
      .toSorted(([a], [b]) => a - b)
      .map(([id, name]) => ({ id, name, canonical: NAMESPACE_NAMES[id] ?? name }))
  }

  /** The title, or a sentence on why it cannot be one. */
  parse(text: string): FakeTitle | string {
    const clean = text
      .normalize('NFC')
      .replaceAll(/[ _\u{A0}]+/gu, ' ')
      .trim()
      .replace(/^:/, '')
    const illegal = ILLEGAL.exec(clean)?.[0]
    if (illegal !== undefined) {
      return `The requested page title contains invalid characters: "${illegal}".`
    }
    const { ns, rest } = this.#split(clean)
    if (rest === '') return 'The requested page title is empty or contains only a namespace prefix.'
    if (Buffer.byteLength(rest) > TITLE_BYTES_MAX) {
      return 'The requested page title is too long. It must be no longer than 255 bytes in UTF-8 encoding.'
    }
    return { ns, title: this.prefixed(ns, upperFirst(rest)) }
  }

  prefixed(ns: number, rest: string): string {
    const name = this.#names.get(ns) ?? ''
    return name === '' ? rest : `${name}:${rest}`
  }

  /** Without its namespace. */
  base({ ns, title }: FakeTitle): string {
    return ns === 0 ? title : title.slice(title.indexOf(':') + 1)
  }

  #split(text: string): { ns: number; rest: string } {
    const colon = text.indexOf(':')
    const ns = colon < 0 ? undefined : this.#namespaceCalled(text.slice(0, colon).trim())
    if (ns === undefined) return { ns: 0, rest: text }
    return { ns, rest: text.slice(colon + 1).trim() }
  }

  #namespaceCalled(name: string): number | undefined {
    const wanted = name.toLowerCase()
    if (wanted === '') return undefined
    const known = this.namespaces().find(
      (space) => space.name.toLowerCase() === wanted || space.canonical.toLowerCase() === wanted,
    )
    return known?.id ?? NAMESPACE_ALIASES.find(({ alias }) => alias.toLowerCase() === wanted)?.id
  }
}

export function upperFirst(text: string): string {
  const [first = ''] = text
  const upper = first.toUpperCase()
  // Letters whose capital is two letters (ß) stay as they are.
  return upper.length === first.length ? upper + text.slice(first.length) : text
}

export function underscored(title: string): string {
  return title.replaceAll(' ', '_')
}
