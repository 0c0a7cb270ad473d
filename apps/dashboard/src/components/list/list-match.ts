/** Which rows match, and which comes first. Pure: the same for a list of ten and of a hundred thousand. */
import type { ColumnFilter, ListValue } from './list-column.ts'

export interface Span {
  fromMs: number | null
  /** The first moment after it. */
  toMs: number | null
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** `2026-01-01..2026-01-31`, both days included; a missing end is open. */
export function spanIn(text: string, isUtc: boolean): Span {
  const [from = '', to = ''] = text.split('..')
  return { fromMs: startOf(from, 0, isUtc), toMs: startOf(to, 1, isUtc) }
}

function startOf(day: string, plus: number, isUtc: boolean): number | null {
  if (!DAY.test(day)) return null
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  const at = isUtc
    ? Date.UTC(year, month - 1, date + plus)
    : new Date(year, month - 1, date + plus).getTime()
  return Number.isNaN(at) ? null : at
}

/** Every word of the text is in one of the values; capitals and accents do not count. */
export function matchesText(values: readonly ListValue[], text: string): boolean {
  const words = plain(text)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return true
  const whole = plain(values.join('\n'))
  return words.every((word) => whole.includes(word))
}

export function matchesFilter(
  value: ListValue,
  { filter, asked, isUtc }: { filter: ColumnFilter; asked: string; isUtc: boolean },
): boolean {
  if (asked === '') return true
  if (filter.kind === 'choice') return String(value) === asked
  if (filter.kind === 'text') return matchesText([value], asked)
  const { fromMs, toMs } = spanIn(asked, isUtc)
  if (fromMs === null && toMs === null) return true
  return (
    typeof value === 'number' &&
    (fromMs === null || value >= fromMs) &&
    (toMs === null || value < toMs)
  )
}

const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Nothing comes after something; names as people order them (`page 2` before `page 10`). */
export function compareValues(a: ListValue, b: ListValue): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(b) - Number(a)
  return order.compare(String(a), String(b))
}

/** Without accents and capitals, as people type what they look for. */
export function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
