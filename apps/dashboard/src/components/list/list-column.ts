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

export const choiceOf = (
  values: readonly string[],
  label: (value: string) => string,
): ColumnFilter => ({
  kind: 'choice',
  choices: values.map((value) => ({ value, label: label(value) })),
})

interface ColumnLook {
  label: string
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

/** A column whose cells are drawn by the list itself, or by the screen. */
export interface FilledColumn<Row> extends ColumnLook {
  /** Its name in the address and in exported files. */
  id: string
  cell: (row: Row) => ReactNode
  /** What it is sorted and filtered by and exported as; a column of buttons has none. */
  value?: (row: Row) => ListValue
}

export type FigureKind = 'count' | 'bytes' | 'money' | 'percent' | 'rate' | 'span' | 'delay'
export type TimeKind = 'moment' | 'ago'
export type TextKind = 'text' | 'code'

type FieldOf<Row, Value> = {
  [Field in keyof Row]: Row[Field] extends Value | null ? Field : never
}[keyof Row] &
  string

/** Drawn by the screen; without a value of its own it has that of the field of its name. */
type DrawnColumn<Row> = { as?: undefined; cell: (row: Row) => ReactNode } & (
  | { id: FieldOf<Row, ListValue>; value?: undefined }
  | { id: string; value: (row: Row) => ListValue }
)

/** Buttons, links and whatever else is neither sorted by nor exported. */
interface ContentColumn<Row> extends ColumnLook {
  id: string
  content: (row: Row) => ReactNode
  as?: undefined
  value?: never
}

/** As it is written everywhere: by a field of the row, or by what is read from the row. */
type PlainColumn<Row, Kind, Value extends ListValue> =
  | { as: Kind; id: FieldOf<Row, Value>; value?: undefined; cell?: undefined }
  | { as: Kind; id: string; value: (row: Row) => Value | null; cell?: undefined }

export type ListColumn<Row> =
  | ContentColumn<Row>
  | (ColumnLook & { content?: undefined } & (
        | DrawnColumn<Row>
        | PlainColumn<Row, FigureKind | TimeKind, number>
        | PlainColumn<Row, TextKind, string | number>
      ))
