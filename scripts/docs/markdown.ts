/**
 * Markdown as our documents use it, to HTML: headings, paragraphs, lists, tables, fences, quotes, and inside them
 * code, emphasis, links and pictures. Everything else is text and stays text: no HTML passes through.
 */

export interface Heading {
  level: number
  text: string
  id: string
}

export interface Rendered {
  html: string
  headings: Heading[]
}

export type LinkOf = (target: string) => string

interface Block {
  html: string
  /** Lines that it took. */
  lines: number
}

type Reader = (lines: readonly string[], page: Page) => Block | null

interface Page {
  linkOf: LinkOf
  headings: Heading[]
}

/** `linkOf` says where a link of the document leads in the site. */
export function renderMarkdown(text: string, linkOf: LinkOf = (target) => target): Rendered {
  const page: Page = { linkOf, headings: [] }
  return { html: blocksOf(text.split(/\r?\n/), page), headings: page.headings }
}

function blocksOf(lines: readonly string[], page: Page): string {
  const html: string[] = []
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.trim() === '') {
      at++
      continue
    }
    const rest = lines.slice(at)
    const block = READERS.map((read) => read(rest, page)).find((one) => one !== null)!
    html.push(block.html)
    at += block.lines
  }
  return html.join('\n')
}

const FENCE = /^```(\w*)/
const HEADING = /^(#{1,6}) +(.+?) *#*$/
const ITEM = /^( *)([-*]|\d+\.) +/
const TABLE_RULE = /^\|? *:?-+:? *(\| *:?-+:? *)*\|?$/

function fence(lines: readonly string[]): Block | null {
  const found = FENCE.exec(lines[0]!)
  if (found === null) return null
  const end = lines.findIndex((line, i) => i > 0 && line.startsWith('```'))
  const last = end < 0 ? lines.length : end
  const code = escapeHtml(lines.slice(1, last).join('\n'))
  return { html: `<pre tabindex="0"><code>${code}</code></pre>`, lines: last + 1 }
}

function heading([line = '']: readonly string[], page: Page): Block | null {
  const found = HEADING.exec(line)
  if (found === null) return null
  const level = found[1]!.length
  const text = plainText(found[2]!)
  const id = slugOf(text, new Set(page.headings.map((one) => one.id)))
  page.headings.push({ level, text, id })
  return { html: `<h${level} id="${id}">${inline(found[2]!, page)}</h${level}>`, lines: 1 }
}

/** As GitHub names the places of a document, so that links hold in both. */
function slugOf(text: string, taken: ReadonlySet<string>): string {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '')
  const slug = plain.replaceAll(' ', '-')
  for (let more = 0; ; more++) {
    const id = more === 0 ? slug : `${slug}-${more}`
    if (!taken.has(id)) return id
  }
}

function table(lines: readonly string[], page: Page): Block | null {
  const [head = '', divider = ''] = lines
  if (!head.includes('|') || !TABLE_RULE.test(divider.trim())) return null
  const end = lines.findIndex((line, i) => i > 1 && !line.trimStart().startsWith('|'))
  const rows = lines.slice(2, end < 0 ? lines.length : end)
  const row = (line: string, tag: 'td' | 'th'): string =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${tag}>${inline(cell, page)}</${tag}>`)
      .join('')}</tr>`
  const body = rows.map((line) => row(line, 'td')).join('\n')
  const html = `<div class="wide" tabindex="0"><table><thead>${row(head, 'th')}</thead>\n<tbody>${body}</tbody></table></div>`
  return { html, lines: 2 + rows.length }
}

