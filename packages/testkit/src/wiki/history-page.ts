/** The history page of the fake wiki: newest first, with the marks by which programs read it. */

import { stampOf } from './api/api-request.ts'
import { revisionSize, type FakePage, type FakeRevision } from './fake-revision.ts'
import type { FakeWikiModel } from './fake-wiki-model.ts'
import { escapeHtml, parsedComment } from './parsed-comment.ts'
import { underscored } from './titles.ts'
import { MONTHS } from './corpus-words.ts'

const MOST = 5000
const USUAL = 50

export function historyHtml(
  page: FakePage,
  params: URLSearchParams,
  { model, lost }: { model: FakeWikiModel; lost: ReadonlySet<number> },
): string {
  const limit = Math.min(Number(params.get('limit') ?? USUAL) || USUAL, MOST)
  const offset = params.get('offset') ?? ''
  const older = page.revisions
    .toReversed()
    .filter((one) => !lost.has(one.revId) && isAfter(one, offset))
  const shown = older.slice(0, limit)
  const items = shown.map((revision) => historyItem(page, revision, model))
  const last = older.length > limit ? shown.at(-1) : undefined
  const next =
    last === undefined
      ? `<span class="mw-nextlink">older ${limit}</span>`
      : `<a href="${escapeHtml(nextAddress(params, last, limit))}" rel="next" class="mw-nextlink">older ${limit}</a>`
  return `<div class="mw-pager-navigation-bar">(${next})</div><section id="pagehistory" class="mw-pager-body"><ul class="mw-contributions-list">\n${items.join('\n')}\n</ul></section>`
}

/** `offset` is the last revision that was shown already: `TIME|ID`, or a time alone. */
function isAfter({ at, revId }: FakeRevision, offset: string): boolean {
  const [stamp = '', id] = offset.split('|')
  if (stamp === '') return true
  const own = stampOf(at)
  return own < stamp || (own === stamp && id !== undefined && revId < Number(id))
}

/** Every parameter of the request stays, also one that the wiki does not know. */
function nextAddress(params: URLSearchParams, last: FakeRevision, limit: number): string {
  const next = new URLSearchParams(params)
  next.delete('limit')
  next.set('offset', `${stampOf(last.at)}|${last.revId}`)
  next.set('limit', String(limit))
  return `/w/index.php?${next.toString()}`
}

/** What only oversighters see is marked otherwise. */
function hiddenClass({ hidden }: FakeRevision): string {
  return hidden.has('suppress') ? 'history-deleted mw-history-suppressed' : 'history-deleted'
}

function historyItem(page: FakePage, revision: FakeRevision, model: FakeWikiModel): string {
  const { revId, hidden, tags } = revision
  const size = revisionSize(revision)
  const classes = tags.map((tag) => `mw-tag-${tag}`).join(' ')
  const minor = '<abbr class="minoredit" title="This is a minor edit">m</abbr>'
  const markers = tags.map(
    (tag) => `<span class="mw-tag-marker mw-tag-marker-${tag}">${tag}</span>`,
  )
  return [
    `<li data-mw-revid="${revId}"${classes === '' ? '' : ` class="${classes}"`}>`,
    dateLink(page, revision),
    userLink(revision),
    ...(revision.isMinor ? [minor] : []),
    `<span class="history-size mw-diff-bytes" data-mw-bytes="${size}">${size} bytes</span>`,
    hidden.has('comment')
      ? `<span class="${hiddenClass(revision)} comment"> <span class="comment">(edit summary removed)</span></span>`
      : summary(model, revision),
    ...(markers.length === 0 ? [] : [`<span class="mw-tag-markers">${markers.join(' ')}</span>`]),
    '</li>',
  ].join(' ')
}

function summary(model: FakeWikiModel, { comment }: FakeRevision): string {
  return comment === ''
    ? '<span class="comment mw-comment-none">No edit summary</span>'
    : `<span class="comment comment--without-parentheses">${parsedComment(model, comment)}</span>`
}

/** `00:00, 4 January 2020`: history pages show no seconds. */
function dateLink(page: FakePage, revision: FakeRevision): string {
  const { at, revId, hidden } = revision
  const [date, time] = [new Date(at).toUTCString(), new Date(at).toISOString().slice(11, 16)]
  const [, day, month, year] = date.split(' ')
  const name = MONTHS.find((each) => each.startsWith(month ?? '')) ?? ''
  const shown = `${time}, ${Number(day)} ${name} ${year}`
  const clock = `<span class="mw-changeslist-time">${time}</span>`
  if (hidden.has('text')) {
    return `${clock}<span class="${hiddenClass(revision)} mw-changeslist-date">${shown}</span>`
  }
  const title = encodeURIComponent(underscored(page.title))
  return `${clock}<a href="/w/index.php?title=${title}&amp;oldid=${revId}" class="mw-changeslist-date" title="${escapeHtml(page.title)}">${shown}</a>`
}

function userLink(revision: FakeRevision): string {
  const { user, userId, hidden } = revision
  if (hidden.has('user')) {
    return `<span class='history-user'> <span class="${hiddenClass(revision)} mw-userlink">(username removed)</span></span>`
  }
  const anonymous = userId === 0 ? ' mw-anonuserlink' : ''
  return `<span class='history-user'><a href="/wiki/User:${encodeURIComponent(underscored(user))}" class="mw-userlink${anonymous}" title="User:${escapeHtml(user)}"><bdi>${escapeHtml(user)}</bdi></a></span>`
}
