/** Lists that the station searches, narrows down and sorts: what was asked of a list, as such a call takes it. */
import type { SortedPage } from '@minga/protocol'
import type { ListQuestion, ReadPage } from './list-rows.ts'

/** Names are those of the call: columns that are filtered are called as it calls them. */
export type SortedQuery = Record<string, string | number | null>

/** `spanOf` names the column whose days the call takes as `from` and `to`. */
export function sortedQuery(question: ListQuestion, spanOf?: string): SortedQuery {
  const { text, sort, filters, spans, cursor, limit } = question
  const span = spanOf === undefined ? undefined : spans[spanOf]
  return {
    ...filters,
    ...(span === undefined ? {} : { from: span.fromMs, to: span.toMs }),
    text: text === '' ? null : text,
    sort: sort === '' ? null : sort,
    cursor,
    limit,
  }
}

export function sortedPages<Row>(
  read: (query: SortedQuery) => Promise<SortedPage<Row>>,
  spanOf?: string,
): ReadPage<Row> {
  return async (question) => {
    const { rows, next, total } = await read(sortedQuery(question, spanOf))
    return { rows: [...rows], cursor: next, ...(total === null ? {} : { total }) }
  }
}
