/** A list as it is seen: what narrows it down, its rows, what is done with the chosen ones. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Failure } from '../failure.tsx'
import { BulkBar, type BulkAction } from './list-bulk.tsx'
import type { FilledColumn } from './list-column.ts'
import { ListFoot } from './list-foot.tsx'
import { ListSkeleton } from './list-skeleton.tsx'
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
