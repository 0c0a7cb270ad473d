/** One act on many rows, one after another: it can be watched and stopped, and failures are reported row by row. */
import { ApiFailure } from '../../api/call.ts'

export interface BulkFailure<Row> {
  row: Row
  /** Null when the station gave none. */
  code: string | null
  message: string
}

export interface BulkOutcome<Row> {
  done: number
  failed: readonly BulkFailure<Row>[]
  /** Not begun when it was stopped. */
  undone: readonly Row[]
}

interface BulkRun<Row> {
  act: (row: Row) => Promise<unknown>
  /** Stops before the next row; the one that is under way ends. */
  signal: AbortSignal
  onBegun: (begun: number) => void
}

export async function runBulk<Row>(
  rows: readonly Row[],
  { act, signal, onBegun }: BulkRun<Row>,
): Promise<BulkOutcome<Row>> {
  const failed: BulkFailure<Row>[] = []
  let begun = 0
  // One after another: an act on a thousand rows is no reason to press the station.
  for (const row of rows) {
    if (signal.aborted) break
    onBegun(++begun)
    try {
      await act(row)
    } catch (error) {
      failed.push(failureOf(row, error))
    }
  }
  return { done: begun - failed.length, failed, undone: rows.slice(begun) }
}

function failureOf<Row>(row: Row, error: unknown): BulkFailure<Row> {
  const code = error instanceof ApiFailure ? error.code : null
  return { row, code, message: error instanceof Error ? error.message : String(error) }
}

export interface FailureKind {
  code: string | null
  /** The station's sentence about the first of them. */
  message: string
  keys: readonly string[]
}

/** By code, the most frequent first: three hundred rows seldom fail for three hundred reasons. */
export function failureKinds<Row>(
  failed: readonly BulkFailure<Row>[],
  keyOf: (row: Row) => string | number,
): FailureKind[] {
  const kinds = Map.groupBy(failed, ({ code, message }) => code ?? message)
  return [...kinds.values()]
    .map((same) => ({
      code: same[0]!.code,
      message: same[0]!.message,
      keys: same.map(({ row }) => String(keyOf(row))),
    }))
    .toSorted((a, b) => b.keys.length - a.keys.length)
}
