/** Pages of a sorted list: a cursor names the last row that was shown, so that rows which come and go move nothing. */
import type { Value } from '@minga/store'
import { z } from 'zod'

export interface Keyset {
  /** SQL of what is sorted by. */
  column: string
  isDescending: boolean
  /** SQL of what tells rows with the same value apart. */
  id: string
}

const cursorText = z.tuple([z.union([z.number(), z.string(), z.null()]), z.number()])

export const cursorOf = (value: number | string | null, id: number): string =>
  Buffer.from(JSON.stringify([value, id])).toString('base64url')

/** For a text that is not one of our cursors the list begins at the start. */
function readCursor(text: string | null): [number | string | null, number] | null {
  if (text === null) return null
  try {
    return cursorText.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    return null
  }
}

/** A condition for the rows after the cursor; true without one. */
export function afterCursor(
  { column, isDescending, id }: Keyset,
  cursor: string | null,
): { condition: string; params: Value[] } {
  const at = readCursor(cursor)
  if (at === null) return { condition: '1 = 1', params: [] }
  const sign = isDescending ? '<' : '>'
  return { condition: `(${column}, ${id}) ${sign} (?, ?)`, params: at }
}

export function orderBy({ column, isDescending, id }: Keyset): string {
  const order = isDescending ? 'DESC' : 'ASC'
  return `ORDER BY ${column} ${order}, ${id} ${order}`
}
