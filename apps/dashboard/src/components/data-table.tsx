/** Rows and columns; on a narrow screen each row stands as a card with its labels. */
import type { ReactNode } from 'react'
import { InList } from './list/in-list.ts'
import type { ListValue } from './list/list-column.ts'
import { ListExport } from './list/list-export.tsx'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ReactNode
  /** What a file has of it; of a column without, nothing. */
  value?: (row: Row) => ListValue
  isNumber?: boolean
  /** Long addresses and names may break anywhere. */
  isAddress?: boolean
}

interface DataTableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** What its file is called, without the ending; a table without a name has no file. */
  fileName?: string
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, fileName } = props
  return (
    <>
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
      {fileName === undefined ? null : (
        <div className="table-file">
          <ListExport
            columns={columns.map((column) => ({ ...column, id: column.label }))}
            fileName={fileName}
            readAll={() => Promise.resolve(rows)}
          />
        </div>
      )}
    </>
  )
}

function classOf<Row>({ isNumber, isAddress }: Column<Row>): string {
  return isNumber ? 'number' : isAddress ? 'address' : ''
}
