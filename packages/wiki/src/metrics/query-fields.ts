/** What a query can speak of: the fields of a revision and of its page, and the time in buckets. */

export type FieldKind = 'number' | 'text' | 'time' | 'flag' | 'list' | 'digest'

export interface Field {
  kind: FieldKind
  /** Over `revisions r`; written here, never by a caller. */
  sql: string
}

export const FIELDS: Record<string, Field> = {
  wiki: { kind: 'text', sql: 'r.wiki' },
  pageid: { kind: 'number', sql: 'r.page_id' },
  ns: { kind: 'number', sql: 'r.ns' },
  title: { kind: 'text', sql: 'r.title' },
  revid: { kind: 'number', sql: 'r.rev_id' },
  parentid: { kind: 'number', sql: 'r.parent_id' },
  timestamp: { kind: 'time', sql: 'r."at"' },
  user: { kind: 'text', sql: 'r."user"' },
  userid: { kind: 'number', sql: 'r.user_id' },
  editor: { kind: 'text', sql: 'r.editor' },
  minor: { kind: 'flag', sql: 'r.is_minor' },
  size: { kind: 'number', sql: 'r.size' },
  sha1: { kind: 'digest', sql: 'lower(hex(r.sha1))' },
  comment: { kind: 'text', sql: 'r.comment' },
  tags: { kind: 'list', sql: 'r.tags' },
}

/** Hours from 0, weekdays from 1 (Monday) to 7, all in UTC. */
export const BUCKETS: Record<string, Field> = {
  hour: { kind: 'number', sql: 'hour(epoch_ms(r."at"))' },
  weekday: { kind: 'number', sql: 'isodow(epoch_ms(r."at"))' },
  day: { kind: 'text', sql: `strftime(epoch_ms(r."at"), '%Y-%m-%d')` },
  month: { kind: 'text', sql: `strftime(epoch_ms(r."at"), '%Y-%m')` },
  year: { kind: 'number', sql: 'year(epoch_ms(r."at"))' },
}

/** Measures of a group, by the word that asks for them. */
export const MEASURES = ['count', 'sum', 'avg', 'min', 'max', 'distinct', 'quantile'] as const

export type MeasureWord = (typeof MEASURES)[number]

/** Between the tags of a list on its way out of the database; no tag holds it. */
export const LIST_SEPARATOR = '\u001F'
