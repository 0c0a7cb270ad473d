/**
 * Where a list continues: the order it has, and the place of the last row in it. Rows that come or
 * go before that place do not shift the next part, as they do with numbers of pages.
 */
import { z } from 'zod'
import { BadWikiListing } from '../errors.ts'

export type CursorValue = string | number | boolean | null

const form = z.tuple([
  z.string(),
  z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1),
])

export function writeCursor(sort: string, after: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([sort, after])).toString('base64url')
}

export function readCursor(cursor: string): { sort: string; after: CursorValue[] } {
  try {
    const [sort, after] = form.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { sort, after }
  } catch {
    throw BadWikiListing.cursor()
  }
}
