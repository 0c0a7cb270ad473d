/** `prop=revisions`: revisions of one page in order, the newest of several, or given ones. */

import type { FakeWikiModel } from '../fake-wiki-model.ts'
import {
  latestOf,
  revisionSha1,
  revisionSize,
  type FakePage,
  type FakeRevision,
  type FakeSlot,
} from '../fake-revision.ts'
import { parsedComment } from '../parsed-comment.ts'
import { iso } from '../perform-operation.ts'
import type { Json } from './api-answer.ts'
import { stampOf, type ApiRequest } from './api-request.ts'

const USUAL_PROPS = ['ids', 'timestamp', 'flags', 'comment', 'user']
const USUAL_LIMIT = 10

export interface RevisionsFound {
  byPage: Map<number, Json[]>
  more: Json | null
  /** Set when `rvlimit=max` was asked for: the wiki says what that was. */
  limitsJson: Json
}

export interface RevisionsQuestion {
  request: ApiRequest
  model: FakeWikiModel
  pages: readonly FakePage[]
  /** Given one by one; null when a page's own are listed. */
  revIds: readonly number[] | null
  /** Left out as if they did not exist. */
  lost: ReadonlySet<number>
  bytesMax: number
}

export function listRevisions(question: RevisionsQuestion): RevisionsFound {
  const { request, pages, revIds } = question
  const props = propsOf(request)
  if (props.has('content') && !request.has('rvslots')) warnOfLegacy(request)
  const most = props.has('content') ? request.limits.text : request.limits.list
  const isListing = ['rvlimit', 'rvdir', 'rvstart', 'rvcontinue'].some((name) => request.has(name))
  const limit = request.limit('rvlimit', { module: 'revisions', most, usual: USUAL_LIMIT })
  const limitsJson = request.text('rvlimit') === 'max' ? { limits: { revisions: most } } : {}
  if (revIds === null && isListing) {
    const [page] = pages
    const wanted = page === undefined ? [] : inOrder(question, page)
    return { ...cut(question, wanted, limit), limitsJson }
  }
  const wanted = revIds === null ? pages.map((page) => latestOf(page)) : given(question)
  return { ...cut(question, wanted, most), limitsJson }
}

function propsOf(request: ApiRequest): Set<string> {
  const asked = request.values('rvprop')
  return new Set(asked.length === 0 ? USUAL_PROPS : asked)
}

function inOrder({ request, lost }: RevisionsQuestion, page: FakePage): FakeRevision[] {
  const isNewer = request.text('rvdir') === 'newer'
  const sign = isNewer ? 1 : -1
  const start = request.time('rvstart')
  const end = request.time('rvend')
  const from = request.continueAt('rvcontinue')
  const ordered = isNewer ? page.revisions : page.revisions.toReversed()
  return ordered.filter(({ at, revId }) => {
    const isInside =
      (start === null || sign * (at - start) >= 0) && (end === null || sign * (end - at) >= 0)
    const isReached = from === null || sign * (at - from.at || revId - from.id) >= 0
    return isInside && isReached && !lost.has(revId)
  })
}

function given({ model, revIds, lost, request }: RevisionsQuestion): FakeRevision[] {
  const from = Number(request.text('rvcontinue') ?? 0)
  const wanted = [...new Set(revIds)].toSorted((a, b) => a - b)
  return wanted.flatMap((id) => {
    const revision = lost.has(id) || id < from ? undefined : model.revisions.get(id)
    return revision === undefined ? [] : [revision]
  })
}

/** At most so many, and no more than one answer may hold; but always one. */
function cut(
  question: RevisionsQuestion,
  wanted: readonly FakeRevision[],
  limit: number,
): Omit<RevisionsFound, 'limitsJson'> {
  const { request, bytesMax, revIds } = question
  const props = propsOf(request)
  const byPage = new Map<number, Json[]>()
  let bytes = 0
  for (const [index, revision] of wanted.entries()) {
    bytes += props.has('content') ? revisionSize(revision) : 0
    const isTooLarge = index > 0 && bytes > bytesMax
    if (isTooLarge) warnOfSize(request, bytesMax)
    if (index === limit || isTooLarge) {
      const place =
        revIds === null ? `${stampOf(revision.at)}|${revision.revId}` : String(revision.revId)
      return { byPage, more: { rvcontinue: place } }
    }
    const json = revisionJson(question, revision, props)
    byPage.set(revision.pageId, [...(byPage.get(revision.pageId) ?? []), json])
  }
  return { byPage, more: null }
}