/** A bar inside code or behind a backslash is text. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  const cells = inner.match(/(?:\\.|`[^`]*`|[^|\\])+|(?<=\|)(?=\|)/g) ?? []
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function list(lines: readonly string[], page: Page): Block | null {
  const first = ITEM.exec(lines[0]!)
  if (first === null) return null
  const tag = /\d/.test(first[2]!) ? 'ol' : 'ul'
  const items: string[][] = []
  let at = 0
  for (; at < lines.length; at++) {
    const line = lines[at]!
    const found = ITEM.exec(line)
    if (found !== null && found[1]!.length <= first[1]!.length) {
      if (/\d/.test(found[2]!) !== (tag === 'ol')) break
      items.push([line.slice(found[0].length)])
    } else if (line.trim() === '') {
      if (!/^( {2,}|[-*] |\d+\. )/.test(lines[at + 1] ?? '')) break
      items.at(-1)!.push('')
    } else if (/^ {2,}/.test(line)) items.at(-1)!.push(line.replace(/^ {2,3}/, ''))
    else break
  }
  const html = items.map((item) => `<li>${itemHtml(item, page)}</li>`).join('\n')
  return { html: `<${tag}>\n${html}\n</${tag}>`, lines: at }
}

/** A single paragraph needs none of its own. */
function itemHtml(lines: readonly string[], page: Page): string {
  const html = blocksOf(lines, page)
  const alone = /^<p>([\s\S]*)<\/p>$/.exec(html)?.[1]
  return alone === undefined || alone.includes('<p>') ? html : alone
}

function quote(lines: readonly string[], page: Page): Block | null {
  if (!lines[0]!.startsWith('>')) return null
  const end = lines.findIndex((line) => !line.startsWith('>'))
  const own = lines.slice(0, end < 0 ? lines.length : end)
  const inner = blocksOf(
    own.map((line) => line.replace(/^> ?/, '')),
    page,
  )
  return { html: `<blockquote>${inner}</blockquote>`, lines: own.length }
}

function rule([line = '']: readonly string[]): Block | null {
  return /^-{3,}$/.test(line.trim()) ? { html: '<hr>', lines: 1 } : null
}

function paragraph(lines: readonly string[], page: Page): Block {
  const end = lines.findIndex(
    (line, i) =>
      i > 0 && (line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ITEM.test(line)),
  )
  const own = lines.slice(0, end < 0 ? lines.length : end)
  return { html: `<p>${inline(own.join('\n'), page)}</p>`, lines: own.length }
}

const READERS: readonly Reader[] = [fence, heading, rule, table, list, quote, paragraph]

const INLINE =
  /(`+)(?<code>.+?)\1|!\[(?<alt>[^\]]*)\]\((?<picture>[^)\s]+)\)|\[(?<text>(?:[^[\]]|\[[^\]]*\])+)\]\((?<target>[^)\s]+)\)|\*\*(?<strong>.+?)\*\*|(?<![\w])_(?<soft>[^_\n]+)_(?!\w)|(?<!\w)\*(?<soft2>[^*\n]+)\*(?!\w)|\\(?<plain>[^\w\s])/gs

function inline(text: string, page: Page): string {
  let html = ''
  let from = 0
  for (const found of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(from, found.index)) + piece(found.groups ?? {}, page)
    from = found.index + found[0].length
  }
  return html + escapeHtml(text.slice(from))
}

function piece(found: Record<string, string | undefined>, page: Page): string {
  const { code, alt, picture, text, target, strong, soft, soft2, plain } = found
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
  if (picture !== undefined)
    return `<img src="${address(picture, page)}" alt="${escapeHtml(alt!)}">`
  if (target !== undefined) return `<a href="${address(target, page)}">${inline(text!, page)}</a>`
  if (strong !== undefined) return `<strong>${inline(strong, page)}</strong>`
  const emphasis = soft ?? soft2
  return emphasis === undefined ? escapeHtml(plain ?? '') : `<em>${inline(emphasis, page)}</em>`
}

/** Documents are ours, yet an address that runs a script is never right. */
function address(target: string, { linkOf }: Page): string {
  const safe = /^(https?:|mailto:|[^:]*$|#)/i.test(target) ? linkOf(target) : '#'
  return escapeHtml(safe)
}

function plainText(text: string): string {
  return text.replace(/[`*]|(?<!\w)_|_(?!\w)/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
