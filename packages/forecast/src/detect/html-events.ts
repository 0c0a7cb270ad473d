/**
 * Markup as a stream of open, text and close events. The tokenizer is htmlparser2's; the stack is ours,
 * because a page may nest deeper than any page needs to: below `DEEPEST` elements are passed over and
 * their text belongs to the last one kept. So time stays linear and no consumer can overflow.
 */
import { Tokenizer } from 'htmlparser2'

export interface HtmlHandler {
  /** `name` and the names of attributes are in lower case. */
  open(name: string, attributes: HtmlAttributes): void
  text(data: string): void
  close(name: string): void
}

/** Without a prototype: the page chooses the names. */
export type HtmlAttributes = Record<string, string>

const DEEPEST = 512
/** No honest element has more; a tag of a million attributes must not cost a million names. */
const MOST_ATTRIBUTES = 256

const VOID = words('area base br col embed hr img input link meta param source track wbr')
const ENDS_PARAGRAPH = words(
  `address article aside blockquote center details dialog dir div dl fieldset figcaption figure
   footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul`,
)
/** What an opening tag closes, and the elements beyond which it does not reach. */
const CLOSES = new Map<string, { closed: Set<string>; upTo: Set<string> }>([
  ['li', { closed: words('li'), upTo: words('ul ol menu') }],
  ['dt', { closed: words('dt dd'), upTo: words('dl') }],
  ['dd', { closed: words('dt dd'), upTo: words('dl') }],
  ['td', { closed: words('td th'), upTo: words('tr table') }],
  ['th', { closed: words('td th'), upTo: words('tr table') }],
  ['tr', { closed: words('tr'), upTo: words('table') }],
  ['tbody', { closed: words('thead tbody tfoot'), upTo: words('table') }],
  ['tfoot', { closed: words('thead tbody tfoot'), upTo: words('table') }],
  ['option', { closed: words('option'), upTo: words('select datalist') }],
  ['optgroup', { closed: words('option optgroup'), upTo: words('select') }],
])
/** An end tag does not reach out of its table cell: stray `</div>`s do not close the layout. */
const WALLS = words('td th table')
const TABLE_PARTS = words('table caption thead tbody tfoot tr td th')

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/))
}

export function readHtml(html: string, handler: HtmlHandler): void {
  readMarkup(html, new OpenElements(handler, VOID), handler, false)
}

export function readXmlEvents(xml: string, handler: HtmlHandler): void {
  readMarkup(xml, new OpenElements(handler, null), handler, true)
}

function readMarkup(
  html: string,
  tree: OpenElements,
  handler: HtmlHandler,
  xmlMode: boolean,
): void {
  let name = ''
  let attribute = ''
  let value = ''
  let attributes: HtmlAttributes = Object.create(null) as HtmlAttributes
  let count = 0
  const tokenizer = new Tokenizer(
    { xmlMode, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase()
        attributes = Object.create(null) as HtmlAttributes
        count = 0
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        value += html.slice(start, end)
      },
      onattribentity(code) {
        value += String.fromCodePoint(code)
      },
      onattribend() {
        if (count < MOST_ATTRIBUTES && attributes[attribute] === undefined) {
          attributes[attribute] = value
          count += 1
        }
      },
      onopentagend: () => tree.open(name, attributes),
      onselfclosingtag() {
        tree.open(name, attributes)
        if (xmlMode) tree.close(name)
      },
      onclosetag: (start, end) => tree.close(html.slice(start, end).toLowerCase()),
      ontext: (start, end) => handler.text(html.slice(start, end)),
      ontextentity: (code) => handler.text(String.fromCodePoint(code)),
      oncdata(start, end, offset) {
        if (xmlMode) handler.text(html.slice(start, end - offset))
      },
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend: () => tree.closeAll(),
    },
  )
  tokenizer.write(html)
  tokenizer.end()
}

class OpenElements {
  readonly #handler: HtmlHandler
  readonly #names: string[] = []
  /** How many of a name are passed over because they stand too deep. */
  readonly #beyond = new Map<string, number>()
  /** Elements without an end; null in XML, where every element has one and none is implied. */
  readonly #endless: Set<string> | null

  constructor(handler: HtmlHandler, endless: Set<string> | null) {
    this.#handler = handler
    this.#endless = endless
  }

  open(name: string, attributes: HtmlAttributes): void {
    if (this.#endless !== null) this.#closeImplied(name)
    if (this.#endless?.has(name)) {
      this.#handler.open(name, attributes)
      this.#handler.close(name)
    } else if (this.#names.length < DEEPEST) {
      this.#names.push(name)
      this.#handler.open(name, attributes)
    } else if (this.#beyond.size < DEEPEST) {
      this.#beyond.set(name, (this.#beyond.get(name) ?? 0) + 1)
    }
  }

  close(name: string): void {
    const beyond = this.#beyond.get(name) ?? 0
    if (beyond > 1) this.#beyond.set(name, beyond - 1)
    else if (beyond === 1) this.#beyond.delete(name)
    else this.#closeKept(name)
  }

  closeAll(): void {
    while (this.#names.length > 0) this.#pop()
  }

  #closeKept(name: string): void {
    for (let i = this.#names.length - 1; i >= 0; i--) {
      if (this.#names[i] === name) {
        while (this.#names.length > i) this.#pop()
        return
      }
      if (this.#endless !== null && WALLS.has(this.#names[i]!) && !TABLE_PARTS.has(name)) return
    }
  }

  #closeImplied(name: string): void {
    const top = this.#names.at(-1)
    if (top === 'p' && ENDS_PARAGRAPH.has(name)) this.#pop()
    const rule = CLOSES.get(name)
    if (rule === undefined) return
    const { closed, upTo } = rule
    for (let i = this.#names.length - 1; i >= 0; i--) {
      if (upTo.has(this.#names[i]!)) return
      if (closed.has(this.#names[i]!)) {
        while (this.#names.length > i) this.#pop()
        return
      }
    }
  }

  #pop(): void {
    this.#handler.close(this.#names.pop()!)
  }
}
