/**
 * Watches as CSV (RFC 4180): a row for each, columns by name, only `url` or `urls` needed. Lists are
 * one value per line inside a cell.
 */
import { ENTRY_NAMES, fieldIn, fieldText } from './watch-entry.ts'
import type { FileProblem, ReadEntry, ReadFile, WatchEntry } from './watch-entry.ts'

const CODE = 'MINGA_BAD_WATCH_FILE'
/** A file of ours has thirty; more are no list of watches. */
const COLUMNS_MAX = 1_000

export function csvOf(entries: readonly WatchEntry[]): string {
  const rows = entries.map((entry) => ENTRY_NAMES.map((name) => cellOf(fieldText(entry[name]))))
  return [ENTRY_NAMES, ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

/** A leading =, +, - or @ would be a formula in a spreadsheet. */
const FORMULA = /^'*[=+\-@\t\r]/

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textOf(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}

export function readCsv(text: string): ReadFile {
  const { rows, problems } = rowsIn(text.replace(/^\uFEFF/, ''))
  const [head, ...rest] = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  if (head === undefined) {
    return { entries: [], problems: [{ line: 1, code: CODE, message: 'There is no row.' }] }
  }
  const problem = (message: string): number =>
    problems.push({ line: head.line, code: CODE, message })
  const columns = new Map<keyof WatchEntry, number>()
  for (const [i, cell] of head.cells.slice(0, COLUMNS_MAX).entries()) {
    const column = columnOf(cell)
    if (column !== null) columns.set(column, i)
    else problem(`There is no field "${cell.slice(0, 100)}"; the column is passed over.`)
  }
  if (head.cells.length > COLUMNS_MAX) problem(`Only the first ${COLUMNS_MAX} columns are read.`)
  if (!columns.has('urls')) {
    const message = 'No column is called url; the first row names the columns.'
    return { entries: [], problems: [...problems, { line: head.line, code: CODE, message }] }
  }
  return { entries: rest.map((row) => entryOf(row, columns)), problems }
}

function columnOf(cell: string): keyof WatchEntry | null {
  const asked = cell.trim().toLowerCase()
  if (asked === 'url') return 'urls'
  return ENTRY_NAMES.find((name) => name.toLowerCase() === asked) ?? null
}

/** By the columns that count, of which there are few whatever the first row says. */
function entryOf(
  { line, cells }: CsvRow,
  columns: ReadonlyMap<keyof WatchEntry, number>,
): ReadEntry {
  const request: Record<string, unknown> = {}
  for (const [column, i] of columns) {
    const text = textOf(cells[i] ?? '')
    if (text !== '') request[column] = fieldIn(column, text)
  }
  return { line, request: request as unknown as ReadEntry['request'], folders: [] }
}

interface CsvRow {
  line: number
  cells: string[]
}

/** A quote that is never closed, or that stands inside a plain cell, spoils its line only. */
function rowsIn(text: string): { rows: CsvRow[]; problems: FileProblem[] } {
  const rows: CsvRow[] = []
  const problems: FileProblem[] = []
  let row: CsvRow = { line: 1, cells: [] }
  let line = 1
  for (let at = 0; at < text.length;) {
    const cell = cellAt(text, at)
    if (cell === null) {
      problems.push({ line, code: CODE, message: 'A quote is where none may be, or not closed.' })
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
      row = { line: ++line, cells: [] }
      continue
    }
    row.cells.push(cell.text)
    line += text.slice(at, cell.end).split(LINE_BREAK).length - 1
    at = cell.end
    if (text[at - 1] === ',' && at < text.length) continue
    if (text[at - 1] === ',') row.cells.push('')
    rows.push(row)
    row = { line, cells: [] }
  }
  return { rows, problems }
}

const LINE_BREAK = /\r\n|\r|\n/
const PLAIN = /[^,\r\n"]*/y
const CELL_END = /,|\r\n|\r|\n|$/y

interface Cell {
  text: string
  /** Behind the comma or line break that ends it. */
  end: number
}

function cellAt(text: string, at: number): Cell | null {
  const close = text[at] === '"' ? closingQuote(text, at + 1) : null
  if (close === -1) return null
  PLAIN.lastIndex = at
  const plain = close === null ? PLAIN.exec(text)![0] : ''
  CELL_END.lastIndex = close === null ? at + plain.length : close + 1
  if (!CELL_END.test(text)) return null
  const end = close === null ? at + plain.length : close + 1
  const stop = text.startsWith('\r\n', end) ? 2 : end < text.length ? 1 : 0
  const content = close === null ? plain : text.slice(at + 1, close).replaceAll('""', '"')
  return { text: content, end: end + stop }
}

/** A doubled quote is a quote of the text. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}
