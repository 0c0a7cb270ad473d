/**
 * The readable text of a page, for searching words in it: without scripts, markup and
 * advertisements, in the order of the page. Letters that are only styled differently stay one word.
 */
import { isUnseen, noiseOf } from './element-noise.ts'
import { readHtml, readXmlEvents, type HtmlAttributes, type HtmlHandler } from './html-events.ts'
import { kindOf, textOf, type PageBody } from './page-body.ts'

const INLINE = new Set(
  `a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strong sub
   sup time tt u var wbr`.split(/\s+/),
)

/** Null for what is no text. */
export function pageText(page: PageBody): string | null {
  const kind = kindOf(page)
  if (kind === 'binary') return null
  const text = textOf(page)
  if (kind !== 'html' && kind !== 'xml') return text
  const seen = new SeenText(kind === 'html')
  if (kind === 'html') readHtml(text, seen)
  else readXmlEvents(text, seen)
  return seen.whole()
}

class SeenText implements HtmlHandler {
  readonly #isHtml: boolean
  readonly #pieces: string[] = []
  /** Depth inside of an element that is not read. */
  #passed = 0

  constructor(isHtml: boolean) {
    this.#isHtml = isHtml
  }

  whole(): string {
    return this.#pieces.join('')
  }

  open(name: string, attributes: HtmlAttributes): void {
    if (this.#passed > 0) this.#passed++
    else if (this.#isHtml && (isUnseen(name) || noiseOf(name, attributes).isAd)) this.#passed = 1
    else this.#part(name)
  }

  text(data: string): void {
    if (this.#passed === 0) this.#pieces.push(data)
  }

  close(name: string): void {
    if (this.#passed > 0) this.#passed--
    else this.#part(name)
  }

  #part(name: string): void {
    if (!INLINE.has(name)) this.#pieces.push('\n')
  }
}
