/** Answers that hold revisions: a page's history, its list of numbers, revisions by number. */
import { isIP } from 'node:net'
import type { EditorKind, HiddenField, Revision, Slot } from '../model.ts'
import { problemOf, type Envelope } from './answer-envelope.ts'
import { flagAt, listAt, numberAt, objectAt, textAt, timeAt, type Json } from './answer-shape.ts'
import { gapOf, type Gap } from './gap.ts'
import { missingOf, pageOf } from './read-pages.ts'
import { checkTexts } from './revision-sha1.ts'
import { largerLimit } from './step-size.ts'
import { newsOf, type Claim, type MissingPage, type PageNews, type WikiNews } from './wiki-news.ts'
import {
  isSame,
  type ByIdsStep,
  type Continue,
  type IdsStep,
  type Reached,
  type RevisionsStep,
} from './wiki-step.ts'

interface Found<Row> {
  rows: Row[]
  pages: PageNews[]
  missing: MissingPage[]
}

function found<Row>(
  envelope: Envelope,
  read: (row: Json, pageId: number) => Row | null,
): Found<Row> {
  const rows: Row[] = []
  const pages: PageNews[] = []
  const missing: MissingPage[] = []
  for (const each of listAt(envelope.query, 'pages')) {
    const gone = missingOf(each)
    if (gone !== null) missing.push(gone)
    const page = pageOf(each)
    if (page === null) continue
    // Only the first answer about a page has its facts; later ones have revisions alone.
    if (page.lastRevId !== null) pages.push(page)
    for (const row of listAt(each, 'revisions')) {
      const one = read(row, page.pageId)
      if (one !== null) rows.push(one)
    }
  }
  return { rows, pages, missing }
}

export function readRevisions(step: RevisionsStep, envelope: Envelope, limitMax: number): WikiNews {
  const { rows: revisions, pages, missing } = found(envelope, revisionOf)
  const gaps = step.withText ? revisions.flatMap(checkTexts) : revisions.map(unreadable)
  const news = newsOf({ pages, missing, revisions, gaps, warnings: envelope.warnings })
  const isBack = step.order === 'newest-first'
  const turn = turnOf(step, { rows: revisions, more: envelope.more, isBack })
  if (turn.kind === 'loop') return looped(news, step.pageId)
  if (turn.kind === 'end') {
    if (missing.length > 0) return news
    const isWhole = step.since === null
    return { ...news, finished: finishedOf(step, revisions, isWhole) }
  }
  const limit = step.withText ? largerLimit(step.limit, limitMax) : 1
  return { ...news, next: [{ ...step, ...turn.onward, limit, withText: true }] }
}

function unreadable(revision: Revision): Gap {
  return gapOf('text-unreadable', revision, 'It was asked for alone.')
}

export function readIds(step: IdsStep, envelope: Envelope): WikiNews {
  const { rows: claims, pages, missing } = found(envelope, claimOf)
  const news = newsOf({ pages, missing, claims, warnings: envelope.warnings })
  const turn = turnOf(step, { rows: claims, more: envelope.more, isBack: false })
  if (turn.kind === 'loop') return looped(news, step.pageId)
  if (turn.kind === 'onward') return { ...news, next: [{ ...step, ...turn.onward }] }
  return missing.length > 0 ? news : { ...news, finished: finishedOf(step, claims, true) }
}

function finishedOf(step: RevisionsStep | IdsStep, rows: readonly Reached[], isWhole: boolean) {
  const times = [...rows.map(({ at }) => at), ...(step.reached === null ? [] : [step.reached.at])]
  const newestAt = times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b))
  return { pageId: step.pageId, revisions: step.soFar + rows.length, isWhole, newestAt }
}

function looped(news: WikiNews, pageId: number): WikiNews {
  const message =
    'The wiki continues its answer where it has been before; what came so far is kept.'
  return {
    ...news,
    gaps: [...news.gaps, gapOf('history-cut', { pageId }, 'Its continuation runs in circles.')],
    problem: problemOf('MINGA_WIKI_LOOP', 'never', 0, message),
  }
}

type Turn =
  | { kind: 'end' }
  | { kind: 'loop' }
  | { kind: 'onward'; onward: { more: Continue; soFar: number; reached: Reached | null } }

/**
 * MediaWiki lists a history by time and number. An answer that does not come after the one before it, or
 * that continues as it was asked, would never end: the counter in the URL hides it from the seen-set.
 */
function turnOf(
  step: RevisionsStep | IdsStep,
  {
    rows,
    more,
    isBack,
  }: { rows: readonly (Reached | Claim)[]; more: Continue | null; isBack: boolean },
): Turn {
  const [first, last] = [rows[0], rows.at(-1)]
  const { reached } = step
  if (reached !== null && first !== undefined && !isAfter(first, reached, isBack))
    return { kind: 'loop' }
  if (more === null) return { kind: 'end' }
  if (isSame(more, step.more) || last === undefined) return { kind: 'loop' }
  const onward = { at: last.at, revId: last.revId }
  return { kind: 'onward', onward: { more, soFar: step.soFar + rows.length, reached: onward } }
}

