/** A row function: values of one row in, one value out. It remembers nothing, so rows may come in any order. */

/** Dates, decimals and lists arrive as text. */
export type RowValue = string | number | bigint | boolean | null

export type RowFunction = (...values: RowValue[]) => RowValue

/** What JavaScript and DuckDB have in common; values of all other types are text. */
export type ValueKind = 'integer' | 'bigint' | 'number' | 'boolean' | 'text'

const KINDS: Record<string, ValueKind> = {
  TINYINT: 'integer',
  SMALLINT: 'integer',
  INTEGER: 'integer',
  BIGINT: 'bigint',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
}

export const valueKind = (type: string): ValueKind => KINDS[type.toUpperCase()] ?? 'text'

const INTEGER_MOST = 2 ** 31 - 1

/** The answer as its column takes it; undefined when it cannot. */
export function fittingAnswer(value: RowValue | undefined, kind: ValueKind): RowValue | undefined {
  if (value === null || value === undefined) return null
  switch (kind) {
    case 'integer':
      return Number.isInteger(value) && Math.abs(Number(value)) <= INTEGER_MOST ? value : undefined
    case 'bigint':
      return typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value) : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'text':
      return String(value)
  }
}