function warnOfLegacy(request: ApiRequest): void {
  request.warn(
    'main',
    'Subscribe to the mediawiki-api-announce mailing list at <https://lists.wikimedia.org/postorius/lists/mediawiki-api-announce.lists.wikimedia.org/> for notice of API deprecations and breaking changes.',
  )
  request.warn(
    'revisions',
    'Because "rvslots" was not specified, a legacy format has been used for the output. This format is deprecated, and in the future the new format will always be used.',
  )
}

function warnOfSize(request: ApiRequest, bytesMax: number): void {
  const limit = bytesMax.toLocaleString('en')
  const sentence = `This result was truncated because it would otherwise be larger than the limit of ${limit} bytes.`
  request.warn('result', sentence)
}

function revisionJson(
  { request, model }: RevisionsQuestion,
  revision: FakeRevision,
  props: ReadonlySet<string>,
): Json {
  const isLegacy = !request.has('rvslots')
  const { hidden } = revision
  // Without slots, size and hash are those of the main one alone.
  const [main] = revision.slots
  const size = isLegacy ? main?.size : revisionSize(revision)
  const sha1 = isLegacy ? main?.sha1 : revisionSha1(revision)
  return {
    ...(props.has('ids') && { revid: revision.revId, parentid: revision.parentId }),
    ...(props.has('flags') && { minor: revision.isMinor }),
    ...userJson(revision, props),
    ...(props.has('timestamp') && { timestamp: iso(revision.at) }),
    ...(props.has('size') && { size }),
    ...(props.has('sha1') && (hidden.has('text') ? { sha1hidden: true } : { sha1 })),
    ...(props.has('roles') && { roles: revision.slots.map(({ role }) => role) }),
    ...(isLegacy ? legacyContent(revision, props) : slotsJson(request, revision, props)),
    ...commentJson(model, revision, props),
    ...(props.has('tags') && { tags: [...revision.tags] }),
    ...(hidden.has('suppress') && { suppressed: true }),
  }
}

function userJson(revision: FakeRevision, props: ReadonlySet<string>): Json {
  if (!props.has('user') && !props.has('userid')) return {}
  if (revision.hidden.has('user')) return { userhidden: true }
  const { user, userId } = revision
  return {
    ...(props.has('user') && { user }),
    ...(userId === 0 && { anon: true }),
    ...(props.has('userid') && { userid: userId }),
  }
}

function commentJson(
  model: FakeWikiModel,
  revision: FakeRevision,
  props: ReadonlySet<string>,
): Json {
  const { comment, hidden } = revision
  if (!props.has('comment') && !props.has('parsedcomment')) return {}
  if (hidden.has('comment')) return { commenthidden: true }
  return {
    ...(props.has('comment') && { comment }),
    ...(props.has('parsedcomment') && { parsedcomment: parsedComment(model, comment) }),
  }
}

function legacyContent(revision: FakeRevision, props: ReadonlySet<string>): Json {
  const [main] = revision.slots
  if (main === undefined || (!props.has('content') && !props.has('contentmodel'))) return {}
  const isHidden = revision.hidden.has('text')
  return {
    contentmodel: main.model,
    ...(props.has('content') &&
      (isHidden ? { texthidden: true } : { contentformat: main.format, content: main.text })),
  }
}

function slotsJson(request: ApiRequest, revision: FakeRevision, props: ReadonlySet<string>): Json {
  const isAsked = ['content', 'contentmodel', 'slotsize', 'slotsha1'].some((name) =>
    props.has(name),
  )
  if (!isAsked) return {}
  const roles = request.values('rvslots')
  const slots = revision.slots.filter(({ role }) => roles.includes('*') || roles.includes(role))
  const isHidden = revision.hidden.has('text')
  const entries = slots.map((slot) => [slot.role, slotJson(slot, props, isHidden)])
  return { slots: Object.fromEntries(entries) }
}

function slotJson(slot: FakeSlot, props: ReadonlySet<string>, isHidden: boolean): Json {
  const hasContent = props.has('content')
  return {
    ...(props.has('slotsize') && { size: slot.size }),
    ...(props.has('slotsha1') && (isHidden ? { sha1hidden: true } : { sha1: slot.sha1 })),
    ...((hasContent || props.has('contentmodel')) && { contentmodel: slot.model }),
    ...(hasContent &&
      (isHidden ? { texthidden: true } : { contentformat: slot.format, content: slot.text })),
  }
}
