/** A list as a file: CSV for spreadsheets, JSON Lines for programs. */
import type { FilledColumn, ListValue } from './list-column.ts'

export type FileKind = 'csv' | 'jsonl'

export const FILE_TYPES: Record<FileKind, string> = {
  csv: 'text/csv;charset=utf-8',
  jsonl: 'application/x-ndjson;charset=utf-8',
}

/** Lines per piece: a text of a hundred thousand rows in one would freeze the page for a second. */
const PIECE_LINES = 5_000

export function* pieces<Row>(
  rows: readonly Row[],
  columns: readonly FilledColumn<Row>[],
  kind: FileKind,
): Generator<string> {
  const exported = columns.filter(({ value }) => value !== undefined)
  const line = kind === 'csv' ? csvLine : jsonLine
  if (kind === 'csv') yield `${exported.map(({ id }) => csvField(id)).join(',')}\r\n`
  for (let from = 0; from < rows.length; from += PIECE_LINES) {
    yield rows
      .slice(from, from + PIECE_LINES)
      .map((row) => line(row, exported))
      .join('')
  }
}

function csvLine<Row>(row: Row, columns: readonly FilledColumn<Row>[]): string {
  return `${columns.map((column) => csvField(exportedOf(row, column))).join(',')}\r\n`
}

function jsonLine<Row>(row: Row, columns: readonly FilledColumn<Row>[]): string {
  const fields = columns.map((column) => [column.id, exportedOf(row, column)])
  return `${JSON.stringify(Object.fromEntries(fields))}\n`
}

function exportedOf<Row>(row: Row, { value, isTime }: FilledColumn<Row>): ListValue {
  const it = value!(row)
  return isTime === true && typeof it === 'number' ? new Date(it).toISOString() : it
}

/**
 * Names and titles come from strangers: one that begins as a formula does would be run by a
 * spreadsheet, so it gets an apostrophe, which they take for "this is text". Figures stay figures.
 */
function csvField(value: ListValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = /^[\s]*[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
