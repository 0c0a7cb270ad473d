/** One revision of an answer, in all the shapes that MediaWiki has given it since 1.27. */
import { isIP } from 'node:net'
import type { EditorKind, HiddenField, Revision, Slot } from '../model.ts'
import { flagAt, numberAt, objectAt, textAt, timeAt, type Json } from './answer-shape.ts'
import type { Claim } from './wiki-news.ts'

/** Null when it lacks what makes it a revision: its number or its time. */
export function revisionOf(from: Json, pageId: number): Revision | null {
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

export function claimOf(from: Json, pageId: number): Claim | null {
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
