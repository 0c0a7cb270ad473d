/** Rows and columns; on a narrow screen each row stands as a card with its labels. */
import type { ReactNode } from 'react'
import { InList } from './list/in-list.ts'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** Long addresses and names may break anywhere. */
  isAddress?: boolean
}

interface DataTableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}

export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <table className="data-table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={classOf(column)}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <InList value>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.label} className={classOf(column)} data-label={column.label}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </InList>
      </tbody>
    </table>
  )
}

function classOf<Row>({ isNumber, isAddress }: Column<Row>): string {
  return isNumber ? 'number' : isAddress ? 'address' : ''
}
