/**
 * From one capture to one row: each rule finds text in the page, and the text becomes a value of its type. A page may
 * be anything; what is not found or cannot be read is named by a reason, never thrown. Runs in a thread of its own.
 */
import { decodeText } from '@minga/net'
import type { ExtractRule } from '@minga/protocol'
import { selectAll } from 'css-select'
import { isTag, isText, type AnyNode, type Document } from 'domhandler'
import { parseDocument } from 'htmlparser2'
import type { Cell } from '../feed/feed-tables.ts'

export interface ArchivedPage {
  url: string
  mime: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Uint8Array
}

export interface ExtractedRow {
  /** In the order of the rules; null when the page is no row. */
  cells: Cell[] | null
  /** Such as `price:missing`; of a page that is a row, fields that are empty because of it. */
  reasons: string[]
}

/** Longer values are cut: a column of whole pages is no table. */
const CHARACTERS_MAX = 100_000
const LIST_MAX = 1_000

export function extractPage(page: ArchivedPage, rules: readonly ExtractRule[]): ExtractedRow {
  const forms = new PageForms(page)
  const reasons: string[] = []
  let isRow = true
  const cells = rules.map((rule): Cell => {
    const { cell, flaw } = cellOf(rule, textsOf(rule, forms))
    const isMissing = rule.isRequired && (cell === null || (rule.list && (cell as []).length === 0))
    const reason = flaw ?? (isMissing ? 'missing' : null)
    if (reason !== null) reasons.push(`${rule.field}:${reason}`)
    if (isMissing) isRow = false
    return cell
  })
  return { cells: isRow ? cells : null, reasons }
}

/** The page as text, as a tree, as JSON: each made when the first rule needs it. */
class PageForms {
  readonly page: ArchivedPage
  #text: string | null = null
  #tree: Document | null = null
  #json: unknown

  constructor(page: ArchivedPage) {
    this.page = page
  }

  get text(): string {
    const type = this.page.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    this.#text ??= decodeText(Buffer.from(this.page.body), type ?? this.page.mime).text
    return this.#text
  }

  get tree(): Document {
    this.#tree ??= parseDocument(this.text)
    return this.#tree
  }

  /** Null when it is none. */
  get json(): unknown {
    if (this.#json !== undefined) return this.#json
    try {
      this.#json = JSON.parse(this.text) as unknown
    } catch {
      this.#json = null
    }
    return this.#json
  }
}

function textsOf(rule: ExtractRule, forms: PageForms): string[] {
  const { select } = rule
  switch (rule.from) {
    case 'css':
      return selectAll(select, forms.tree as AnyNode).flatMap((node) => nodeText(node, rule))
    case 'json':
      return valuesAt(forms.json, select).map(textOfValue)
    case 'regex':
      return matchesIn(forms.text, select)
    case 'url':
      return matchesIn(forms.page.url, select)
    case 'header':
      return forms.page.headers
        .filter(([name]) => name.toLowerCase() === select.toLowerCase())
        .map(([, value]) => value)
  }
}

function nodeText(node: AnyNode, { attribute }: ExtractRule): string[] {
  if (!isTag(node)) return []
  if (attribute === undefined) return [words(node)]
  const value = node.attribs[attribute.toLowerCase()]
  return value === undefined ? [] : [value]
}

/** Text as it is read: without scripts and styles. A deep page must not need a deep stack. */
function words(root: AnyNode): string {
  const parts: string[] = []
  const waiting: AnyNode[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()!
    if (isText(node)) parts.push(node.data)
    else if (isTag(node) && node.name !== 'script' && node.name !== 'style') {
      waiting.push(...node.children.toReversed())
    }
  }
  return parts.join('')
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function matchesIn(text: string, expression: string): string[] {
  const found: string[] = []
  for (const match of text.matchAll(new RegExp(expression, 'gu'))) {
    found.push(match[1] ?? match[0])
    if (found.length === LIST_MAX) break
  }
  return found
}

function cellOf(rule: ExtractRule, found: readonly string[]): { cell: Cell; flaw: string | null } {
  const texts = found.map(trimmed).filter((text) => text !== '')
  if (rule.list) return { cell: texts.slice(0, LIST_MAX), flaw: null }
  const [text] = texts
  if (text === undefined) return { cell: null, flaw: null }
  const cell = READERS[rule.type](text)
  return { cell, flaw: cell === null ? FLAWS[rule.type] : null }
}

const trimmed = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').replaceAll('\0', '').trim().slice(0, CHARACTERS_MAX)

const READERS: Record<ExtractRule['type'], (text: string) => Cell> = {
  text: (text) => text,
  integer: (text) => {
    const number = Number(text)
    return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(number) ? number : null
  },
  number: (text) => {
    const number = Number(text)
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(number)
      ? number
      : null
  },
  boolean: (text) =>
    /^(true|yes|1)$/i.test(text) ? true : /^(false|no|0)$/i.test(text) ? false : null,
  instant: (text) => {
    const at = Date.parse(text)
    return Number.isNaN(at) ? null : at
  },
}

const FLAWS: Record<ExtractRule['type'], string> = {
  text: 'not-text',
  integer: 'not-a-number',
  number: 'not-a-number',
  boolean: 'not-a-boolean',
  instant: 'not-an-instant',
}

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[\*\]|\["((?:[^"\\]|\\.)*)"\]/y

/** Null: it is no such path. */
function stepsOf(path: string): (string | number | null)[] | null {
  const steps: (string | number | null)[] = []
  let at = path.startsWith('$') ? 1 : 0
  const text = at === 0 && /^[A-Za-z_]/.test(path) ? `.${path}` : path
  while (at < text.length) {
    STEP.lastIndex = at
    const match = STEP.exec(text)
    if (match === null) return null
    const [whole, name, index, quoted] = match
    if (name !== undefined) steps.push(name)
    else if (index !== undefined) steps.push(Number(index))
    else steps.push(quoted === undefined ? null : (JSON.parse(`"${quoted}"`) as string))
    at += whole.length
  }
  return steps
}

/** A path in JSON: `$.items[0].name`, `$.items[*].name`, `$["a name"]`. Where it leads nowhere there is nothing. */
export const isJsonPath = (path: string): boolean => stepsOf(path) !== null

/** What is there and is not null. */
function valuesAt(root: unknown, path: string): unknown[] {
  const steps = stepsOf(path)
  if (steps === null) return []
  let values: unknown[] = [root]
  for (const step of steps) values = values.flatMap((value) => stepInto(value, step))
  return values.filter((value) => value !== null && value !== undefined)
}

function stepInto(value: unknown, step: string | number | null): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step === null) return Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string | number, unknown>)[step]] : []
}
