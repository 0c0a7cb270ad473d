/** A list as it is seen: what narrows it down, its rows, what is done with the chosen ones. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../use-format.ts'
import { useNow } from '../../live/live-provider.tsx'
import { Failure } from '../failure.tsx'
import { BulkBar, type BulkAction } from './list-bulk.tsx'
import type { FilledColumn } from './list-column.ts'
import { cleared, isFiltered, shownOf } from './list-state.ts'
import { ListTable } from './list-table.tsx'
import { ListToolbar } from './list-toolbar.tsx'
import { useSelection } from './list-selection.ts'
import type { ListControl } from './use-list-state.ts'

export interface ListLook<Row> {
  caption: string
  columns: readonly FilledColumn<Row>[]
  keyOf: (row: Row) => string | number
  /** When there is nothing at all: what to do next. */
  empty: ReactNode
  /** What an exported file is called, without its ending. */
  fileName?: string
  /** What is searched; a list of pages has a search only when this says what the station searches. */
  searchLabel?: string | null
  bulkActions?: readonly BulkAction<Row>[]
  /** Scrolls in a box of its own instead of with the page. */
  isBoxed?: boolean
  rowClass?: (row: Row) => string
  /** Rows that are on their way out are not shown while that can be undone. */
  isLeaving?: (row: Row) => boolean
}

export interface ShownRows<Row> {
  rows: readonly Row[] | undefined
  /** Null when they were not counted. */
  total: number | null
  isEmpty: boolean
  error: Error | null
  updatedAt: number | null
  hasMore: boolean
  /** How many were read of a list that has more and is not read on; null: all there are. */
  cutAt: number | null
  isReading: boolean
  readMore: () => void
  readAgain: () => void
  readAll: (walk: {
    signal: AbortSignal
    onCount: (count: number) => void
  }) => Promise<readonly Row[]>
}

export interface ListViewProps<Row> extends ListLook<Row> {
  control: ListControl
  shown: ShownRows<Row>
  sortable: readonly string[]
  hasSearch: boolean
}

export function ListView<Row extends object>(props: ListViewProps<Row>) {
  const { columns, control, shown, keyOf, bulkActions = [] } = props
  const selection = useSelection(keyOf)
  const visible = shownOf(columns, control.state.shown)
  const isNarrowed = isFiltered(control.state)
  if (shown.rows === undefined) {
    return shown.error === null ? (
      <ListSkeleton columns={visible.length} />
    ) : (
      <Failure error={shown.error} onRetry={shown.readAgain} />
    )
  }
  if (shown.isEmpty && !isNarrowed) return props.empty
  return (
    <div className="list">
      <Failure error={shown.error} onRetry={shown.readAgain} />
      <ListToolbar {...props} />
      {shown.rows.length === 0 ? (
        <NoMatch onClear={() => control.change(cleared(control.state))} />
      ) : (
        <ListTable
          {...props}
          visible={visible}
          rows={shown.rows}
          selection={bulkActions.length === 0 ? null : selection}
        />
      )}
      <ListFoot shown={shown} />
      {bulkActions.length === 0 ? null : (
        <BulkBar actions={bulkActions} selection={selection} shown={shown} keyOf={keyOf} />
      )}
    </div>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <p className="list-none" role="status">
      {t('list.noMatch')} <Button onPress={onClear}>{t('list.clear')}</Button>
    </p>
  )
}

const LINES = 6

/** As many lines as a list begins with, so that nothing jumps when it comes. */
function ListSkeleton({ columns }: { columns: number }) {
  const { t } = useTranslation()
  return (
    <div className="skeleton list-skeleton" role="status">
      <span className="unseen">{t('loading')}</span>
      {Array.from({ length: LINES }, (_, line) => (
        <div key={line} aria-hidden="true">
          {Array.from({ length: Math.min(columns, 6) }, (__, column) => (
            <i key={column} />
          ))}
        </div>
      ))}
    </div>
  )
}

const AGE_EVERY_MS = 1_000

function ListFoot<Row>({ shown }: { shown: ShownRows<Row> }) {
  const { t } = useTranslation()
  return (
    <div className="list-foot quiet">
      <RowCount shown={shown} />
      {shown.cutAt === null ? null : <Cut at={shown.cutAt} />}
      {shown.updatedAt === null ? null : <Updated at={shown.updatedAt} />}
      {shown.hasMore ? (
        <Button isDisabled={shown.isReading} onPress={shown.readMore}>
          {t(shown.isReading ? 'loading' : 'more')}
        </Button>
      ) : null}
    </div>
  )
}

/** Filters, order and export hold for what was read: the reader must know this. */
function Cut({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  return <b className="list-cut">{t('list.cut', { number: format.count(at) })}</b>
}

/** By the browser's clock, as the answer came. */
function Updated({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(AGE_EVERY_MS)
  return <span>{t('live.updated', { age: format.span(now - at) })}</span>
}

/** "1,234 rows", or as many as were read so far. */
function RowCount<Row>({ shown }: { shown: ShownRows<Row> }) {
  const { t } = useTranslation()
  const format = useFormat()
  const read = shown.rows?.length ?? 0
  const isWhole = shown.total !== null && !shown.hasMore
  return (
    <span role="status">
      {isWhole
        ? t('list.rows', { count: read, number: format.count(read) })
        : t('list.rowsOf', {
            number: format.count(read),
            total: shown.total === null ? '…' : format.count(shown.total),
          })}
    </span>
  )
}
