/**
 * What a reader asked of a list, as it stands in the address: `?q=news&sort=-askedAt&state=failed`.
 * A second list on a screen has a name, and its words begin with it: `?hosts.q=news`.
 */
import type { FilledColumn } from './list-column.ts'

export interface ListState {
  text: string
  /** The column's id, with `-` before it for descending; empty for the order in which rows come. */
  sort: string
  /** What each filtered column has to hold; a span of days is written `2026-01-01..2026-01-31`. */
  filters: Record<string, string>
  /** Null for those that are not hidden by default. */
  shown: string[] | null
}

export type Search = Record<string, unknown>

export type Described = Pick<FilledColumn<never>, 'id' | 'filter' | 'isHidden'>

export interface Sort {
  id: string
  isDescending: boolean
}

export function sortOf(sort: string): Sort | null {
  if (sort === '') return null
  const isDescending = sort.startsWith('-')
  return { id: isDescending ? sort.slice(1) : sort, isDescending }
}

/** What a hand-written address says of columns that are not there is passed over. */
export function stateIn(search: Search, name: string, columns: readonly Described[]): ListState {
  const word = (key: string): string => wordIn(search[keyOf(name, key)])
  const filters = columns
    .filter(({ filter }) => filter !== undefined)
    .map(({ id }) => [id, word(id)] as const)
    .filter(([, asked]) => asked !== '')
  const sort = word('sort')
  const isKnown = columns.some(({ id }) => id === sortOf(sort)?.id)
  const shown = word('cols')
    .split(',')
    .filter((id) => columns.some((column) => column.id === id))
  return {
    text: word('q'),
    sort: isKnown ? sort : '',
    filters: Object.fromEntries(filters),
    shown: shown.length === 0 ? null : shown,
  }
}

/** The address with this state; what is as always is left out, and what others put there stays. */
export function searchWith(search: Search, name: string, state: Partial<ListState>): Search {
  const next = { ...search }
  const put = (key: string, value: string): void => {
    if (value === '') delete next[keyOf(name, key)]
    else next[keyOf(name, key)] = value
  }
  if (state.text !== undefined) put('q', state.text)
  if (state.sort !== undefined) put('sort', state.sort)
  if (state.shown !== undefined) put('cols', state.shown?.join(',') ?? '')
  for (const [id, asked] of Object.entries(state.filters ?? {})) put(id, asked)
  return next
}

/** Without any filter; order and columns are no filters. */
export function cleared(state: ListState): Partial<ListState> {
  const filters = Object.keys(state.filters).map((id) => [id, ''] as const)
  return { text: '', filters: Object.fromEntries(filters) }
}

export function isFiltered({ text, filters }: ListState): boolean {
  return text !== '' || Object.keys(filters).length > 0
}

/** What the next press on a heading sorts by: figures and times begin with the largest. */
export function nextSort(
  sort: string,
  { id, isNumber = false, isTime = false }: Pick<FilledColumn<never>, 'id' | 'isNumber' | 'isTime'>,
): string {
  const first = isNumber || isTime ? `-${id}` : id
  const second = isNumber || isTime ? id : `-${id}`
  if (sort === first) return second
  return sort === second ? '' : first
}

export function shownOf<Column extends Described>(
  columns: readonly Column[],
  shown: readonly string[] | null,
): Column[] {
  return columns.filter(({ id, isHidden }) =>
    shown === null ? isHidden !== true : shown.includes(id),
  )
}

function keyOf(name: string, key: string): string {
  return name === '' ? key : `${name}.${key}`
}

/** The router reads what looks like a number or a truth as one. */
function wordIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
