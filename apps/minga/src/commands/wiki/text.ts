/** How revisions and times are written on a terminal and in lines of JSON. */
import { endOfTime } from '@minga/archive'
import { BadOption } from '../../errors.ts'

/** A revision as the API tells it. */
export interface RevisionLine {
  pageId: number
  revId: number
  parentId: number | null
  at: number
  user: string | null
  userId: number | null
  editor: string
  isMinor: boolean
  size: number | null
  sha1: string | null
  comment: string | null
  tags: string[]
  hidden: string[]
  isSuppressed: boolean
  slots: { role: string; model: string | null; size: number | null; sha1: string | null }[]
  source: string
}

/** Under the names that MediaWiki's own API gives. */
export function plainRevision(revision: RevisionLine): Record<string, unknown> {
  const { slots, hidden, isSuppressed } = revision
  return {
    revid: revision.revId,
    parentid: revision.parentId,
    pageid: revision.pageId,
    timestamp: timestamp(revision.at),
    user: revision.user,
    userid: revision.userId,
    editor: revision.editor,
    minor: revision.isMinor,
    size: revision.size,
    sha1: revision.sha1,
    comment: revision.comment,
    tags: revision.tags,
    hidden,
    suppressed: isSuppressed,
    slots: slots.map(({ role, model, size, sha1 }) => ({ role, model, size, sha1 })),
    source: revision.source,
  }
}

/** `2026-01-31T12:00:00Z`, as wikis write it. */
function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

export function revisionText(revision: RevisionLine): string {
  const { revId, at, size, user, comment, isMinor, hidden } = revision
  const who = user ?? (hidden.includes('user') ? '(hidden)' : '(unknown)')
  const what = comment ?? (hidden.includes('comment') ? '(hidden)' : '')
  const marks = `${isMinor ? ' m' : ''}${hidden.includes('text') ? ' (text hidden)' : ''}`
  return `${String(revId).padStart(10)}  ${timestamp(at)}  ${String(size ?? '?').padStart(8)}  ${who}${marks}  ${oneLine(what)}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

const EXPECTED = 'a time such as 2026, 2026-01-31 or 2026-01-31T12:00:00Z'

/** The first moment that a time covers. */
export function startIn(option: string): (text: string) => number {
  return (text) => {
    const digits = text.replace(/Z$/, '').replaceAll(/[-:T. ]/g, '')
    const isPlain = /^\d{4}(\d\d){0,5}$/.test(digits)
    const full = digits.padEnd(14, '00000101000000'.slice(digits.length))
    const [year, month, day] = [full.slice(0, 4), full.slice(4, 6), full.slice(6, 8)]
    const [hour, minute, second] = [full.slice(8, 10), full.slice(10, 12), full.slice(12, 14)]
    const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`
    const at = Date.parse(isPlain ? iso : text)
    if (Number.isNaN(at)) throw new BadOption(option, EXPECTED, text)
    return at
  }
}

/** The first moment after a time: `--until 2026` has all of 2026. */
export function endIn(option: string): (text: string) => number {
  return (text) => {
    const end = endOfTime(text)
    if (end === null) throw new BadOption(option, EXPECTED, text)
    return end + 1
  }
}

/** Titles joined by a bar, as wikis themselves do it: no title can hold one. */
export function titlesIn(text: string): string[] {
  return text
    .split('|')
    .map((title) => title.trim())
    .filter((title) => title !== '')
}
