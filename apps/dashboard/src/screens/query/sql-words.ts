/** Words of SQL while they are typed: what could be meant, and what stands in the text after it was chosen. */
import type { TableView } from '@minga/protocol'

export interface Suggestion {
  word: string
  what: 'table' | 'column'
  /** Of a column: the table that has it. */
  of: string
}

const SUGGESTIONS_MOST = 8

/** The name that ends at the cursor. */
function wordBefore(sql: string, cursor: number): string {
  return /[\p{L}_][\p{L}\p{N}_]*$/u.exec(sql.slice(0, cursor))?.[0] ?? ''
}

/** Tables first, then columns; those of tables that the text names before the others. */
export function suggest(
  sql: string,
  cursor: number,
  tables: readonly Pick<TableView, 'name' | 'columns'>[],
): Suggestion[] {
  const word = wordBefore(sql, cursor).toLowerCase()
  if (word === '') return []
  const begins = (name: string): boolean =>
    name.toLowerCase().startsWith(word) && name.toLowerCase() !== word
  const isNamed = ({ name }: { name: string }): boolean =>
    new RegExp(`\\b${name}\\b`, 'i').test(sql)
  const ordered = tables.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
  const found: Suggestion[] = [
    ...ordered
      .filter(({ name }) => begins(name))
      .map(({ name }) => ({ word: name, what: 'table' as const, of: name })),
    ...ordered.flatMap(({ name: of, columns }) =>
      columns
        .filter(({ name }) => begins(name))
        .map(({ name }) => ({ word: name, what: 'column' as const, of })),
    ),
  ]
  const words = new Map(found.toReversed().map((one) => [`${one.what} ${one.word}`, one]))
  return [...words.values()].toReversed().slice(0, SUGGESTIONS_MOST)
}

export interface Edited {
  sql: string
  cursor: number
}

/** Puts a name in the place of the beginning of it that was typed. */
export function completed(sql: string, cursor: number, name: string): Edited {
  const start = cursor - wordBefore(sql, cursor).length
  return insertedAt(sql, { from: start, to: cursor }, quoted(name))
}

/** Puts a name where the cursor is, with a space where words would run together. */
export function inserted(
  sql: string,
  selection: { from: number; to: number },
  name: string,
): Edited {
  const needsSpace = /[\p{L}\p{N}_"]$/u.test(sql.slice(0, selection.from))
  return insertedAt(sql, selection, `${needsSpace ? ' ' : ''}${quoted(name)}`)
}

function insertedAt(sql: string, { from, to }: { from: number; to: number }, text: string): Edited {
  return { sql: `${sql.slice(0, from)}${text}${sql.slice(to)}`, cursor: from + text.length }
}

/** As SQL reads it: names that are more than letters stand in quotes. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

// ── What was asked before, in this browser ───────────────────────────────────────────────────

export interface Asked {
  sql: string
  at: number
}

const HISTORY_MOST = 30

/** The newest first, each text once. */
export function remembered(history: readonly Asked[], asked: Asked): Asked[] {
  return [asked, ...history.filter(({ sql }) => sql !== asked.sql)].slice(0, HISTORY_MOST)
}

/** Anything in the browser's storage, also what another program put there. */
export function historyIn(text: string | null): Asked[] {
  try {
    const list = JSON.parse(text ?? '[]') as unknown
    if (!Array.isArray(list)) return []
    return list.filter(
      (one: Partial<Asked> | null): one is Asked =>
        typeof one?.sql === 'string' && typeof one.at === 'number',
    )
  } catch {
    return []
  }
}

/** What stands behind the # of a shared address; browsers never send that part. */
export function sqlIn(fragment: string): string | null {
  const sql = new URLSearchParams(fragment.replace(/^#/, '')).get('sql')
  return sql === null || sql === '' ? null : sql
}

export const fragmentOf = (sql: string): string => new URLSearchParams({ sql }).toString()
