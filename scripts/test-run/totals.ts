/** How many tests there were, and how they ended. */
export interface Totals {
  tests: number
  pass: number
  fail: number
  skipped: number
}

export function emptyTotals(): Totals {
  return { tests: 0, pass: 0, fail: 0, skipped: 0 }
}

export function add(sum: Totals, more: Totals): void {
  sum.tests += more.tests
  sum.pass += more.pass
  sum.fail += more.fail
  sum.skipped += more.skipped
}
