/** The rows of a page of `action=history`, as MediaWiki has drawn them since 1.27. */
import { isIP } from 'node:net'
import { decodeText, headerValues } from '@minga/net'
import { Parser } from 'htmlparser2'
import type { EditorKind, HiddenField, Revision } from '../model.ts'
import type { WikiAnswer } from './answer-envelope.ts'
import { wholeNumber } from './step-ticket.ts'

export interface HistoryRow {
  revId: number
  date: string
  user: string
  userClass: string
  comment: string
  commentClass: string
  size: number | null
  isMinor: boolean
  tags: string[]
  isTextHidden: boolean
  isUserHidden: boolean
  isCommentHidden: boolean
  isSuppressed: boolean
}

export interface HistoryRows {
  pageId: number | null
  ns: number
  title: string | null
  lastRevId: number | null
  rows: HistoryRow[]
  /** Where the next page of the history begins; null on the last. */
  nextOffset: string | null
}

export function readHistoryRows(answer: WikiAnswer): HistoryRows {
  const [contentType] = headerValues(answer, 'content-type')
  const { text } = decodeText(answer.body, contentType)
  const reader = new RowReader()
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (chunk) => reader.text(chunk),
    onclosetag: (name) => reader.close(name),
  })
  parser.end(text)
  const number = (name: string) => wholeNumber(new RegExp(`"${name}":(-?\\d+)`).exec(text)?.[1])
  const pageId = number('wgArticleId')
  return {
    pageId: pageId === null || pageId <= 0 ? null : pageId,
    ns: number('wgNamespaceNumber') ?? 0,
    title: pageNameIn(text),
    lastRevId: number('wgCurRevisionId'),
    rows: reader.rows,
    nextOffset: reader.nextOffset,
  }
}

function pageNameIn(text: string): string | null {
  const quoted = /"wgPageName":("(?:[^"\\]|\\.){0,2000}")/.exec(text)?.[1]
  if (quoted === undefined) return null
  try {
    return String(JSON.parse(quoted)).replaceAll('_', ' ')
  } catch {
    return null
  }
}

type Field = 'date' | 'user' | 'comment'

class RowReader {
  readonly rows: HistoryRow[] = []
  nextOffset: string | null = null
  #row: HistoryRow | null = null
  /** The field whose text is being read, and how many elements deep inside it we are. */
  #field: Field | null = null
  #depth = 0

  open(name: string, attributes: Record<string, string>): void {
    const classes = (attributes['class'] ?? '').split(/\s+/)
    const has = (each: string) => classes.includes(each)
    if (name === 'a' && (has('mw-nextlink') || attributes['rel'] === 'next')) {
      this.nextOffset ??= offsetIn(attributes['href'] ?? '')
    }
    if (name === 'li' && attributes['data-mw-revid'] !== undefined)
      this.#begin(attributes['data-mw-revid'])
    if (this.#row === null) return
    if (this.#field !== null) {
      this.#depth += 1
      return
    }
    this.#look(this.#row, attributes, has)
  }

  #begin(revId: string): void {
    const id = wholeNumber(revId)
    this.#row = id === null ? null : emptyRow(id)
    this.#field = null
    if (this.#row !== null) this.rows.push(this.#row)
  }

  #look(row: HistoryRow, attributes: Record<string, string>, has: (name: string) => boolean): void {
    const className = attributes['class'] ?? ''
    const isDeleted = has('history-deleted')
    if (has('minoredit')) row.isMinor = true
    if (has('history-size')) row.size = wholeNumber(attributes['data-mw-bytes']) ?? row.size
    const tag = /\bmw-tag-marker-(\S+)/.exec(className)?.[1]
    if (tag !== undefined) row.tags.push(tag)
    if (has('mw-history-suppressed')) row.isSuppressed = true
    if (has('mw-changeslist-date')) {
      row.isTextHidden = isDeleted
      this.#enter('date')
    } else if (has('mw-userlink') && row.user === '') {
      row.isUserHidden = isDeleted
      row.userClass = className
      this.#enter('user')
    } else if (has('comment') && row.commentClass === '') {
      row.isCommentHidden = isDeleted
      row.commentClass = className
      this.#enter('comment')
    }
  }

