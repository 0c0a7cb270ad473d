/** What a list shows of each row, and how that is sorted, narrowed down and exported. */
import type { ReactNode } from 'react'

export type ListValue = string | number | boolean | null

export interface Choice {
  value: string
  label: string
}

/** Any of a few words, a part of the text, or from a day to a day. */
export type ColumnFilter =
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'text' }
  | { kind: 'time' }

export interface ListColumn<Row> {
  /** Its name in the address and in exported files. */
  id: string
  label: string
  cell: (row: Row) => ReactNode
  /** What it is sorted and filtered by and exported as; a column of buttons has none. */
  value?: (row: Row) => ListValue
  isNumber?: boolean
  /** Long addresses and names may break anywhere. */
  isAddress?: boolean
  /** Its value is a moment in milliseconds: exported as a date. */
  isTime?: boolean
  /** Whether it sorts: rows at hand do by every column with a value, a station only by what it says. */
  canSort?: boolean
  filter?: ColumnFilter
  /** Left out until the user asks for it. */
  isHidden?: boolean
  /** In a list too long to be laid out as a whole, such as `8rem`. */
  width?: string
}
