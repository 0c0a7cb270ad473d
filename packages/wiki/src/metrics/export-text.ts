/** Tables as CSV and as JSON lines, piece by piece, so that any length fits in memory. */
import {
  attributedRows,
  columnsOf,
  type ExportColumn,
  type ExportRow,
  type ExportTable,
  type ExportValue,
} from './export-table.ts'

export function csvOf(table: ExportTable): AsyncGenerator<string> {
  return csvLines(columnsOf(table), attributedRows(table))
}

/** RFC 4180. Times are UTC; lists are joined by a bar. */
export async function* csvLines(
  columns: readonly ExportColumn[],
  rows: AsyncIterable<ExportRow> | Iterable<ExportRow>,
): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => textCell(name)).join(',')}\r\n`
  for await (const row of rows) {
    yield `${columns.map((column) => cellOf(column, row)).join(',')}\r\n`
  }
}

export async function* jsonlOf(table: ExportTable): AsyncGenerator<string> {
  const columns = columnsOf(table)
  for await (const row of attributedRows(table)) {
    const line = Object.fromEntries(columns.map((column) => [column.name, plainOf(column, row)]))
    yield `${JSON.stringify(line)}\n`
  }
}

function plainOf({ name, kind }: ExportColumn, row: ExportRow): ExportValue {
  const value = row[name] ?? null
  return kind === 'time' && typeof value === 'number' ? new Date(value).toISOString() : value
}

function cellOf(column: ExportColumn, row: ExportRow): string {
  const value = plainOf(column, row)
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return textCell(typeof value === 'string' ? value : value.join('|'))
}

/**
 * What a spreadsheet would run as a formula gets a quote in front: summaries are written by anyone.
 */
function textCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