  #enter(field: Field): void {
    this.#field = field
    this.#depth = 0
  }

  text(chunk: string): void {
    if (this.#row !== null && this.#field !== null) this.#row[this.#field] += chunk
  }

  close(name: string): void {
    if (this.#field !== null) {
      if (this.#depth === 0) this.#field = null
      else this.#depth -= 1
    } else if (name === 'li') this.#row = null
  }
}

function emptyRow(revId: number): HistoryRow {
  return {
    revId,
    date: '',
    user: '',
    userClass: '',
    comment: '',
    commentClass: '',
    size: null,
    isMinor: false,
    tags: [],
    isTextHidden: false,
    isUserHidden: false,
    isCommentHidden: false,
    isSuppressed: false,
  }
}

function offsetIn(href: string): string | null {
  return URL.parse(href, 'http://wiki.invalid/')?.searchParams.get('offset') ?? null
}

/** Null when its date cannot be read; its text still brings the time. */
export function revisionOfRow(row: HistoryRow, pageId: number): Revision | null {
  const at = timeOfDate(row.date)
  if (at === null) return null
  const user = row.isUserHidden || row.user.trim() === '' ? null : row.user.trim()
  return {
    pageId,
    revId: row.revId,
    parentId: null,
    at,
    user,
    userId: null,
    editor: editorOf(user, row.userClass),
    isMinor: row.isMinor,
    size: row.size,
    sha1: null,
    comment: row.isCommentHidden ? null : commentOf(row),
    parsedComment: null,
    tags: row.tags,
    hidden: hiddenOf(row),
    isSuppressed: row.isSuppressed,
    slots: [],
  }
}

function hiddenOf(row: HistoryRow): HiddenField[] {
  const fields: [boolean, HiddenField][] = [
    [row.isUserHidden, 'user'],
    [row.isCommentHidden, 'comment'],
    [row.isTextHidden, 'text'],
  ]
  return fields.filter(([isHidden]) => isHidden).map(([, field]) => field)
}

function commentOf({ comment, commentClass }: HistoryRow): string {
  if (/\bmw-comment-none\b/.test(commentClass)) return ''
  const text = comment.trim()
  const isBracketed =
    !/\bcomment--without-parentheses\b/.test(commentClass) && /^\(.*\)$/s.test(text)
  return isBracketed ? text.slice(1, -1) : text
}

function editorOf(user: string | null, className: string): EditorKind {
  if (user === null) return 'unknown'
  if (/\bmw-tempuserlink\b/.test(className) || /^~\d{4}-/.test(user)) return 'temporary'
  if (user.includes('>')) return 'imported'
  return isIP(user) !== 0 || /\bmw-anonuserlink\b/.test(className) ? 'anonymous' : 'registered'
}

const MONTHS =
  'january february march april may june july august september october november december'.split(' ')

/** English, in any of the orders a wiki may choose; without seconds, and taken for UTC. */
function timeOfDate(text: string): number | null {
  const exact = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?/.exec(text)?.[0]
  if (exact !== undefined) return Date.parse(`${exact}Z`)
  const clock = /(\d{1,2}):(\d\d)/.exec(text)
  const month = MONTHS.findIndex((name) => text.toLowerCase().includes(name))
  const year = /(?<!\d)(\d{4})(?!\d)/.exec(text)?.[1]
  const day = /(?<![\d:])(\d{1,2})(?![\d:])/.exec(text)?.[1]
  if (clock === null || month < 0 || year === undefined || day === undefined) return null
  return Date.UTC(Number(year), month, Number(day), Number(clock[1]), Number(clock[2]))
}
