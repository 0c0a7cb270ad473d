/** Every row of a list that stays small by its nature, up to a limit that is reported when it is reached. */
import type { ListPage, ReadPage } from './list-rows.ts'

export interface WholeRows<Row> {
  rows: Row[]
  /** There are more than were read. */
  hasUnread: boolean
}

interface Bounds {
  signal: AbortSignal
  rowsAPage: number
  rowsMax: number
}

export async function readWhole<Row>(
  read: ReadPage<Row>,
  { signal, rowsAPage, rowsMax }: Bounds,
): Promise<WholeRows<Row>> {
  const question = { text: '', filters: {}, spans: {}, sort: '', limit: rowsAPage }
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    signal.throwIfAborted()
    const page: ListPage<Row> = await read({ ...question, cursor })
    for (const row of page.rows) rows.push(row)
    cursor = page.cursor
  } while (cursor !== null && rows.length < rowsMax)
  return { rows, hasUnread: cursor !== null }
}
