/**
 * How far a client has read the rows of a query: all of the outputs up to a number, and some of a
 * later one.
 */
import { z } from 'zod'

export interface Cursor {
  upTo: number
  /** The number of the output that was read in part. */
  within: number | null
  /** How many rows of it. */
  rows: number
}

export const cursorField = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,15}\.\d{1,15})?$/, 'must be what the station gave as `after`')

export function readCursor(text: string): Cursor {
  const [upTo = 0, within = null, rows = 0] = text.split('.').map(Number)
  return { upTo, within, rows }
}

export function writeCursor({ upTo, within, rows }: Cursor): string {
  return within === null ? `${upTo}` : `${upTo}.${within}.${rows}`
}