function isAfter(row: Reached, reached: Reached, isBack: boolean): boolean {
  const order = row.at - reached.at || row.revId - reached.revId
  return isBack ? order < 0 : order > 0
}

/** A revision whose page is gone is as missing as one that never was. */
export function readByIds(step: ByIdsStep, envelope: Envelope): WikiNews {
  const { rows: revisions } = found(envelope, revisionOf)
  const gone = listAt(envelope.query, 'badrevids').filter((each) => flagAt(each, 'missing'))
  const missing = gone.map((each): MissingPage => ({
    title: textAt(each, 'title'),
    pageId: null,
    why: 'missing',
    detail: `revision ${numberAt(each, 'revid')}`,
  }))
  const { more, warnings } = envelope
  const news = newsOf({ revisions, missing, warnings, gaps: revisions.flatMap(checkTexts) })
  if (more === null) return news
  if (isSame(more, step.more) || revisions.length === 0) {
    const message = 'The wiki continues its answer where it has been before.'
    return { ...news, problem: problemOf('MINGA_WIKI_LOOP', 'never', 0, message) }
  }
  return { ...news, next: [{ ...step, more }] }
}

/** Null when it lacks what makes it a revision: its number or its time. */
function revisionOf(from: Json, pageId: number): Revision | null {
  const revId = numberAt(from, 'revid')
  const at = timeAt(from, 'timestamp')
  if (revId === null || at === null) return null
  const user = textAt(from, 'user')
  return {
    pageId,
    revId,
    parentId: numberAt(from, 'parentid'),
    at,
    user,
    userId: user === null ? null : numberAt(from, 'userid'),
    editor: editorOf(from, user),
    isMinor: flagAt(from, 'minor'),
    size: numberAt(from, 'size'),
    sha1: sha1At(from),
    comment: textAt(from, 'comment'),
    parsedComment: textAt(from, 'parsedcomment'),
    tags: tagsOf(from),
    hidden: hiddenOf(from),
    isSuppressed: flagAt(from, 'suppressed'),
    slots: slotsOf(from),
  }
}

function claimOf(from: Json, pageId: number): Claim | null {
  const revId = numberAt(from, 'revid')
  const at = timeAt(from, 'timestamp')
  if (revId === null || at === null) return null
  const [parentId, size] = [numberAt(from, 'parentid'), numberAt(from, 'size')]
  return { pageId, revId, parentId, at, size, sha1: sha1At(from), hidden: hiddenOf(from) }
}

/** A revision before its SHA-1 was counted has an empty one. */
function sha1At(from: Json): string | null {
  const text = (textAt(from, 'sha1') ?? '').toLowerCase()
  return /^[0-9a-f]{40}$/.test(text) ? text : null
}

function tagsOf(from: Json): string[] {
  const tags = from['tags']
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}

const HIDDEN: [key: string, field: HiddenField][] = [
  ['userhidden', 'user'],
  ['commenthidden', 'comment'],
  ['texthidden', 'text'],
  ['sha1hidden', 'sha1'],
]

/** Text and SHA-1 are hidden in the slots since there are slots. */
function hiddenOf(from: Json): HiddenField[] {
  const slots = Object.values(objectAt(from, 'slots') ?? {}) as (Json | null)[]
  return HIDDEN.filter(([key]) => [from, ...slots].some((each) => flagAt(each, key))).map(
    ([, field]) => field,
  )
}

function slotsOf(from: Json): Slot[] {
  const slots = objectAt(from, 'slots')
  if (slots === null)
    return [{ ...slotOf('main', from), size: numberAt(from, 'size'), sha1: sha1At(from) }]
  return Object.entries(slots)
    .map(([role]) => slotOf(role, objectAt(slots, role) ?? {}))
    .toSorted((a, b) => rank(a) - rank(b) || (a.role < b.role ? -1 : 1))
}

function rank({ role }: Slot): number {
  return role === 'main' ? 0 : 1
}

function slotOf(role: string, from: Json): Slot {
  const content = textAt(from, 'content') ?? textAt(from, '*')
  return {
    role,
    model: textAt(from, 'contentmodel'),
    format: textAt(from, 'contentformat'),
    size: numberAt(from, 'size'),
    sha1: sha1At(from),
    text: content === null ? null : Buffer.from(content),
  }
}

/**
 * Early wikis showed addresses in part (`1.2.3.xxx`) or as host names. A name without an account is that of
 * an old script, or of another wiki that the revision was imported from (`w>Name`).
 */
function editorOf(from: Json, user: string | null): EditorKind {
  if (user === null) return 'unknown'
  if (flagAt(from, 'temp') || /^~\d{4}-/.test(user)) return 'temporary'
  if (user.includes('>')) return 'imported'
  if (isIP(user) !== 0 || /^\d{1,3}(?:\.\d{1,3}){2}\.xxx$/i.test(user)) return 'anonymous'
  const hasNoAccount = flagAt(from, 'anon') || numberAt(from, 'userid') === 0
  if (!hasNoAccount) return 'registered'
  return /^[\w-]+(?:\.[\w-]+)+\.xxx$/i.test(user) ? 'anonymous' : 'unknown'
}
