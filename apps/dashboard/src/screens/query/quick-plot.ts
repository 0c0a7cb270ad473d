/** A plot of an answer at a glance: which columns against which, and where everything stands. */

export const PLOT_KINDS = ['bar', 'line', 'scatter'] as const
export type PlotKind = (typeof PLOT_KINDS)[number]

export interface PlotChoice {
  kind: PlotKind
  /** Places of columns. */
  x: number
  y: number
}

export interface Answer {
  columns: readonly string[]
  rows: readonly (readonly unknown[])[]
}

/** More bars than this cannot be distinguished, more points than that only cost time. */
const BARS_MOST = 40
const POINTS_MOST = 2_000
/** Enough to know what a column holds. */
const SAMPLE = 200

/** The number that a cell is; decimals come as texts. Null: it is none. */
export function numberIn(cell: unknown): number | null {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null
  if (typeof cell !== 'string' || !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) return null
  return Number(cell)
}

/** A moment in milliseconds, of what looks like one. */
export function momentIn(cell: unknown): number | null {
  if (typeof cell !== 'string' || !/^\d{4}-\d{2}-\d{2}([T ]|$)/.test(cell)) return null
  // As DuckDB writes it: a space for the T, hours alone for the zone, and none means UTC.
  const written = cell.replace(' ', 'T').replace(/(:\d{2}(?:\.\d+)?[+-]\d{2})$/, '$1:00')
  const at = Date.parse(/T[\d:.]+$/.test(written) ? `${written}Z` : written)
  return Number.isNaN(at) ? null : at
}

type ColumnKind = 'number' | 'time' | 'text'

function kindOf({ rows }: Answer, column: number): ColumnKind {
  const cells = rows
    .slice(0, SAMPLE)
    .map((row) => row[column])
    .filter((cell) => cell !== null)
  if (cells.length === 0) return 'text'
  if (cells.every((cell) => numberIn(cell) !== null)) return 'number'
  return cells.every((cell) => momentIn(cell) !== null) ? 'time' : 'text'
}

/** Null when there is nothing to measure. */
export function guessPlot(answer: Answer): PlotChoice | null {
  const kinds = answer.columns.map((_, column) => kindOf(answer, column))
  const y = kinds.lastIndexOf('number')
  if (y === -1 || answer.rows.length === 0) return null
  const time = kinds.indexOf('time')
  if (time !== -1) return { kind: 'line', x: time, y }
  const text = kinds.indexOf('text')
  if (text !== -1) return { kind: 'bar', x: text, y }
  const x = kinds.findIndex((kind, column) => kind === 'number' && column !== y)
  if (x === -1) return { kind: 'bar', x: y, y }
  return { kind: isRising(answer, x) ? 'line' : 'scatter', x, y }
}

function isRising({ rows }: Answer, column: number): boolean {
  const values = rows.slice(0, SAMPLE).map((row) => numberIn(row[column]))
  return values.every((value, i) => i === 0 || (value ?? 0) > (values[i - 1] ?? 0))
}

export interface Point {
  label: string
  /** Of lines and points: where on the axis; of bars their number. */
  x: number
  y: number
}

export interface PlotData {
  points: Point[]
  /** Whether `x` counts rows, is a number, or a moment. */
  axis: 'row' | 'number' | 'time'
  /** Rows with a value that are not drawn. */
  left: number
}

export function plotData(answer: Answer, { kind, x, y }: PlotChoice): PlotData {
  const column = kindOf(answer, x)
  const axis = kind === 'bar' || column === 'text' ? 'row' : column
  const most = kind === 'bar' ? BARS_MOST : POINTS_MOST
  const points = answer.rows.flatMap((row, place): Point[] => {
    const value = numberIn(row[y])
    const at = axis === 'row' ? place : axis === 'time' ? momentIn(row[x]) : numberIn(row[x])
    return value === null || at === null ? [] : [{ label: textOf(row[x]), x: at, y: value }]
  })
  const drawn = points.slice(0, most)
  const sorted = kind === 'line' && axis !== 'row' ? drawn.toSorted((a, b) => a.x - b.x) : drawn
  return { points: sorted, axis, left: points.length - drawn.length }
}

/** A cell as it is read. */
export function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
}

/** Round numbers from below the least to above the greatest. */
export function ticksOf(least: number, most: number, about = 5): number[] {
  const span = most - least || Math.abs(most) || 1
  const rough = span / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough)!
  const first = Math.floor(least / step)
  const last = Math.ceil((most === least ? least + span : most) / step)
  const count = Math.max(1, last - first)
  return Array.from({ length: count + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** Where a value stands between two ends. */
export const shareOf = (value: number, least: number, most: number): number =>
  most === least ? 0.5 : (value - least) / (most - least)
