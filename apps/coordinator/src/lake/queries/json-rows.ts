/** Rows of DuckDB as JSON has them: whole numbers as numbers where that is exact, else as the text they are. */

const WHOLE = new Set(['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT'])

export function jsonRows(rows: unknown[][], types: readonly string[]): unknown[][] {
  const places = types.flatMap((type, place) => (WHOLE.has(type) ? [place] : []))
  for (const row of rows) {
    for (const place of places) row[place] = numberIn(row[place])
  }
  return rows
}

function numberIn(value: unknown): unknown {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : value
}
