/**
 * One list for the whole page: it filters, sorts, shows columns and exports, keeps what was asked in
 * the address, lets rows be chosen for an act on all of them, and stays quick with 100,000 rows.
 * Its rows are at hand (`rows`), or read from the station page by page (`pages`).
 */
import { useTranslation } from 'react-i18next'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, type ReactNode } from 'react'
import { useFormat } from '../use-format.ts'
import { Ago } from '../ago.tsx'
import { useZone } from '../use-zone.ts'
import type { ListColumn, FilledColumn, ListValue } from './list-column.ts'
import { spanIn } from './list-match.ts'
import { useShownRows, walkPages, type ListQuestion, type ReadPage } from './list-rows.ts'
import { sortOf, type ListState } from './list-state.ts'
import { ListView, type ListLook, type ShownRows } from './list-view.tsx'
import { useListState } from './use-list-state.ts'

const ROWS_A_PAGE = 100
/** A list of which more was read stays as it is: to read it all again every few seconds is too much. */
const RENEWED_PAGES_MAX = 2

/** As `useQuery` answers. */
interface RowsQuery<Row> {
  data: readonly Row[] | undefined
  error: Error | null
  dataUpdatedAt?: number
  /** There are more rows than these. */
  hasUnread?: boolean
  refetch?: () => unknown
}

interface PagesSource<Row> {
  key: readonly unknown[]
  read: ReadPage<Row>
  everyMs?: number
  limit?: number
}

interface ListOptions<Row> extends ListLook<Row> {
  /** Of a second list on a screen: its words in the address begin with it. */
  name?: string
  /** The order until the user chooses another: `-askedAt`. */
  firstSort?: string
}

type KeyOf<Row> = ListOptions<Row>['keyOf']

type ListProps<Row> = Omit<ListOptions<Row>, 'columns' | 'keyOf'> & {
  columns: readonly ListColumn<Row>[]
  /** Left out by rows that have an `id`. */
  keyOf?: KeyOf<Row>
} & (Row extends { id: string | number } ? unknown : { keyOf: KeyOf<Row> }) &
  ({ rows: RowsQuery<Row>; pages?: undefined } | { pages: PagesSource<Row>; rows?: undefined })

export function List<Row extends object>(props: ListProps<Row>) {
  const columns = useFilledColumns(props.columns)
  const { keyOf = idOf } = props
  return props.rows === undefined ? (
    <ListOfPages {...props} keyOf={keyOf} columns={columns} pages={props.pages} />
  ) : (
    <ListOfRows {...props} keyOf={keyOf} columns={columns} rows={props.rows} />
  )
}

/** A list in a section of its own, under its caption; what changes it stands between the two. */
export function ListCard<Row extends object>(
  props: ListProps<Row> & { lead?: string; children?: ReactNode },
) {
  return (
    <section className="card">
      <h2>{props.caption}</h2>
      {props.lead === undefined ? null : <p className="quiet">{props.lead}</p>}
      {props.children}
      <List {...props} />
    </section>
  )
}

const NO_ROWS: never[] = []

function ListOfRows<Row extends object>(props: ListOptions<Row> & { rows: RowsQuery<Row> }) {
  const { rows: query, columns, name = '', firstSort = '' } = props
  const control = useListState(name, columns)
  const isUtc = useZone() === 'utc'
  const state = useSorted(control.state, firstSort)
  const all = query.data ?? NO_ROWS
  const rows = useShownRows(all, columns, { state, isUtc })
  const shown: ShownRows<Row> = {
    rows: query.data === undefined ? undefined : rows,
    total: rows.length,
    isEmpty: query.data !== undefined && all.length === 0,
    error: query.error,
    updatedAt: query.dataUpdatedAt ?? null,
    hasMore: false,
    cutAt: query.hasUnread === true ? all.length : null,
    isReading: false,
    readMore: () => undefined,
    readAgain: () => void query.refetch?.(),
    readAll: () => Promise.resolve(rows),
  }
  const sortable = columns.filter(({ value, canSort }) => value !== undefined && canSort !== false)
  return (
    <ListView
      {...props}
      control={{ ...control, state }}
      shown={shown}
      sortable={sortable.map(({ id }) => id)}
      searchLabel={props.searchLabel ?? null}
      hasSearch={props.searchLabel !== null}
    />
  )
}

