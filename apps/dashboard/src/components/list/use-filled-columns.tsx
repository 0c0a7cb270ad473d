/** Columns that only say how their value is written get their cells. */
import { useMemo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Ago } from '../ago.tsx'
import { useFormat } from '../use-format.ts'
import type { FilledColumn, ListColumn, ListValue } from './list-column.ts'

export function useFilledColumns<Row extends object>(
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
      if (as === undefined) return column
      const isTime = as === 'moment' || as === 'ago'
      const isNumber = !isTime && as !== 'text' && as !== 'code'
      return { isTime, isNumber, ...column, value, cell: (row) => shown(as, value(row)) }
    })
  }, [columns, t, format])
}

function fieldOf(row: object, field: string): ListValue {
  const value: unknown = Reflect.get(row, field)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}
