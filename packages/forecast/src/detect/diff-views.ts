/** A difference as text for a terminal and as HTML for a browser: no scripts, nothing fetched. */
import type { DiffBlock, PageDiff } from './diff-pages.ts'
import type { WordRun } from './word-diff.ts'

/** So many like blocks stay around a difference; the rest is summed up in a line. */
const CONTEXT = 2

const IGNORED_LABEL = 'ignored as noise'

/** Like a unified diff of blocks: `-` went, `+` came, `>` moved, `~` what is ignored as noise. */
export function diffAsText(diff: PageDiff): string {
  const lines = [summaryOf(diff)]
  for (const part of shortened(diff.blocks)) {
    if (typeof part === 'number') lines.push(`@@ ${part} alike @@`)
    else if (part.isIgnored) {
      lines.push(...textLines(part).map((line) => `~ ${IGNORED_LABEL}: ${line}`))
    } else lines.push(...textLines(part))
  }
  if (diff.truncatedAt !== undefined) lines.push(cutNote(diff.truncatedAt))
  return `${lines.join('\n')}\n`
}

function textLines({ kind, before = '', after = '', words }: DiffBlock): string[] {
  if (kind === 'same') return [`  ${after}`]
  if (kind === 'moved') return [`> ${after}`]
  if (kind === 'added') return [`+ ${after}`]
  if (kind === 'removed') return [`- ${before}`]
  const marked = (not: WordRun['kind'], open: string, close: string): string =>
    (words ?? [])
      .filter((run) => run.kind !== not)
      .map(({ kind: of, text }) => (of === 'same' ? text : `${open}${text}${close}`))
      .join(' ')
  return [`- ${marked('added', '[-', '-]')}`, `+ ${marked('removed', '{+', '+}')}`]
}

export interface HtmlDiffOptions {
  title: string
  /** What the two versions are called, for instance their dates. */
  before?: string
  after?: string
  language?: string
}

export function diffAsHtml(diff: PageDiff, options: HtmlDiffOptions): string {
  const blocks = shortened(diff.blocks).map((part) =>
    typeof part === 'number'
      ? alikeLine(part)
      : `<p class="${classOf(part)}">${labelOf(part)}${oneColumn(part)}</p>`,
  )
  return htmlPage(diff, options, `<div class="blocks">\n${blocks.join('\n')}\n</div>`)
}

export function diffSideBySide(
  diff: PageDiff,
  options: HtmlDiffOptions = { title: 'Two versions' },
): string {
  const { before = 'before', after = 'after' } = options
  const rows = shortened(diff.blocks).map((part) =>
    typeof part === 'number'
      ? `<tr><td colspan="2">${alikeLine(part)}</td></tr>`
      : `${labelRow(part)}<tr class="${classOf(part)}">${twoColumns(part)}</tr>`,
  )
  const head = `<thead><tr><th scope="col">${escaped(before)}</th><th scope="col">${escaped(after)}</th></tr></thead>`
  const table = `<table>\n${head}\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
  return htmlPage(diff, options, table)
}

const classOf = ({ kind, isIgnored }: DiffBlock): string => (isIgnored ? `${kind} ignored` : kind)

const labelOf = ({ isIgnored }: DiffBlock): string =>
  isIgnored ? `<small>${IGNORED_LABEL}</small> ` : ''

const labelRow = (block: DiffBlock): string =>
  block.isIgnored ? `<tr class="ignored"><td colspan="2">${labelOf(block)}</td></tr>` : ''

function oneColumn({ kind, before = '', after = '', words = [] }: DiffBlock): string {
  if (kind === 'added') return `<ins>${escaped(after)}</ins>`
  if (kind === 'removed') return `<del>${escaped(before)}</del>`
  if (kind === 'edited') return words.map(htmlRun).join(' ')
  return escaped(after)
}

function twoColumns({ kind, before, after, words = [] }: DiffBlock): string {
  if (kind === 'edited') {
    const side = (not: WordRun['kind']): string =>
      words
        .filter((run) => run.kind !== not)
        .map(htmlRun)
        .join(' ')
    return `<td>${side('added')}</td><td>${side('removed')}</td>`
  }
  const left = before === undefined ? '' : escaped(before)
  const right = after === undefined ? '' : escaped(after)
  if (kind === 'removed') return `<td><del>${left}</del></td><td></td>`
  return kind === 'added'
    ? `<td></td><td><ins>${right}</ins></td>`
    : `<td>${left}</td><td>${right}</td>`
}

function htmlRun({ kind, text }: WordRun): string {
  if (kind === 'same') return escaped(text)
  const tag = kind === 'added' ? 'ins' : 'del'
  return `<${tag}>${escaped(text)}</${tag}>`
}

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1b1b;background:#fff}
ins{background:#d7f5dc;color:#0b4d1b;text-decoration:none;border-bottom:2px solid #2a8a43}
del{background:#fde2e0;color:#7a1510}
.moved{border-left:4px solid #6a5acd;padding-left:.6rem}
.ignored,.ignored ins,.ignored del{color:#595959;background:none;border-color:#999}
.alike{color:#595959;font-size:.9rem;text-align:center;border-top:1px dotted #999;margin:.6rem 0}
table{border-collapse:collapse;width:100%;table-layout:fixed}
td,th{vertical-align:top;text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;overflow-wrap:anywhere}
p{overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{color:#eee;background:#161616}ins{background:#0d3b19;color:#c9f2d2}del{background:#571b17;color:#ffd9d6}.alike,.ignored,.ignored ins,.ignored del{color:#aaa}.ignored ins,.ignored del{background:none}td,th{border-color:#444}}`

function htmlPage(diff: PageDiff, options: HtmlDiffOptions, body: string): string {
  const { title, language = 'en' } = options
  const note = diff.truncatedAt === undefined ? '' : `<p>${cutNote(diff.truncatedAt)}</p>`
  return `<!doctype html>
<html lang="${escaped(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${STYLE}</style></head>
<body><main>
<h1>${escaped(title)}</h1>
<p>${summaryOf(diff)}</p>
${body}
${note}
</main></body>
</html>
`
}

function summaryOf(diff: PageDiff): string {
  const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 2 : 0)} %`
  if (!diff.changed) {
    if (diff.reasons.includes('moved')) return 'No change: parts only moved.'
    const isNoise = diff.blocks.some(({ isIgnored }) => isIgnored)
    return isNoise ? 'No change: only regions differ that are ignored as noise.' : 'No change.'
  }
  const { content, structural, visual } = diff
  return `Changed: content ${percent(content)}, structure ${percent(structural)}, look ${percent(visual)}.`
}

function alikeLine(count: number): string {
  return `<p class="alike">${count} alike</p>`
}

function cutNote(most: number): string {
  return `Only the first ${most} blocks of each version are shown.`
}

/** Numbers stand for so many blocks that are alike. */
function shortened(blocks: readonly DiffBlock[]): (DiffBlock | number)[] {
  const differs = blocks.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]))
  const parts: (DiffBlock | number)[] = []
  let [hidden, next] = [0, 0]
  for (const [index, block] of blocks.entries()) {
    while (next < differs.length && differs[next]! + CONTEXT < index) next += 1
    const isNear = next < differs.length && differs[next]! - CONTEXT <= index
    if (!isNear) hidden += 1
    else {
      if (hidden > 0) parts.push(hidden)
      hidden = 0
      parts.push(block)
    }
  }
  if (hidden > 0) parts.push(hidden)
  return parts
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
