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

/** From the last lines of node's reporter. A test cancelled by its timeout has failed. */
export function totalsIn(output: string, code: number | null): Totals {
  const count = (name: string): number =>
    Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const fail = count('fail') + count('cancelled')
  const totals = {
    tests: count('tests'),
    pass: count('pass'),
    fail,
    skipped: count('skipped') + count('todo'),
  }
  // A file that crashed, hung or could not be loaded counts as one failed test.
  if (code !== 0 && fail === 0) add(totals, { tests: 1, pass: 0, fail: 1, skipped: 0 })
  return totals
}