function ListOfPages<Row extends object>(props: ListOptions<Row> & { pages: PagesSource<Row> }) {
  const { pages: source, columns, isLeaving, name = '', firstSort = '' } = props
  const control = useListState(name, columns)
  const state = useSorted(control.state, firstSort)
  const question = useQuestion(state, props)
  const query = usePagesOf(source, question)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const read = useMemo(() => data?.pages.flatMap((page) => page.rows), [data])
  const rows = useMemo(
    () => (isLeaving === undefined ? read : read?.filter((row) => !isLeaving(row))),
    [read, isLeaving],
  )
  const total = data?.pages[0]?.total ?? (hasNextPage ? null : (rows?.length ?? 0))
  const shown: ShownRows<Row> = {
    rows,
    total,
    isEmpty: rows?.length === 0,
    error,
    updatedAt: query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt,
    hasMore: hasNextPage,
    cutAt: null,
    isReading: isFetchingNextPage,
    readMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    readAgain: () => void query.refetch(),
    readAll: (walk) => walkPages(source.read, question, walk),
  }
  return (
    <ListView
      {...props}
      control={{ ...control, state }}
      shown={shown}
      sortable={columns.filter(({ canSort }) => canSort === true).map(({ id }) => id)}
      searchLabel={props.searchLabel ?? null}
      hasSearch={typeof props.searchLabel === 'string'}
    />
  )
}

function usePagesOf<Row>(source: PagesSource<Row>, question: ListQuestion) {
  return useInfiniteQuery({
    queryKey: [...source.key, question],
    queryFn: ({ pageParam }) => source.read({ ...question, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) > RENEWED_PAGES_MAX ? false : (source.everyMs ?? false),
  })
}

function useSorted(state: ListState, firstSort: string): ListState {
  return useMemo(
    () => (sortOf(state.sort) === null ? { ...state, sort: firstSort } : state),
    [state, firstSort],
  )
}

function useQuestion<Row extends object>(
  { text, sort, filters }: ListState,
  { columns, pages }: ListOptions<Row> & { pages: PagesSource<Row> },
): ListQuestion {
  const isUtc = useZone() === 'utc'
  const times = new Set(columns.filter(({ filter }) => filter?.kind === 'time').map(({ id }) => id))
  const entries = Object.entries(filters)
  return {
    text,
    sort,
    filters: Object.fromEntries(entries.filter(([id]) => !times.has(id))),
    spans: Object.fromEntries(
      entries.filter(([id]) => times.has(id)).map(([id, asked]) => [id, spanIn(asked, isUtc)]),
    ),
    cursor: null,
    limit: pages.limit ?? ROWS_A_PAGE,
  }
}

/** Columns that only say how their value is written get their cells. */
function useFilledColumns<Row extends object>(
  columns: readonly ListColumn<Row>[],
): readonly FilledColumn<Row>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return useMemo(() => {
    const shown = (as: NonNullable<ListColumn<Row>['as']>, value: ListValue): ReactNode => {
      if (value === null) return t('figure.unknown')
      if (as === 'code') return <code>{value}</code>
      if (typeof value !== 'number') return value
      if (as === 'ago') return <Ago at={value} />
      return as === 'text' ? value : format[as](value)
    }
    return columns.map((column) => {
      const { as, id, value = (row: Row) => fieldOf(row, id) } = column
      if (column.content !== undefined) return { ...column, cell: column.content }
      if (as === undefined) return { ...column, value }
      const isTime = as === 'moment' || as === 'ago'
      const isNumber = !isTime && as !== 'text' && as !== 'code'
      return { isTime, isNumber, ...column, value, cell: (row) => shown(as, value(row)) }
    })
  }, [columns, t, format])
}

const idOf = (row: object): string | number => {
  const id = fieldOf(row, 'id')
  return typeof id === 'number' ? id : String(id)
}

function fieldOf(row: object, field: string): ListValue {
  const value: unknown = Reflect.get(row, field)
  if (typeof value === 'boolean') return value
  return typeof value === 'string' || typeof value === 'number' ? value : null
}
