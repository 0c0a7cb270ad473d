/**
 * A real table, also of 100,000 rows: rows out of sight are one empty row of their height, and
 * screen readers get how many there are and the number of each. Narrow screens show cards.
 */
import { flushSync } from 'react-dom'
import { memo, useMemo, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InList } from './in-list.ts'
import type { FilledColumn } from './list-column.ts'
import type { Selection } from './list-selection.ts'
import { nextSort, sortOf } from './list-state.ts'
import type { ListViewProps } from './list-view.tsx'
import { BoxRows, WindowRows } from './virtual-rows.tsx'

/** Fewer are laid out as a whole: that is simple, and found by the browser's own search. */
const VIRTUAL_FROM = 100
/** More would not be read on paper; the export has them all. */
const PRINTED_MAX = 2_000

export interface ListTableProps<Row> extends ListViewProps<Row> {
  visible: readonly FilledColumn<Row>[]
  rows: readonly Row[]
  selection: Selection<Row> | null
}

export function ListTable<Row extends object>(props: ListTableProps<Row>) {
  const { rows, shown, isBoxed = false } = props
  const isPrinting = useIsPrinting()
  const isVirtual = rows.length >= VIRTUAL_FROM && !isPrinting
  const renderRow = useRenderRow(props)
  const body = { count: rows.length, renderRow, width: widthOf(props), shown }
  if (!isVirtual) {
    return (
      <TableFrame {...props} isVirtual={false}>
        <tbody>{rows.slice(0, PRINTED_MAX).map((_, index) => renderRow(index))}</tbody>
      </TableFrame>
    )
  }
  if (!isBoxed) {
    return (
      <TableFrame {...props} isVirtual>
        <WindowRows {...body} />
      </TableFrame>
    )
  }
  return (
    <BoxRows
      {...body}
      label={props.caption}
      frame={(children) => (
        <TableFrame {...props} isVirtual>
          {children}
        </TableFrame>
      )}
    />
  )
}

/** Columns, and the box to choose a row. */
function widthOf<Row>({ visible, selection }: ListTableProps<Row>): number {
  return visible.length + (selection === null ? 0 : 1)
}

export interface Placed {
  /** Its index in the whole list, for code that measures it. */
  measure?: (element: HTMLTableRowElement | null) => void
}

function useRenderRow<Row extends object>(props: ListTableProps<Row>) {
  const { rows, visible, selection, keyOf, rowClass } = props
  return useMemo(
    () =>
      (index: number, placed: Placed = {}): ReactNode => {
        const row = rows[index]!
        return (
          <RowView
            key={keyOf(row)}
            row={row}
            index={index}
            columns={visible}
            className={rowClass?.(row) ?? ''}
            {...(selection === null
              ? {}
              : { isChosen: selection.has(row), onChoose: selection.toggle })}
            {...placed}
          />
        )
      },
    [rows, visible, selection, keyOf, rowClass],
  )
}

interface RowViewProps<Row> extends Placed {
  row: Row
  index: number
  columns: readonly FilledColumn<Row>[]
  className: string
  isChosen?: boolean
  onChoose?: (row: Row) => void
}

/** The row of headings is the first. */
const FIRST_ROW = 2

function PlainRow<Row>(props: RowViewProps<Row>) {
  const { row, index, columns, isChosen = false, onChoose, measure, className } = props
  const { t } = useTranslation()
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + FIRST_ROW}
      className={`${className}${isChosen ? ' chosen' : ''}`}
    >
      {onChoose === undefined ? null : (
        <td className="choose">
          <input
            type="checkbox"
            aria-label={t('list.choose', { row: index + 1 })}
            checked={isChosen}
            onChange={() => onChoose(row)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={classOf(column)} data-label={column.label}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

const RowView = memo(PlainRow) as typeof PlainRow

function classOf<Row>({ isNumber, isAddress }: FilledColumn<Row>): string {
  return isNumber ? 'number' : isAddress ? 'address' : ''
}

interface FrameProps<Row> extends ListTableProps<Row> {
  isVirtual: boolean
  children: ReactNode
}

function TableFrame<Row extends object>(props: FrameProps<Row>) {
  const { caption, visible, shown, selection, isVirtual, rows, children } = props
  return (
    <table
      className={`data-table list-table${isVirtual ? ' virtual' : ''}`}
      aria-rowcount={
        shown.total === null || shown.hasMore ? (shown.total ?? -2) + 1 : rows.length + 1
      }
    >
      <caption className="unseen">{caption}</caption>
      {isVirtual ? <Widths {...props} /> : null}
      <thead>
        <tr aria-rowindex={1}>
          {selection === null ? null : <ChooseAll rows={rows} selection={selection} />}
          {visible.map((column) => (
            <Heading key={column.id} column={column} {...props} />
          ))}
        </tr>
      </thead>
      <InList value>{children}</InList>
    </table>
  )
}

/** Fixed, else columns would jump with whatever rows are in sight. */
function Widths<Row>({ visible, selection }: ListTableProps<Row>) {
  const hasRoom = visible.some(({ isAddress, width }) => isAddress && width === undefined)
  const usual = (column: FilledColumn<Row>): string =>
    column.isAddress || !hasRoom ? 'auto' : column.isNumber ? '7.5rem' : '9rem'
  return (
    <colgroup>
      {selection === null ? null : <col style={{ width: '2.2rem' }} />}
      {visible.map((column) => (
        <col key={column.id} style={{ width: column.width ?? usual(column) }} />
      ))}
    </colgroup>
  )
}

function ChooseAll<Row>(props: { rows: readonly Row[]; selection: Selection<Row> }) {
  const { rows, selection } = props
  const { t } = useTranslation()
  const chosen = selection.chosen.size === 0 ? 0 : rows.filter(selection.has).length
  return (
    <th scope="col" className="choose">
      <input
        type="checkbox"
        aria-label={t('list.chooseAll')}
        checked={chosen > 0 && chosen === rows.length}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen > 0 && chosen < rows.length
        }}
        onChange={() => selection.toggleAll(rows)}
      />
    </th>
  )
}

function Heading<Row>(props: ListTableProps<Row> & { column: FilledColumn<Row> }) {
  const { column, control, sortable } = props
  const sort = sortOf(control.state.sort)
  const isSorted = sort?.id === column.id
  if (!sortable.includes(column.id)) {
    return (
      <th scope="col" className={classOf(column)}>
        {column.label}
      </th>
    )
  }
  return (
    <th
      scope="col"
      className={classOf(column)}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className="sort"
        onClick={() => control.change({ sort: nextSort(control.state.sort, column) })}
      >
        {column.label}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? ' ▼' : ' ▲') : ' ↕'}</span>
      </button>
    </th>
  )
}

/** True while the browser lays the page out for paper: then lists are whole. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // At once: the browser takes its picture when this returns.
    const begin = (): void => flushSync(() => setPrinting(true))
    const end = (): void => setPrinting(false)
    const media = matchMedia('print')
    const changed = (): void => (media.matches ? begin() : end())
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    media.addEventListener('change', changed)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
      media.removeEventListener('change', changed)
    }
  }, [])
  return isPrinting
}
