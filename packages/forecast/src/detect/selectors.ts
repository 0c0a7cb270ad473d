/** The parts of a page that a watch compares: only these, or all but those. */
import { compile, selectAll } from 'css-select'
import { DomHandler, type AnyNode, type Document, type Element } from 'domhandler'
import { BadSelector } from './errors.ts'
import { readHtml, type HtmlHandler } from './html-events.ts'

/** CSS. No `include`: the whole page. */
export interface Selectors {
  include: string[]
  exclude: string[]
}

/** What css-select lets pass although it is not CSS, and could only ever match nothing. */
const NOT_CSS = /^\s*$|[<@;]|\.\.|##|^\s*[>+~]|[>+~]\s*$|=\s*\]/

export function checkSelectors(selectors: Selectors): void {
  for (const selector of [...selectors.include, ...selectors.exclude]) {
    // What stands in quotes may be anything.
    if (NOT_CSS.test(selector.replace(/"[^"]*"|'[^']*'/g, '""'))) {
      throw new BadSelector(selector, 'it is not CSS')
    }
    try {
      compile<AnyNode, Element>(selector)
    } catch (error) {
      throw new BadSelector(selector, error)
    }
  }
}

/** The events of the page that are left when the selectors are applied; without any, all of them. */
export function readSelected(html: string, selectors: Selectors, handler: HtmlHandler): void {
  if (selectors.include.length === 0 && selectors.exclude.length === 0) {
    readHtml(html, handler)
    return
  }
  checkSelectors(selectors)
  const page = treeOf(html)
  const excluded = new Set<AnyNode>(found(selectors.exclude, page))
  const roots = selectors.include.length === 0 ? page.children : found(selectors.include, page)
  const included = new Set<AnyNode>(roots)
  for (const root of roots) if (!hasOuter(root, included)) tell(root, excluded, handler)
}

function treeOf(html: string): Document {
  const dom = new DomHandler()
  readHtml(html, {
    open: (name, attributes) => dom.onopentag(name, attributes),
    text: (data) => dom.ontext(data),
    close: () => dom.onclosetag(),
  })
  return dom.root
}

function found(selectors: string[], page: Document): AnyNode[] {
  return selectors.length === 0 ? [] : selectAll<AnyNode, Element>(selectors.join(','), page)
}

/** A match inside a match is reported with the outer one. */
function hasOuter(node: AnyNode, included: Set<AnyNode>): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (included.has(outer)) return true
  }
  return false
}

/** The tree is never deeper than `readHtml` lets it be, so recursion is safe. */
function tell(node: AnyNode, excluded: Set<AnyNode>, handler: HtmlHandler): void {
  if (excluded.has(node)) return
  if ('attribs' in node) {
    handler.open(node.name, node.attribs)
    for (const child of node.children) tell(child, excluded, handler)
    handler.close(node.name)
  } else if ('data' in node) {
    handler.text(node.data)
  }
}
