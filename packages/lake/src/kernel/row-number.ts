/** Rows of an input in their order, over all of its units: so many for each, and no unit has as many. */
export const ROWS_PER_UNIT = 2n ** 32n

/** For a table that keeps the order of its unit: row ids count from 0. */
export const rowNumber = (unit: number): string =>
  `(${BigInt(unit) * ROWS_PER_UNIT} + rowid)::BIGINT`
