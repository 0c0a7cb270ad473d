/** Rows at hand, as the reader asked for them; and how rows of a station are all walked through. */
import {
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo, useRef } from 'react'
import type { FilledColumn, ListValue } from './list-column.ts'
import { compareValues, matchesFilter, matchesText, type Span } from './list-match.ts'
import { sortOf, type ListState } from './list-state.ts'

/** A column of its own, never shown, in which the text is looked for. */
const EVERYTHING = ' everything'

const features = tableFeatures({
  columnFilteringFeature,
  filteredRowModel: createFilteredRowModel(),
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
})

/** Filtered and sorted in the browser. */
export function useShownRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly FilledColumn<Row>[],
  { state, isUtc }: { state: ListState; isUtc: boolean },
): readonly Row[] {
  const definitions = useDefinitions(columns, isUtc)
  const sort = sortOf(state.sort)
  const written = JSON.stringify([state.text, state.filters, state.sort])
  const asked = useMemo(
    () => ({
      columnFilters: [
        ...(state.text === '' ? [] : [{ id: EVERYTHING, value: state.text }]),
        ...Object.entries(state.filters).map(([id, value]) => ({ id, value })),
      ],
      sorting: sort === null ? [] : [{ id: sort.id, desc: sort.isDescending }],
    }),
    // Written out: a new object of the same words is no new question.
    [written],
  )
  const table = useTable({ features, columns: definitions, data: rows, state: asked })
  const model = table.getSortedRowModel()
  return useMemo(() => model.rows.map(({ original }) => original), [model])
}

/** Made again only when other columns are shown: screens describe theirs at every render. */
function useDefinitions<Row extends object>(columns: readonly FilledColumn<Row>[], isUtc: boolean) {
  const latest = useRef(columns)
  latest.current = columns
  const ids = columns.map(({ id }) => id).join('\n')
  return useMemo(() => {
    const columnOf = (id: string): FilledColumn<Row> | undefined =>
      latest.current.find((column) => column.id === id)
    const valueOf = (row: Row, id: string): ListValue => columnOf(id)?.value?.(row) ?? null
    const everything = {
      id: EVERYTHING,
      accessorFn: (row: Row) => textOf(row, latest.current),
      filterFn: (row: { original: Row }, _: string, asked: string) =>
        matchesText([textOf(row.original, latest.current)], asked),
    }
    const own = ids.split('\n').map((id) => ({
      id,
      accessorFn: (row: Row) => valueOf(row, id),
      sortFn: (a: { original: Row }, b: { original: Row }) =>
        compareValues(valueOf(a.original, id), valueOf(b.original, id)),
      filterFn: (row: { original: Row }, _: string, asked: string) => {
        const filter = columnOf(id)?.filter
        const value = valueOf(row.original, id)
        return filter === undefined || matchesFilter(value, { filter, asked, isUtc })
      },
    }))
    return [everything, ...own]
  }, [ids, isUtc])
}

function textOf<Row>(row: Row, columns: readonly FilledColumn<Row>[]): string {
  return columns.map(({ value }) => value?.(row) ?? '').join('\n')
}

/** What a station is asked for, one page at a time. */
export interface ListQuestion {
  text: string
  /** By column: what its filter was set to. */
  filters: Record<string, string>
  /** By column with a filter of time, in milliseconds. */
  spans: Record<string, Span>
  /** `askedAt`, or `-askedAt` for descending; empty for the station's own order. */
  sort: string
  /** What the page before gave; null for the first. */
  cursor: string | null
  limit: number
}

export interface ListPage<Row> {
  rows: Row[]
  /** Null when there is no more. */
  cursor: string | null
  /** How many match altogether, when the station knows. */
  total?: number
}

export type ReadPage<Row> = (question: ListQuestion) => Promise<ListPage<Row>>

interface Walk {
  signal: AbortSignal
  onCount: (count: number) => void
}

/** Every row that matches; what was read until it was stopped, if it was. */
export async function walkPages<Row>(
  read: ReadPage<Row>,
  question: ListQuestion,
  { signal, onCount }: Walk,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const page: ListPage<Row> = await read({ ...question, cursor })
    for (const row of page.rows) rows.push(row)
    cursor = page.cursor
    onCount(rows.length)
  } while (cursor !== null && !signal.aborted)
  return rows
}

/** For what a station gives as plain pages, each after the last row of the one before. */
export function pagesAfter<Row, Cursor extends string | number>(
  read: (after: Cursor | null, limit: number, question: ListQuestion) => Promise<Row[]>,
  cursorOf: (last: Row) => Cursor,
): ReadPage<Row> {
  return async (question) => {
    const { cursor, limit } = question
    const rows = await read(cursor as Cursor | null, limit, question)
    const last = rows.at(-1)
    const isLast = last === undefined || rows.length < limit
    return { rows, cursor: isLast ? null : String(cursorOf(last)) }
  }
}
