/** An edit summary as HTML: links are links, and nothing else is more than text. */

import type { FakeWikiModel } from './fake-wiki-model.ts'
import { underscored } from './titles.ts'

export function parsedComment(model: FakeWikiModel, comment: string): string {
  return escapeHtml(comment).replaceAll(
    /\[\[:?([^\]|]+)(?:\|([^\]]*))?\]\]/g,
    (_, to: string, shown?: string) => link(model, to, shown ?? to),
  )
}

function link(model: FakeWikiModel, to: string, shown: string): string {
  const parsed = model.titles.parse(to)
  if (typeof parsed === 'string') return `[[${to}]]`
  const { title } = parsed
  const page = model.pageCalled(title)
  const address = encodeURI(underscored(title))
  if (page === undefined) {
    const href = `/w/index.php?title=${address}&amp;action=edit&amp;redlink=1`
    return `<a href="${href}" class="new" title="${title} (page does not exist)">${shown}</a>`
  }
  const kind = model.redirectOf(page) === null ? '' : ' class="mw-redirect"'
  return `<a href="/wiki/${address}"${kind} title="${title}">${shown}</a>`
}

export function escapeHtml(text: string): string {
  const named = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return named.replaceAll('"', '&quot;').replaceAll("'", '&#039;')
}
