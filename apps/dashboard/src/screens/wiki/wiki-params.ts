/** What the addresses of wikis ask for behind the question mark. */

export interface WikiParams {
  /** A task whose details are shown. */
  task?: string | number
  title?: string
  name?: string
  /** Numbers of pages, joined by commas. */
  pages?: string
  /** A revision by its number, and the one it is compared with. */
  rev?: string | number
  against?: string | number
  view?: string
  by?: string
  side?: string
  /** Days, both included. */
  from?: string
  until?: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** A span of days; an end that is none is no end. */
export function parseSpan({ from, until }: WikiParams): { from?: string; until?: string } {
  return {
    ...(from !== undefined && DAY.test(from) ? { from } : {}),
    ...(until !== undefined && DAY.test(until) ? { until } : {}),
  }
}

/** Null when it is no number. */
export function parseNumber(text: string | number | undefined): number | null {
  const number = Number(text ?? Number.NaN)
  return Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** The number of pages that fit side by side and can still be distinguished. */
export const COMPARED_MAX = 5

export function parsePages(pages: string | undefined): number[] {
  const numbers = (pages ?? '').split(',').map((text) => (text === '' ? null : parseNumber(text)))
  return [...new Set(numbers.filter((number) => number !== null))].slice(0, COMPARED_MAX)
}

export const VIEWS = ['text', 'diff', 'authors'] as const
type View = (typeof VIEWS)[number]

export function parseView(view: string | undefined): View {
  return VIEWS.find((known) => known === view) ?? 'text'
}

/** Which revision an address means: the newest, unless it names one that is there. */
export function parseRevisionIndex(
  revIds: readonly number[],
  rev: string | number | undefined,
): number {
  const number = parseNumber(rev)
  const index = number === null ? -1 : revIds.indexOf(number)
  return index === -1 ? revIds.length - 1 : index
}
