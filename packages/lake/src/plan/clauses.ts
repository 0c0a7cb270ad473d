/** Pieces of SQL: names are always quoted, expressions always stand in parentheses. */
import { sqlName } from '../kernel/sql-text.ts'
import type { Expression, Order } from '../model.ts'

export const listed = (names: readonly string[]): string => names.map(sqlName).join(', ')

/** A comment at its end must not swallow the parenthesis. */
export const wrapped = (expression: Expression): string =>
  expression.includes('--') ? `(${expression}\n)` : `(${expression})`

/** Nothing comes last, upwards and downwards: the order must not hang on a setting. */
export const ordered = (by: readonly Order[]): string =>
  by
    .map(({ column, descending }) => `${sqlName(column)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`)
    .join(', ')
